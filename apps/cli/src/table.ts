export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string;
  readonly align?: 'right';
  /** Styles the padded cell. */
  readonly style?: (cell: string) => string;
};

/** Code points outside the printable ASCII range: anything here may be as wide as two columns or none, so it is measured one by one. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
const COMBINING = /\p{Mn}/gu;

/** Columns that a terminal takes for the text; good for scripts in common use, not exact for all of Unicode. */
export const widthOf = (text: string): number => [...text].length + (text.match(WIDE)?.length ?? 0) - (text.match(COMBINING)?.length ?? 0);

/** Rows under their titles, columns two spaces apart and as wide as their widest cell. Nothing is cut. Cells hold no line feeds. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], titleStyle: (title: string) => string): string {
  const cells = rows.map((row) => columns.map((column) => column.of(row)));
  const widths = columns.map(({ title }, at) => Math.max(widthOf(title), ...cells.map((line) => widthOf(line[at] ?? ''))));
  const pad = (text: string, at: number): string => {
    const blank = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
    return columns[at]?.align === 'right' ? blank + text : text + blank;
  };
  const last = columns.length - 1;
  const cell = (text: string, at: number): string => (at === last && columns[at]?.align !== 'right' ? text : pad(text, at));
  const titles = columns.map(({ title }, at) => cell(title, at)).join('  ');
  const lines = cells.map((texts) => texts.map((text, at) => columns[at]?.style?.(cell(text, at)) ?? cell(text, at)).join('  '));
  return [titleStyle(titles), ...lines.map((line) => line.trimEnd())].join('\n');
}
