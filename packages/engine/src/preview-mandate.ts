/**
 * What other terms would change: recorded calls, judged as if they were made again now, once under the mandate in force and once under the
 * other one. Pure reading. Left out on both sides is what passes by itself: the freeze, a quarantine, earlier refusals.
 */
import { canonicalize } from '@countersign/audit';
import {
  type Effect,
  type ErrorCode,
  fail,
  type MandatePreview,
  type MandatePreviewInput,
  type MandateTerms,
  ok,
  type Result,
} from '@countersign/contracts';
import {
  type CallFacts,
  type CompiledMandate,
  classify,
  compareMandates,
  compileMandate,
  hasEnded,
  mandateWarnings,
} from '@countersign/core';
import { chainOf, findMandate, listAgents, type RecordedCall, recordedCalls } from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { usedTerms } from './term-uses.ts';

/** Calls looked at, the newest first: a few seconds of judging at most. */
const CALLS = 5_000;
const PAGE = 100;
/** Larger arguments are not read for a preview; such calls count as not judged. */
const READ_BYTES = 256 * 1024;
const DAY_MS = 86_400_000;

/**
 * @returns `mandate.invalid` (line and column) where the terms don't compile, `credential.forbidden` for an agent. A call whose run, agent,
 * tool or arguments are not at hand any more is counted as `unjudged`.
 */
export async function previewMandate(
  deps: EngineDeps,
  caller: Caller,
  input: MandatePreviewInput,
): Promise<Result<MandatePreview, ErrorCode>> {
  const { principal } = caller;
  if (caller.agent || !principal) return fail('credential.forbidden', 'A mandate is its principal’s to change, and to try.');
  const { days, ...terms } = input;
  const current = await findMandate(deps.store.db, principal.name);
  if (!current) return fail('not_found', `${principal.name} has no mandate.`);
  const now = deps.now();
  const was = await gateUnder(deps, principal.name, current, now);
  const then = await gateUnder(deps, principal.name, terms, now);
  if (!was.ok) return was;
  if (!then.ok) return then;
  const rebuild = await recaller(deps, principal.name);
  const since = new Date(Date.parse(now) - days * DAY_MS).toISOString();
  const changed: MandatePreview['changed'] = [];
  const counted = { judged: 0, unjudged: 0 };
  let before: string | null = null;
  let isMore = true;
  while (isMore && counted.judged + counted.unjudged < CALLS) {
    const page = await recordedCalls(deps.store.db, principal.name, { since, before, limit: PAGE, maxBytes: READ_BYTES });
    for (const call of page) {
      const again = await rebuild(call);
      counted[again ? 'judged' : 'unjudged'] += 1;
      if (!again) continue;
      const [one, other] = [was.value(again), then.value(again)];
      if (one !== other) changed.push({ call: call.id, tool: call.tool, agent: call.agent, at: call.createdAt, was: one, now: other });
    }
    before = page.at(-1)?.id ?? null;
    isMore = page.length === PAGE;
  }
  const cut = isMore ? [`Only the newest ${CALLS} calls of the last ${days} days were looked at.`] : [];
  const tools = deps.upstreams.tools().map((tool) => tool.key);
  const compared = isSame(current, terms) ? 'same' : compareMandates(current, terms);
  return ok({ compared, warnings: [...mandateWarnings(terms, tools, now), ...cut], ...counted, changed });
}

/** A recorded call with all that the gate needs to judge it again but the mandate in question. */
type Again = { readonly facts: CallFacts; readonly others: readonly CompiledMandate[]; readonly isOwn: boolean };

/** Puts recorded calls together from the rows as they are now; null where a part of one is not at hand. */
async function recaller(deps: EngineDeps, principal: string): Promise<(call: RecordedCall) => Promise<Again | null>> {
  const { tools } = await deps.authority.host('current');
  const agents = new Map((await listAgents(deps.store.db, principal)).map(({ name, status }) => [name, status]));
  const runs = new Map<string, Promise<(Pick<Again, 'others'> & Pick<CallFacts, 'chain' | 'task'>) | null>>();
  return async ({ agent, run, tool: key, args, createdAt }) => {
    const tool = tools.get(key);
    const isOwn = agent === principal;
    const status = isOwn ? 'member' : agents.get(agent);
    const parsed = args === null ? undefined : (JSON.parse(args) as unknown);
    const chain = runs.get(run) ?? chainAgain(deps, principal, run);
    runs.set(run, chain);
    const work = await chain;
    if (!tool || tool.state === 'gone' || !status || parsed === undefined || !work) return null;
    const facts = {
      tool: key,
      server: tool.server,
      name: tool.name,
      args: parsed,
      agent: { name: agent, principal, status },
      now: createdAt,
    };
    return { facts: { ...facts, chain: work.chain, task: work.task }, others: work.others, isOwn };
  };
}

async function chainAgain(deps: EngineDeps, principal: string, run: string) {
  const rows = await chainOf(deps.store.db, run);
  if (rows.length === 0) return null;
  const strangers = rows.slice(0, -1).filter((row) => row.principal !== principal);
  const standings = await deps.authority.ofAgents(strangers.map((row) => row.agent));
  const others = new Map(standings.flatMap((standing) => (standing?.mandate ? [[standing.mandate.principal, standing.mandate]] : [])));
  if (strangers.some((row) => !others.has(row.principal))) return null;
  const chain = rows.map(({ id, agent, principal: of, task }) => ({ run: id, agent, principal: of, question: task }));
  return { chain, task: rows[0]?.task ?? '', others: [...others.values()] };
}

/** A gate with one mandate of a principal, which counts the uses of its terms as it goes. */
async function gateUnder(
  deps: EngineDeps,
  principal: string,
  mandate: MandateTerms,
  now: string,
): Promise<Result<(again: Again) => Effect, 'mandate.invalid'>> {
  const { scopes, terms } = mandate;
  const compiled = compileMandate(principal, 0, mandate);
  if (!compiled.ok) return compiled;
  const used = [...(await usedTerms(deps.store.db, principal, terms))];
  const isOver = terms.map((term, place) => hasEnded(term, now) || isUsedUp(term, used[place]));
  const own: CompiledMandate = {
    ...compiled.value,
    for: (tool) => compiled.value.for(tool).map((term) => (isOver[term.index] ? { ...term, isSpent: true } : term)),
  };
  return ok(({ facts, others, isOwn }) => {
    // Without the scope its agents have no such tool at all.
    if (!isOwn && !scopes.includes('tools:call')) return 'refuse';
    const context = { rules: deps.rules(), mandates: [own, ...others], tool: { state: 'accepted' }, frozen: null, earlierNo: [] } as const;
    const { effect, covered } = classify(facts, context);
    const place = effect === 'allow' ? covered.find((one) => one.principal === principal)?.term : undefined;
    const term = place === undefined ? undefined : terms[place];
    if (term?.uses !== undefined && place !== undefined) {
      used[place] = (used[place] ?? 0) + 1;
      isOver[place] = isUsedUp(term, used[place]);
    }
    return effect;
  });
}

const isUsedUp = ({ uses }: MandateTerms['terms'][number], used = 0): boolean => uses !== undefined && used >= uses;

/** The same terms, whatever the order of scopes, which have none. */
const isSame = (one: MandateTerms, other: MandateTerms): boolean => canonicalize(meaningOf(one)) === canonicalize(meaningOf(other));
const meaningOf = ({ scopes, terms, budget }: MandateTerms) => ({ scopes: [...new Set(scopes)].sort(), terms, budget: budget ?? null });
