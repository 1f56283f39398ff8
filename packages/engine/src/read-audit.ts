import { type AuditEvent, type AuditPage, type AuditQuery, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { type AuditView, argumentsOf, queryAudit as queryRecords } from '@countersign/store';
import type { Doer } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';
import { redact, secretsIn } from './redact.ts';
import { redactsAnything } from './redact-paths.ts';
import type { Secrets } from './redact-text.ts';
import { redactingTools } from './redacting-tools.ts';

/**
 * The log by filter. A principal reads what concerns it and its agents, and what became of each decision that it may see; an agent its own
 * chain, never another principal's part; the operator all of it.
 */
export async function queryAudit(deps: EngineDeps, viewer: Doer, query: AuditQuery): Promise<Result<AuditPage, ErrorCode>> {
  if (query.cursor !== undefined && !/^\d{1,15}$/.test(query.cursor)) return fail('input.invalid', 'That cursor is not one of ours.');
  const hidden = await redactingTools(deps);
  const view = 'caller' in viewer ? auditViewOf(viewer.caller) : 'all';
  const { items, nextCursor } = await queryRecords(deps.store.db, view, query, hidden);
  return ok({ items: await redactEvents(deps, items, hidden), nextCursor });
}

/** No principal has an empty name: whoever comes without one sees nothing. */
function auditViewOf(caller: Caller): AuditView {
  const principal = caller.principal?.name ?? '';
  return caller.agent ? { agent: actingName(caller), principal } : { principal };
}

/** Larger arguments are not read for an event: then every value in its headline is masked. */
const READ_BYTES = 64 * 1024;

async function redactEvents(deps: EngineDeps, events: readonly AuditEvent[], hidden: readonly string[]): Promise<AuditEvent[]> {
  const { tools } = deps.config();
  if (!redactsAnything(tools)) return [...events];
  const about = [...new Set(events.flatMap((event) => event.call ?? []))];
  const calls = await argumentsOf(deps.store.db, about, hidden, READ_BYTES);
  const secrets = new Map<string, Secrets>(
    calls.map(({ id, tool, texts }) => [id, texts?.flatMap((text) => secretsIn(tools, tool, JSON.parse(text))) ?? null]),
  );
  return events.map((event) => {
    const own = event.call === null ? undefined : secrets.get(event.call);
    return { ...event, payload: redact(tools, event.payload, own === undefined ? [] : own) };
  });
}
