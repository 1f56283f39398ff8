import { type ErrorCode, type Evidence, type EvidenceInput, fail, ok, type Result, readReference } from '@countersign/contracts';
import { appendAudit, countEvidence, type EvidenceRecord, findVisibleDecision, insertEvidence, mintId } from '@countersign/store';
import { callerActor } from './actor.ts';
import { announceChange } from './announce.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';
import { viewOf } from './view.ts';
import { workOf } from './work.ts';

/** More would hide the question that it is about. */
const MAX_PER_DECISION = 50;

/**
 * Files what an agent claims to have done, on its run and, where it names one, on a decision of its own. The form of the reference is
 * checked and nothing else: it stands there as the agent's words.
 * @returns `evidence.reference_missing` where the source is an artifact and the claim does not name it, `input.invalid` where the reference
 * has not the form of its source, `not_found` for a decision that is not the caller's.
 */
export async function fileEvidence(
  deps: EngineDeps,
  caller: Caller,
  input: EvidenceInput & { readonly origin: string },
): Promise<Result<Evidence & { readonly decision: string | null }, ErrorCode>> {
  const principal = caller.principal?.name;
  if (principal === undefined)
    return fail('credential.missing', 'Evidence is filed for a principal, and this request came without a credential.');
  const reference = readReference(input.source, input.reference);
  if (!reference.ok) return reference;
  const decision = input.decision === undefined ? null : await findVisibleDecision(deps.store.db, viewOf(caller), input.decision);
  if (input.decision !== undefined && !decision) return fail('not_found', `There is no decision ${input.decision}.`);
  const { run } = await workOf(deps, caller, input.origin);
  const record: EvidenceRecord = {
    id: mintId('evd'),
    agent: actingName(caller),
    principal,
    run,
    decision: decision?.id ?? null,
    claim: input.claim,
    source: input.source,
    reference: reference.value,
    at: deps.now(),
  };
  const { id, claim, source, at } = record;
  const isFiled = await deps.store.transact(async (tx) => {
    if (decision && (await countEvidence(tx, decision.id)) >= MAX_PER_DECISION) return false;
    await insertEvidence(tx, record);
    await appendAudit(tx, [
      {
        type: 'evidence.filed',
        at,
        actor: callerActor(caller),
        principal,
        agent: record.agent,
        run,
        call: decision?.call ?? null,
        decision: record.decision,
        payload: { evidence: id, claim, source, reference: record.reference },
      },
    ]);
    return true;
  });
  if (!isFiled) return fail('limit.reached', `There are ${MAX_PER_DECISION} pieces of evidence on that decision already.`);
  if (decision) {
    const { answerBy } = decision.question;
    announceChange(deps, {
      type: 'decision',
      id: decision.id,
      state: decision.state.state,
      version: decision.state.version,
      seenBy: answerBy,
    });
  }
  return ok({ id, claim, source, reference: record.reference, at, decision: record.decision });
}
