import type { DecisionKind, DecisionStatus } from '@countersign/contracts';

/** Words that several views use. All text that a person reads stands in this folder. */
export const common = {
  product: 'Countersign',
  nav: { inbox: 'Inbox', audit: 'Audit', rules: 'Rules', mandate: 'Mandate', agents: 'Agents', stats: 'Stats' },
  state: { pending: 'pending', approved: 'approved', refused: 'refused', expired: 'expired', withdrawn: 'withdrawn' } satisfies Record<
    DecisionStatus,
    string
  >,
  kind: {
    call: 'a call',
    request: 'a request',
    spend: 'spending',
    tool: 'a changed tool',
    outcome: 'an unknown outcome',
  } satisfies Record<DecisionKind, string>,
  effect: { allow: 'runs', ask: 'asks', refuse: 'refuses' },
  loading: 'Reading …',
  close: 'Close',
  cancel: 'Keep as it is',
  copy: 'Copy',
  copied: 'Copied',
  again: 'Try again',
  more: 'Show more',
  any: 'any',
  clear: 'Clear',
  none: 'none',
  or: ' or ',
  and: ' and ',
  left: 'left',
  stopped: 'stopped while frozen',
  overdue: 'past its deadline',
  ago: 'ago',
  you: 'you',
  unseenTitle: 'Hidden characters',
} as const;

/** `ada`, `ada or ben`, `ada, ben or eva`. */
export const listNames = (names: readonly string[], last: string = common.or): string =>
  names.length <= 1 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')}${last}${names.at(-1)}`;

export const count = (n: number, one: string, many: string): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
