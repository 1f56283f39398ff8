import { type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { type CallRecord, type DecisionRecord, decisionsOfCall } from '@countersign/store';
import { checkArguments } from './check-arguments.ts';
import type { EngineDeps } from './deps.ts';
import { standInRun } from './enter-run.ts';
import { hasTool, type Judgement, judge } from './judge.ts';
import { neededBy, partsOf } from './raise-decision.ts';
import { isToolAway } from './recheck.ts';
import type { JsonObject } from './upstreams.ts';

/**
 * Takes edited arguments through the gate from the top: schema, visibility, rules and terms, as the agent stands now. The person who edits
 * answers the grounds that are theirs; a ground that belongs to somebody else refuses the edit. The tool can't change, and where several
 * must agree, to the call as it was or as it would be, nobody edits: the others would have approved something that they were not shown. What
 * can't be undone wants the editor's note, whether the call as it was did or not.
 */
export async function judgeEdit(
  deps: EngineDeps,
  call: CallRecord,
  decision: DecisionRecord,
  editor: { readonly name: string; readonly note: string | undefined },
  edited: JsonObject,
): Promise<Result<Judgement, ErrorCode>> {
  const others = (await decisionsOfCall(deps.store.db, call.id)).some((other) => other.id !== decision.id && other.supersededBy === null);
  if (decision.question.needs > 1 || others) {
    return fail(
      'decision.edit_refused',
      'Several principals must agree to this call, so it can only be approved as it was shown to all of them.',
    );
  }
  const alone = await deps.authority.ofAgent(call.agent);
  const inRun = alone && (await standInRun(deps, alone, call.run, 'finish'));
  if (inRun?.ok === false) return fail('decision.edit_refused', `${inRun.error.message} Nothing was executed.`);
  const agent = inRun?.value.caller;
  const tool = deps.upstreams.tool(call.tool);
  if (!tool && (await isToolAway(deps, call.tool))) {
    return fail('decision.edit_refused', `The server of ${call.tool} is not connected now, so an edit can't be checked. Try again later.`);
  }
  if (!inRun || !agent || !tool || !hasTool(deps, agent, call.tool)) {
    return fail('decision.edit_refused', `${call.agent} no longer has the tool ${call.tool}. Nothing was executed.`);
  }
  const problem = checkArguments(tool, edited);
  if (problem) return fail('decision.edit_refused', `The edited arguments do not fit the schema of ${call.tool}: ${problem}`);
  const judgement = await judge(deps, agent, inRun.value.work, tool, edited, [], 'current');
  const { grounds } = judgement.verdict;
  const refusal = grounds.find((ground) => ground.effect === 'refuse' && ground.mode === 'enforce');
  if (refusal) return fail('decision.edit_refused', `The edited call is refused: ${refusal.reason}`);
  const parts = partsOf(grounds, call.principal);
  const stranger = parts.find((part) => !part.answerBy.includes(editor.name));
  if (stranger) return fail('decision.edit_refused', `The edited call also needs ${stranger.answerBy.join(' or ')}, who was not asked.`);
  const joint = parts.find((part) => neededBy(part) > 1);
  if (joint) {
    const message = `The edited call needs ${neededBy(joint)} of ${joint.answerBy.join(', ')} to approve, and the others were not asked about it.`;
    return fail('decision.edit_refused', message);
  }
  const isIrreversible = parts.some((part) => part.grounds.some((ground) => ground.irreversible));
  if (isIrreversible && !editor.note?.trim()) {
    return fail('decision.note_required', 'The edited call cannot be undone. Write a note that says why you approve it.');
  }
  return ok(judgement);
}
