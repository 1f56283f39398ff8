import { visible, visibleLine } from '@countersign/contracts';

/** Ways to show text that somebody else wrote: what hides or reorders it becomes readable, nothing is cut. */
export type Show = {
  /** Line feeds and tabs stay. */
  readonly text: (text: string) => string;
  /** On one line. */
  readonly line: (text: string) => string;
};

export const show: Show = { text: visible, line: visibleLine };
