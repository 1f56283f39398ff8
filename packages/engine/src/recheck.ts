import type { Failure, Ground } from '@countersign/contracts';
import { answersOf, type CallRecord, type DecisionRecord, type LimitedTerm } from '@countersign/store';
import type { EngineDeps } from './deps.ts';
import { sha256 } from './digest.ts';
import { standInRun } from './enter-run.ts';
import { hasTool, type Judgement, judge, type Work } from './judge.ts';
import { neededBy, partsOf } from './raise-decision.ts';
import type { JsonObject } from './upstreams.ts';

/** How an approval stands at the moment of dispatch. */
export type Standing =
  | { readonly kind: 'stands'; readonly authority: number; readonly limited: readonly LimitedTerm[] }
  /** Nothing is dispatched and nothing is decided yet: the host is frozen, or the tool's server is not there. The reconciler comes back to it. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'refused'; readonly error: Failure }
  /** The gate now asks something that nobody answered. */
  | { readonly kind: 'stricter'; readonly work: Work; readonly judgement: Judgement; readonly why: string };

/**
 * Checks all that an approval stood on as it is now: deadline, agent, mandate, tool definition, rules. Reads rows, writes nothing; the claim
 * commits only under the authority version that this read.
 */
export async function recheck(deps: EngineDeps, call: CallRecord, decisions: readonly DecisionRecord[]): Promise<Standing> {
  const { host } = await deps.authority.host('current');
  if (host.frozen) return { kind: 'waits' };
  // Where an attempt before may have taken effect, whoever records this says so (`refuseCall`).
  const nothing = call.life.mayHaveRun ? '' : ' Nothing was executed.';
  const refused = (code: Failure['code'], message: string): Standing => ({ kind: 'refused', error: { code, message } });

  const live = decisions.filter((decision) => decision.supersededBy === null);
  const asks = live.filter((decision) => decision.kind === 'call');
  const retries = live.filter((decision) => decision.kind === 'outcome' && decision.state.state === 'approved');
  const now = deps.now();
  const standsOn = retries.at(-1);
  // A retry that a person ordered after the deadline stands on that later answer, until that one's deadline.
  const overdue = (standsOn ? [standsOn] : asks).find((decision) => now >= decision.state.expiresAt);
  if (overdue) return refused('decision.expired', `It was approved, but could not be sent before ${overdue.state.expiresAt}.${nothing}`);

  const alone = await deps.authority.ofAgent(call.agent);
  if (!alone || alone.agent?.status === 'suspended')
    return refused('tool.unknown', `${call.agent} was suspended after the approval.${nothing}`);
  const inRun = await standInRun(deps, alone, call.run, 'finish');
  if (!inRun.ok) return refused('run.closed', `${inRun.error.message}${nothing}`);
  const { caller: agent, work } = inRun.value;
  const tool = deps.upstreams.tool(call.tool);
  if (!tool && (await isToolAway(deps, call.tool))) return { kind: 'waits' };
  if (!tool || !hasTool(deps, agent, call.tool))
    return refused('tool.unknown', `${call.agent} no longer has the tool ${call.tool}.${nothing}`);
  if (tool.digest !== call.toolDigest)
    return refused('tool.quarantined', `The definition of ${call.tool} changed after the approval.${nothing}`);

  if (!(await isAsApproved(deps, call, decisions)))
    return refused('decision.digest_mismatch', `The arguments on record are not the ones that were approved.${nothing}`);

  const args = JSON.parse(call.effectiveArgs ?? call.args) as JsonObject;
  const judgement = await judge(deps, agent, work, tool, args, [], 'current');
  const { effect, grounds } = judgement.verdict;
  if (effect === 'refuse') return refused('call.refused_by_rule', refusalOf(grounds));
  // Its use was counted when it was first sent; sending it again is still that use.
  const limited = call.countedBy.length > 0 ? [] : judgement.limited;
  if (effect === 'allow') return { kind: 'stands', authority: judgement.authority, limited };
  if (judgement.rulesDigest !== call.rulesDigest)
    return { kind: 'stricter', work, judgement, why: `The rules for ${call.tool} changed after the approval.` };
  const own = ownUses(call, judgement);
  const judged = new Set([...call.grounds, ...own].map(groundKey));
  const fresh = grounds.find((ground) => ground.mode === 'enforce' && !judged.has(groundKey(ground)));
  if (fresh) return { kind: 'stricter', work, judgement, why: fresh.reason };
  const lacking = unapproved(
    grounds.filter((ground) => !own.includes(ground)),
    call.principal,
    asks,
  );
  if (lacking) return { kind: 'stricter', work, judgement, why: lacking };
  return { kind: 'stands', authority: judgement.authority, limited };
}

/** The reason behind grounds that not as many of those whom they belong to have approved as they need; null where there are none. */
function unapproved(grounds: readonly Ground[], principal: string, asks: readonly DecisionRecord[]): string | null {
  const approvals = asks.flatMap(({ state }) => (state.state === 'approved' ? state.approvals : []));
  const approved = new Set(approvals.map((approval) => approval.principal));
  const lacks = partsOf(grounds, principal).find((part) => part.answerBy.filter((name) => approved.has(name)).length < neededBy(part));
  return lacks?.grounds[0]?.reason ?? null;
}

/** Missing terms that are missing only because this very call used them up: the mandate itself is the one that it was judged under. */
const ownUses = (call: CallRecord, { verdict, mandateVersions }: Judgement): readonly Ground[] =>
  verdict.grounds.filter(
    ({ kind, answerBy }) =>
      kind === 'term' && answerBy.every((name) => call.countedBy.includes(name) && mandateVersions[name] === call.mandateVersions[name]),
  );

/** Whether a tool's server is not connected, so that nobody knows whether it still has it: after a restart nothing is listed yet. */
export async function isToolAway(deps: EngineDeps, key: string): Promise<boolean> {
  const { tools } = await deps.authority.host('cached');
  const server = tools.get(key)?.server;
  return deps.upstreams.status().some((status) => status.server === server && status.state !== 'ready');
}

/**
 * Whether the arguments about to be sent are, to the byte, those that arrived or those that an approving principal made of them. A decision that
 * took another's place was shown with what an answer to that one had made of them, so all decisions of the call count.
 */
async function isAsApproved(deps: EngineDeps, call: CallRecord, decisions: readonly DecisionRecord[]): Promise<boolean> {
  if (sha256(call.args) !== call.argsDigest) return false;
  if (call.effectiveArgs === null) return true;
  const answers = await answersOf(
    deps.store.db,
    decisions.map((decision) => decision.id),
  );
  return answers.some((answer) => answer.effect === 'approve' && answer.editedArgs === call.effectiveArgs);
}

const groundKey = (ground: Ground): string => `${ground.kind} ${ground.rule ?? ''} ${[...ground.answerBy].sort().join(' ')}`;

const refusalOf = (grounds: readonly Ground[]): string =>
  grounds
    .filter((ground) => ground.effect === 'refuse' && ground.mode === 'enforce')
    .map((ground) => ground.reason)
    .join(' ');
