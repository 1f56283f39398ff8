/** Ways to show text that somebody else wrote: what hides or reorders it becomes readable, nothing is cut. */
export type Show = {
  /** Line feeds and tabs stay. */
  readonly text: (text: string) => string;
  /** On one line. */
  readonly line: (text: string) => string;
};

/** Loaded when something is about to be shown and not before: the package behind it takes longer to load than all the rest. */
export async function loadShow(): Promise<Show> {
  const { visible, visibleLine } = await import('@countersign/runtime');
  return { text: visible, line: visibleLine };
}
