/**
 * The way back: what a principal decided goes to every run above the call, as a note that the agent of that run gets with its next look, and
 * the record says who was told and who was not reached yet.
 */
import type { RelayReceipt } from '@countersign/contracts';
import {
  appendAudit,
  type CallRecord,
  consultsOfRuns,
  type DecisionRecord,
  hasNotes,
  insertNotes,
  type NoteRecord,
  notesOfConsult,
  type Transaction,
  takeNotes as takeRecords,
} from '@countersign/store';
import { callerActor } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';

/** Leaves a note for each run above, in the transaction that settles the decisions. `note`: what the principal wrote with the answer. */
export async function relayUp(tx: Transaction, settled: readonly DecisionRecord[], now: string, note: string | null = null): Promise<void> {
  const nested = settled.filter((decision) => decision.state.state !== 'pending' && decision.chain.length > 1);
  if (nested.length === 0) return;
  const below = nested.flatMap((decision) => decision.chain.slice(1).map((hop) => hop.run));
  const consults = await consultsOfRuns(tx, [...new Set(below)]);
  const notes = nested.flatMap((decision) =>
    decision.chain.slice(0, -1).flatMap((hop, place): NoteRecord[] => {
      const consult = consults.get(decision.chain[place + 1]?.run ?? '');
      if (!consult) return [];
      const text = textOf(decision, note);
      return [
        { run: hop.run as NoteRecord['run'], decision: decision.id, agent: hop.agent, consult, text, createdAt: now, deliveredAt: null },
      ];
    }),
  );
  await insertNotes(tx, notes);
}

function textOf({ state, kind, agent, tool, id }: DecisionRecord, note: string | null): string {
  const isOutcome = kind === 'outcome';
  const asked = tool === null ? `${agent}'s question` : `${agent}'s call of ${tool}`;
  const what = `${isOutcome ? `to send ${asked} again, which may have run,` : asked} (${id})`;
  const words = note ? `, with the note: ${note}` : '';
  switch (state.state) {
    case 'approved':
      return `${state.approvals.map((approval) => approval.principal).join(' and ')} approved ${what}${words}`;
    case 'refused':
      return `${state.by} refused ${what}${words}`;
    case 'expired':
      return isOutcome
        ? `Nobody said in time ${what}. It was not sent again, and nobody knows what came of it.`
        : `Nobody answered ${what} in time. Silence is not consent: it was not executed.`;
    case 'withdrawn':
      return `${what} was withdrawn by ${state.by}: ${state.reason}`;
    case 'pending':
      return `${what} is pending`;
    default:
      return state satisfies never;
  }
}

/** A note as its agent gets it; `text` cites what others wrote. */
export type RelayedNote = Pick<NoteRecord, 'decision' | 'consult' | 'text' | 'createdAt'>;

/** More would drown the result that they come with; the next look brings the rest. */
const AT_ONCE = 20;

/**
 * The notes that wait for this caller's agent, which count as told from here on; of `consult`, where one is given, also those it got before.
 * Call it only when the result is about to be delivered.
 */
export async function takeNotes(deps: EngineDeps, caller: Caller, consult: string | null = null): Promise<readonly RelayedNote[]> {
  const agent = actingName(caller);
  const fresh = (await hasNotes(deps.store.db, agent)) ? await takeFresh(deps, caller, agent) : [];
  if (consult === null) return fresh;
  const again = (await notesOfConsult(deps.store.db, consult)).filter((note) => note.agent === agent && note.deliveredAt !== null);
  return [...again.filter((note) => !fresh.some((one) => isSame(one, note))), ...fresh];
}

const isSame = (one: NoteRecord, other: NoteRecord): boolean => one.run === other.run && one.decision === other.decision;

const takeFresh = (deps: EngineDeps, caller: Caller, agent: string): Promise<readonly NoteRecord[]> =>
  deps.store.transact(async (tx) => {
    const at = deps.now();
    const taken = await takeRecords(tx, agent, at, AT_ONCE);
    await appendAudit(
      tx,
      taken.map((note) => ({
        type: 'decision.relayed' as const,
        at,
        actor: callerActor(caller),
        principal: caller.principal?.name ?? null,
        agent,
        run: note.run,
        decision: note.decision,
        payload: { consult: note.consult, text: note.text },
      })),
    );
    return taken;
  });

/** Who of the chain knows how it was settled: the agent that made the call by its result, those above by their notes. */
export function receiptsOf(decision: DecisionRecord, call: CallRecord | null, notes: readonly NoteRecord[]): RelayReceipt[] {
  if (decision.state.state === 'pending') return [];
  const above = decision.chain.slice(0, -1).reverse();
  const told = above.map(({ run, agent }) => {
    const note = notes.find((one) => one.decision === decision.id && one.run === run);
    return { agent, toldAt: note?.deliveredAt ?? null };
  });
  return call ? [{ agent: decision.agent, toldAt: call.deliveredAt }, ...told] : told;
}
