import { type AuditPage, type AuditQuery, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import type { AuditView } from '@countersign/store';
import { queryAudit as queryRecords } from '@countersign/store';
import type { Doer } from './actor.ts';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { actingName } from './judge.ts';

/** The log by filter. A principal reads what concerns it and its agents, an agent its own chain, never another principal's part; the operator all of it. */
export async function queryAudit(deps: EngineDeps, viewer: Doer, query: AuditQuery): Promise<Result<AuditPage, ErrorCode>> {
  if (query.cursor !== undefined && !/^\d+$/.test(query.cursor)) return fail('input.invalid', 'That cursor is not one of ours.');
  return ok(await queryRecords(deps.store.db, 'caller' in viewer ? auditViewOf(viewer.caller) : 'all', query));
}

/** No principal has an empty name: whoever comes without one sees nothing. */
function auditViewOf(caller: Caller): AuditView {
  const principal = caller.principal?.name ?? '';
  return caller.agent ? { agent: actingName(caller), principal } : { principal };
}
