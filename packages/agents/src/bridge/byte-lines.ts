const LINE_FEED = 0x0a;

/** The lines of a byte stream, without their line feeds, exactly as they came; blank ones are left out, a last one without line feed is not. */
export async function* byteLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, at));
      from = at + 1;
      const line = Buffer.concat(parts);
      parts = [];
      if (!isBlank(line)) yield line;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  const last = Buffer.concat(parts);
  if (!isBlank(last)) yield last;
}

/** Spaces, tabs and carriage returns only. */
const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
