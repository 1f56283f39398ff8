/** A JSON value as the lines that show all of it: as an outline, or as JSON text. Nothing is shortened; long texts take several lines. */
import { type Piece, piecesOf, unseenIn } from './visible.ts';

export type ValueType = 'text' | 'number' | 'yes or no' | 'nothing' | 'list' | 'object';

export type JsonLine = {
  /** JSON Pointer of the value that this line belongs to. */
  readonly path: string;
  readonly depth: number;
  /** The key or the place in a list; null on the further lines of a text. */
  readonly name: string | null;
  readonly type: ValueType;
  readonly pieces: readonly Piece[];
  /** A text goes on in the next line, or came from the last one. */
  readonly opens: boolean;
  readonly closes: boolean;
};

/** Characters of one line of a long text. */
const WIDTH = 400;

export const typeOf = (value: unknown): ValueType => {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'yes or no';
};

export const pointer = (path: string, key: string | number): string => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** Pieces laid out in lines: a break ends a line, and so do {@link WIDTH} characters. */
export function layOut(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const lines: Piece[][] = [[]];
  let room = WIDTH;
  const add = (piece: Piece, length: number): void => {
    lines.at(-1)?.push(piece);
    room -= length;
    if (room > 0) return;
    lines.push([]);
    room = WIDTH;
  };
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      let rest = piece.text;
      while (rest.length > 0) {
        const end = rest.length > room && isHighSurrogate(rest, room - 1) ? room + 1 : room;
        add({ kind: 'text', text: rest.slice(0, end) }, Math.min(end, rest.length));
        rest = rest.slice(end);
      }
    } else if (piece.kind === 'break') {
      lines.at(-1)?.push(piece);
      lines.push([]);
      room = WIDTH;
    } else add(piece, piece.label.length + 2);
  }
  if (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop();
  return lines;
}

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
};

const empty = (type: ValueType): readonly Piece[] => [{ kind: 'text', text: type === 'list' ? '[ ] empty list' : '{ } empty object' }];

/** The outline: a line for each value, its parts below it. */
export function outlineOf(root: unknown): readonly JsonLine[] {
  const lines: JsonLine[] = [];
  const visit = (value: unknown, name: string | null, path: string, depth: number): void => {
    const type = typeOf(value);
    const line = (pieces: readonly Piece[], more: Partial<JsonLine> = {}): void =>
      void lines.push({ path, depth, name, type, pieces, opens: true, closes: true, ...more });
    if (typeof value === 'string') {
      const rows = layOut(piecesOf(value));
      for (const [at, pieces] of rows.entries()) {
        line(pieces, { name: at === 0 ? name : null, opens: at === 0, closes: at === rows.length - 1 });
      }
      return;
    }
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : null;
    if (entries === null || entries.length === 0) {
      line(entries === null ? [{ kind: 'text', text: String(value) }] : empty(type));
      return;
    }
    if (name !== null) line([], { closes: false });
    const inside = name === null ? depth : depth + 1;
    for (const [key, part] of entries) visit(part, Array.isArray(value) ? String(Number(key) + 1) : key, pointer(path, key), inside);
  };
  visit(root, null, '', 0);
  return lines;
}

/** The JSON text itself, hidden characters made visible. */
export function textLinesOf(root: unknown): readonly JsonLine[] {
  const base = { path: '', depth: 0, name: null, type: 'text', opens: true, closes: true } as const;
  return layOut(piecesOf(JSON.stringify(root, null, 2))).map((pieces) => ({ ...base, pieces }));
}

/** Names the characters in keys and values that cannot be seen. */
export const unseenInLines = (lines: readonly JsonLine[]): readonly string[] => [
  ...new Set(
    lines.flatMap((line) => [
      ...(line.name === null ? [] : unseenIn(line.name)),
      ...line.pieces.flatMap((piece) => (piece.kind === 'mark' && !piece.label.includes('×') ? [piece.label] : [])),
    ]),
  ),
];
