const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** Kept of either end of a line that is too long: enough for a JSON-RPC envelope to show its id. */
const EDGE_BYTES = 256;

export type LineReader = {
  /** A whole line without its end, at most `maxBytes` long; never empty. */
  readonly onLine: (line: Buffer) => void;
  /** A line longer than that has ended and was dropped, but for its first and last bytes. */
  readonly onOverlong: (head: Buffer, tail: Buffer) => void;
  /** A line is longer than `drainBytes` and has not ended. Nothing more is read. */
  readonly onFlood: () => void;
  readonly maxBytes: number;
  readonly drainBytes: number;
};

/**
 * Cuts a byte stream into lines in bounded memory: yields the function to feed it with. An over-long line is read to its end and dropped,
 * so that one large reply costs only its own call.
 */
export function readLines(reader: LineReader): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let tail: Buffer = Buffer.alloc(0);
  let isFlooded = false;

  const take = (piece: Buffer) => {
    size += piece.length;
    if (size <= reader.maxBytes) {
      parts.push(piece);
      return;
    }
    // Copied, so that the rest of the line can be let go.
    if (size - piece.length <= reader.maxBytes) parts = [Buffer.from(Buffer.concat([...parts, piece]).subarray(0, EDGE_BYTES))];
    tail = Buffer.from(Buffer.concat([tail, piece.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES));
    if (size > reader.drainBytes) isFlooded = true;
  };
  const finish = () => {
    const line = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    const wasOverlong = size > reader.maxBytes;
    const end = tail;
    parts = [];
    size = 0;
    tail = Buffer.alloc(0);
    if (wasOverlong) return reader.onOverlong(line, end);
    const text = line[line.length - 1] === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    if (text.length > 0) reader.onLine(text);
  };

  return (chunk) => {
    let start = 0;
    while (!isFlooded) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      take(chunk.subarray(start, end));
      if (!isFlooded) finish();
      start = end + 1;
    }
    if (!isFlooded && start < chunk.length) take(chunk.subarray(start));
    if (isFlooded && size > 0) {
      size = 0;
      parts = [];
      reader.onFlood();
    }
  };
}
