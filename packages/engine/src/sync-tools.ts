/**
 * Keeps the tools' rows in step with what upstream servers list. A new tool is registered as it is; a changed definition quarantines the tool:
 * its calls are asked about, pending decisions on it are void, and the host's principals are asked whether the new definition is accepted.
 */
import { canonicalize } from '@countersign/audit';
import {
  appendAudit,
  bumpAuthority,
  type DecisionRecord,
  decisionsOfCall,
  findCall,
  insertDecisions,
  latestToolDecision,
  listPrincipals,
  listTools,
  mintId,
  pendingOn,
  pendingToolDecisions,
  saveTool,
  type ToolRecord,
  type Transaction,
} from '@countersign/store';
import { announceSettled } from './after-settling.ts';
import { announceAuthority, announceChange } from './announce.ts';
import type { EngineDeps } from './deps.ts';
import { digestOf } from './digest.ts';
import { later, refuseCall, type Settled, withdrawOpen } from './settle-call.ts';
import type { PinnedTool } from './upstreams.ts';

const INTAKE = { kind: 'host', name: 'tool intake' } as const;
const WAITS_MS = 30 * 86_400_000;

/** Registers what is new and quarantines what changed. Idempotent; one run at a time in a process. */
export async function syncTools(deps: EngineDeps): Promise<void> {
  const known = new Map((await listTools(deps.store.db)).map((tool) => [tool.key, tool]));
  let hasChanged = false;
  for (const tool of deps.upstreams.tools()) {
    const before = known.get(tool.key);
    const isKnown = before?.currentDigest === tool.digest && before.state !== 'gone';
    if (isKnown && before.state === 'accepted') continue;
    const settled = await deps.store.transact(async (tx) => {
      if (!before) return discover(deps, tx, tool);
      return isKnown ? askAgain(deps, tx, before, tool) : change(deps, tx, before, tool);
    });
    if (settled.length === 0 && isKnown) continue;
    hasChanged = true;
    for (const one of settled) await announceSettled(deps, one);
    announceChange(deps, { type: 'tool', id: tool.key, seenBy: [] });
  }
  if (hasChanged) announceAuthority(deps);
}

async function discover(deps: EngineDeps, tx: Transaction, tool: PinnedTool): Promise<readonly Settled[]> {
  const at = deps.now();
  await saveTool(tx, {
    key: tool.key,
    server: tool.server,
    name: tool.name,
    firstDigest: tool.digest,
    acceptedDigest: tool.digest,
    currentDigest: tool.digest,
    definition: canonicalize(tool.definition),
    state: 'accepted',
    firstSeenAt: at,
    changedAt: at,
  });
  await bumpAuthority(tx);
  await appendAudit(tx, [{ type: 'tool.discovered', at, actor: INTAKE, payload: { tool: tool.key, digest: tool.digest } }]);
  return [];
}

async function change(deps: EngineDeps, tx: Transaction, before: ToolRecord, tool: PinnedTool): Promise<readonly Settled[]> {
  const at = deps.now();
  const isBack = tool.digest === before.acceptedDigest;
  await saveTool(tx, { ...before, currentDigest: tool.digest, state: isBack ? 'accepted' : 'quarantined', changedAt: at });
  await bumpAuthority(tx);
  await appendAudit(tx, [
    {
      type: 'tool.changed',
      at,
      actor: INTAKE,
      payload: { tool: tool.key, from: before.currentDigest, to: tool.digest, accepted: before.acceptedDigest },
    },
  ]);
  const stale = await withdrawOpen(tx, await pendingToolDecisions(tx, tool.key), INTAKE, 'The definition changed again.', at);
  const settled: Settled[] = [{ call: null, isQueued: false, decisions: stale }];
  if (isBack) return settled;
  const reason = `The definition of ${tool.key} changed, so an answer would be about another tool than the one asked for.`;
  for (const decision of await pendingOn(tx, { tool: tool.key })) {
    const call = decision.call ? await findCall(tx, decision.call) : null;
    if (!call) continue;
    const voided = await refuseCall(tx, call, { cause: 'withdrawn', reason, actor: INTAKE, decision: decision.id }, at);
    settled.push({ call, isQueued: false, decisions: voided.length > 0 ? voided : await decisionsOfCall(tx, call.id) });
  }
  const asked = await askAbout(tx, before, tool, at);
  if (asked) settled.push({ call: null, isQueued: false, decisions: [asked] });
  return settled;
}

/** A question that ran out or was taken back says nothing about the tool, which would stay quarantined for ever. A "no" stands. */
async function askAgain(deps: EngineDeps, tx: Transaction, before: ToolRecord, tool: PinnedTool): Promise<readonly Settled[]> {
  const latest = await latestToolDecision(tx, tool.key);
  if (latest && latest.state.state !== 'expired' && latest.state.state !== 'withdrawn') return [];
  const asked = await askAbout(tx, before, tool, deps.now());
  return asked ? [{ call: null, isQueued: false, decisions: [asked] }] : [];
}

async function askAbout(tx: Transaction, before: ToolRecord, tool: PinnedTool, at: string): Promise<DecisionRecord | null> {
  const principals = (await listPrincipals(tx)).map((principal) => principal.name);
  const [first] = principals;
  if (!first) return null;
  const title = `Accept the changed definition of ${tool.key}?`;
  const request = { tool: tool.key, before: JSON.parse(before.definition) as unknown, after: tool.definition, digest: tool.digest };
  const grounds = [
    {
      kind: 'tool' as const,
      effect: 'ask' as const,
      reason: 'An upstream server changed what this tool says of itself. Until somebody accepts it, every call of it is asked about.',
      answerBy: principals,
      needs: 1,
      expiresMs: WAITS_MS,
      irreversible: false,
      mode: 'enforce' as const,
    },
  ];
  const decision: DecisionRecord = {
    id: mintId('dec'),
    kind: 'tool',
    call: null,
    request,
    tool: tool.key,
    title,
    principal: first,
    // No agent can have this name, so none sees, counts or takes back what is asked about a server.
    agent: `${tool.server} (server)`,
    run: mintId('run'),
    chain: [],
    grounds,
    context: { seen: {}, claimed: null },
    question: { answerBy: principals, needs: 1, shownDigest: digestOf({ title, request, grounds }), irreversible: false },
    state: { state: 'pending', version: 1, approvals: [], expiresAt: later(at, WAITS_MS) },
    settledReason: null,
    supersedes: null,
    supersededBy: null,
    afterRefusalOf: null,
    createdAt: at,
    remindAt: null,
  };
  await insertDecisions(tx, [decision]);
  await appendAudit(tx, [
    {
      type: 'decision.raised',
      at,
      actor: INTAKE,
      principal: first,
      decision: decision.id,
      payload: { kind: 'tool', title, tool: tool.key, digest: tool.digest },
    },
  ]);
  return decision;
}
