import { type AuditEvent, AuditEventType, AuditQuery, OWN_TOOL_SCOPE } from '@countersign/contracts';
import { type AgentText, agentText, joinTexts, quote, token, untrusted } from '@countersign/core';
import * as z from 'zod';
import { agentResult, notExecuted } from '../endpoint/agent-result.ts';
import { ownResult, ownTool } from './own-tool.ts';

export const queryAudit = ownTool({
  name: 'query_audit',
  scope: OWN_TOOL_SCOPE.query_audit,
  title: 'Query the audit log',
  description:
    "Lists recorded events of your own chain (your runs, those above and below them) as far as they are your principal's: what was called, judged, asked, answered and done, by whom and when. Never another principal's.",
  input: z.strictObject({
    type: z.array(AuditEventType).min(1).optional(),
    call: z.string().max(100).optional(),
    decision: z.string().max(100).optional(),
    run: z.string().max(100).optional(),
    since: z.iso.datetime().optional(),
    until: z.iso.datetime().optional(),
    q: z.string().max(200).optional().describe('Text to look for'),
    order: z.enum(['newest', 'oldest']).default('newest'),
    limit: z.int().min(1).max(100).default(20),
    cursor: z.string().max(500).optional().describe('`nextCursor` of the page before'),
  }),
  async run({ deps, caller }, input) {
    const page = await deps.queryAudit(caller, AuditQuery.parse(input));
    if (!page.ok) return ownResult(notExecuted(page.error));
    const { items, nextCursor } = page.value;
    const more = nextCursor === null ? agentText`` : agentText`\nThere are more: pass nextCursor as cursor.`;
    return ownResult(
      agentResult(items.length === 0 ? agentText`No events.` : agentText`${joinTexts(items.map(eventText))}${more}`, {
        structured: { items: items.map(eventFacts), nextCursor },
      }),
    );
  },
});

/** What is ours in an event. Payloads hold what agents, servers and people wrote: those are only in the text, quoted. */
const eventFacts = ({ id, seq, type, at, actor, principal, agent, run, call, decision }: AuditEvent) => ({
  id,
  seq,
  type,
  at,
  actor,
  principal,
  agent,
  run,
  call,
  decision,
});

function eventText(event: AuditEvent): AgentText {
  const about = [event.call, event.decision, event.run].filter((id) => id !== null).map((id) => agentText` ${token(id)}`);
  const head = agentText`- ${token(event.at)} ${token(event.type)} by ${token(event.actor.kind)} ${token(event.actor.name)}${joinTexts(about, '')}`;
  if (Object.keys(event.payload).length === 0) return head;
  return agentText`${head}\n${quote(untrusted(event.payload, { author: event.actor.name, source: 'payload of an event' }))}`;
}
