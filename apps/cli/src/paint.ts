/** Styles for one stream; the text as it is where colours are not wanted. Weight before colour, and never colour alone. */
export type Paint = {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  /** Waiting, or near a deadline. */
  readonly amber: (text: string) => string;
  /** Irreversible or failed. */
  readonly red: (text: string) => string;
};

export const paintFor = (isColored: boolean): Paint => {
  const style = (open: number, close: number) => (text: string) =>
    isColored && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return { bold: style(1, 22), dim: style(2, 22), amber: style(33, 39), red: style(31, 39) };
};
