import type { Caller, JsonObject } from '@countersign/engine';
import * as z from 'zod';
import { answerQuestion } from './answer-question.ts';
import { askAgent } from './ask-agent.ts';
import { awaitDecision } from './await-decision.ts';
import { fileEvidence } from './file-evidence.ts';
import { getDecision } from './get-decision.ts';
import { listAgents } from './list-agents.ts';
import { listDecisions } from './list-decisions.ts';
import { listRules } from './list-rules.ts';
import { myMandate } from './my-mandate.ts';
import { nextQuestion } from './next-question.ts';
import type { OwnTool } from './own-tool.ts';
import { queryAudit } from './query-audit.ts';
import { requestDecision } from './request-decision.ts';
import { setMandate } from './set-mandate.ts';
import { whoami } from './whoami.ts';
import { withdrawDecision } from './withdraw-decision.ts';

/** Every tool of our own, in the order in which they are listed. Only what works stands here. */
export const OWN_TOOLS: readonly OwnTool[] = [
  whoami,
  listAgents,
  listRules,
  myMandate,
  requestDecision,
  listDecisions,
  getDecision,
  awaitDecision,
  withdrawDecision,
  fileEvidence,
  askAgent,
  nextQuestion,
  answerQuestion,
  queryAudit,
  setMandate,
];

/** Those that exist for a caller, by its effective scopes. */
export const ownToolsFor = (caller: Caller): readonly OwnTool[] => OWN_TOOLS.filter(({ scope }) => caller.scopes.includes(scope));

/** Whether a name is one of ours, for anybody. */
export const isOwnToolName = (name: string): boolean => OWN_TOOLS.some((tool) => tool.name === name);

export function ownToolDefinition({ name, title, description, input }: OwnTool): JsonObject {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
  return { name, title, description, inputSchema };
}
