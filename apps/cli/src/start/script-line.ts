import type { ScriptEvent, StepEnd } from '@countersign/agents';
import type { Paint } from '../paint.ts';
import { widthOf } from '../table.ts';

/** Makes control characters visible and shows line feeds too. */
export type ShowLine = (text: string) => string;

/** Columns of the agent and of the call, so that the ends of most lines stand below each other. */
const AGENT_WIDTH = 12;
const CALL_WIDTH = 44;
/** Characters of an upstream's answer: a glance for somebody who watches the demo; the whole of it stands in the record. */
const GLANCE = 80;

/** One calm line for one thing that a scripted agent did: `researcher  jar__cookie_jar eat 3  held, dec_… waits for ada`. */
export function scriptLine(event: ScriptEvent, paint: Paint, show: ShowLine): string {
  const agent = column(event.agent, AGENT_WIDTH);
  if (event.kind === 'waiting_for_host') return `${agent}${paint.dim(`waits for the host: ${glance(event.reason, show)}`)}`;
  if (event.kind === 'turned_away') return `${agent}${paint.red('stops')}: its credential is not accepted. ${glance(event.reason, show)}`;
  const { step, end, afterHold } = event;
  const call = column(step.about === '' ? step.tool : `${step.tool} ${show(step.about)}`, CALL_WIDTH);
  return `${agent}${call}${afterHold ? 'after its wait ' : ''}${endWords(end, paint, show)}`;
}

function endWords(end: StepEnd, paint: Paint, show: ShowLine): string {
  switch (end.kind) {
    case 'done':
      return `${paint.dim('ran:')} ${glance(end.text, show)}`;
    case 'held': {
      const whom = end.waitsFor.length === 0 ? 'an answer' : end.waitsFor.map(show).join(' or ');
      return `${paint.amber('held')}, ${show(end.decision)} waits for ${whom}`;
    }
    case 'refused':
      return `${paint.bold(REFUSED[end.code])}: ${glance(reasonOf(end.text), show)}`;
    case 'failed':
      return `${paint.red('failed')}: ${glance(end.text, show)}`;
    case 'unknown':
      return `${paint.red('outcome unknown')}: ${glance(end.text, show)}`;
    default:
      return end satisfies never;
  }
}

const REFUSED: Readonly<Record<Extract<StepEnd, { kind: 'refused' }>['code'], string>> = {
  refused_by_principal: 'refused by a person',
  refused_by_rule: 'refused by a rule',
  expired: 'expired',
  withdrawn: 'withdrawn',
};

/** Without the opening words, which the line itself says already. */
const reasonOf = (text: string): string => text.replace(/^Not executed[^:]*: [^.]*\.\s*/, '');

const column = (text: string, width: number): string => `${text}${' '.repeat(Math.max(2, width - widthOf(text)))}`;

function glance(text: string, show: ShowLine): string {
  const [first = ''] = text.trim().split('\n', 1);
  const characters = [...first];
  return show(characters.length > GLANCE ? `${characters.slice(0, GLANCE - 1).join('')}…` : first);
}
