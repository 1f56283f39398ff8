/** Signals: what other parts of this process, and other processes, hear after a commit. Losing one costs time, never a fact. */
import type { Signals } from '@countersign/queue';

export const TOPIC = {
  /** A call id: a worker may dispatch it now. */
  dispatch: 'dispatch',
  /** JSON `ChangeNotice`s for the pages and streams that people watch. */
  changes: 'changes',
  /** The authority version moved: forget what was read. */
  authority: 'authority',
  /** One call came to its end, or its decisions changed. */
  call: (id: string): string => `call ${id}`,
  /** One consult was claimed or came to its end. */
  consult: (id: string): string => `consult ${id}`,
  /** An agent has a question to answer. */
  questions: (agent: string): string => `questions ${agent}`,
} as const;

/** What changed, for /events. `seenBy`: the principals that may hear of it; empty for everybody. */
export type ChangeNotice = {
  readonly type: 'decision' | 'call' | 'agent' | 'mandate' | 'host' | 'rules' | 'tool';
  readonly id: string;
  readonly state?: string;
  readonly version?: number;
  readonly seenBy: readonly string[];
};

type Announcer = { readonly signals: Signals; readonly authority: { forget(): void } };

export const announceChange = ({ signals }: Announcer, notice: ChangeNotice): void =>
  signals.publish(TOPIC.changes, JSON.stringify(notice));

/** Says that a call moved, to whoever waits for it. */
export const announceCall = ({ signals }: Announcer, id: string): void => signals.publish(TOPIC.call(id), id);

/** Says, after its commit, that authority changed. */
export function announceAuthority(announcer: Announcer): void {
  announcer.authority.forget();
  announcer.signals.publish(TOPIC.authority, '');
}
