import type { Decision } from '@countersign/contracts';
import { Visible } from '../../ui/visible-text.tsx';
import { listNames } from '../../words/common.ts';
import { answering as words } from '../../words/decision.ts';

type Props = { readonly decision: Decision; readonly effect: 'approve' | 'refuse'; readonly note: string; readonly isEdited: boolean };

function saying({ decision, effect, isEdited }: Props): string {
  if (decision.kind === 'tool') return words.tellTool;
  if (decision.kind === 'outcome') return words.tellOutcome;
  if (effect === 'refuse') return words.tellRefuse(decision.agent);
  if (decision.kind === 'request') return words.tellRequest(decision.agent);
  const approvals = decision.answers.filter((answer) => answer.effect === 'approve').length;
  if (approvals + 1 < decision.needs) return words.tellFirst(listNames(decision.answerBy));
  return isEdited ? words.tellApproveEdited(decision.agent) : words.tellApprove(decision.agent);
}

/** What an answer does, and what the agent will be told. */
export function WhatHappens(props: Props) {
  const { decision, effect, note } = props;
  const isTold = effect === 'refuse' && (decision.kind === 'call' || decision.kind === 'request' || decision.kind === 'spend');
  return (
    <p className="text-sm">
      <Visible text={saying(props)} />
      {isTold &&
        (note === '' ? (
          <span> {words.tellRefuseNoNote}</span>
        ) : (
          <span>
            {' '}
            {words.tellRefuseNote} “<Visible text={note} />”
          </span>
        ))}
    </p>
  );
}
