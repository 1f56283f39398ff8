import type { DecisionStatus } from '@countersign/contracts';
import { common } from '../words/common.ts';

const GLYPHS: Readonly<Record<DecisionStatus, string>> = { pending: '○', approved: '✓', refused: '✕', expired: '–', withdrawn: '↩' };

/** A decision's state, as a sign and a word. */
export const StateMark = ({ state }: { readonly state: DecisionStatus }) => (
  <span data-state={state} className={`whitespace-nowrap ${state === 'pending' ? 'text-accent' : 'text-ink'}`}>
    <span aria-hidden className="mr-1 inline-block w-3 text-center">
      {GLYPHS[state]}
    </span>
    {common.state[state]}
  </span>
);
