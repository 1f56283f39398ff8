import { type AuditPage, type AuditQuery, type ErrorCode, fail, ok, type Result } from '@countersign/contracts';
import { queryAudit as queryRecords } from '@countersign/store';
import type { Doer } from './actor.ts';
import type { EngineDeps } from './deps.ts';
import { viewOf } from './view.ts';

/** The log by filter. A principal reads what concerns it and its agents, an agent its own part, the operator all of it. */
export async function queryAudit(deps: EngineDeps, viewer: Doer, query: AuditQuery): Promise<Result<AuditPage, ErrorCode>> {
  if (query.cursor !== undefined && !/^\d+$/.test(query.cursor)) return fail('input.invalid', 'That cursor is not one of ours.');
  return ok(await queryRecords(deps.store.db, 'caller' in viewer ? viewOf(viewer.caller) : 'all', query));
}
