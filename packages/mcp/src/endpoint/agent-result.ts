import { type Failure, META, type OutcomeCode } from '@countersign/contracts';
import { type AgentText, agentText, hostText, joinTexts, visible } from '@countersign/core';
import type { JsonObject } from '@countersign/engine';
import { isRecord } from './rpc.ts';

/** A CallToolResult of our own. The text is `AgentText`: what another party wrote can only come in quoted. */
export function agentResult(
  text: AgentText,
  more: { readonly isError?: true; readonly structured?: JsonObject; readonly meta?: JsonObject } = {},
): JsonObject {
  return {
    content: [{ type: 'text', text: text.text }],
    ...(more.structured && { structuredContent: more.structured }),
    ...(more.isError && { isError: true }),
    ...(more.meta && { _meta: more.meta }),
  };
}

/** An error result with its stable code in `_meta`. */
export function agentError(code: OutcomeCode, text: AgentText, more: JsonObject = {}): JsonObject {
  return agentResult(text, { isError: true, meta: { [META.outcome]: { code, ...more } } });
}

/** An error result for something that was neither judged nor run. */
export function notExecuted(error: Failure): JsonObject {
  const issues = error.detail?.issues;
  const places = Array.isArray(issues) ? issues.map((issue) => agentText`\n- ${issueText(issue)}`) : [];
  return agentError('failed', agentText`Not executed: ${failureText(error)}${joinTexts(places, '')}`, { error: error.code });
}

/** A failure's message: our own sentence, made to be read by whoever caused it. */
export const failureText = (error: Failure): AgentText => hostText(visible(error.message));

function issueText(issue: unknown): AgentText {
  if (typeof issue === 'string') return hostText(visible(issue));
  if (!isRecord(issue)) return agentText`a value does not fit`;
  const path = Array.isArray(issue.path) ? issue.path.map(String).join('.') : String(issue.path ?? '');
  return hostText(visible(`${path === '' ? 'the arguments' : path}: ${String(issue.message ?? 'does not fit')}`));
}
