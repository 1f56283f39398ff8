import type { Agent } from '@countersign/contracts';
import { agents as words } from '../../words/agents.ts';

const GLYPHS: Readonly<Record<Agent['status'], string>> = { member: '●', probation: '◐', suspended: '✕' };

/** What an agent amounts to right now, as a sign and a word. */
export const StatusMark = ({ status }: { readonly status: Agent['status'] }) => (
  <span className={`whitespace-nowrap ${status === 'suspended' ? 'text-red' : status === 'probation' ? 'text-amber' : 'text-ink'}`}>
    <span aria-hidden className="mr-1 inline-block w-3 text-center">
      {GLYPHS[status]}
    </span>
    {words.status[status]}
  </span>
);
