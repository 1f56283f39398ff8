import { type ErrorCode, fail, ok, type Result, type Stats, type StatsQuery } from '@countersign/contracts';
import { statsOf } from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';

/** What a principal was asked in the last days, and how it went, by day, rule and agent. */
export async function readStats(deps: EngineDeps, caller: Caller, { days, tz }: StatsQuery): Promise<Result<Stats, ErrorCode>> {
  const { principal } = caller;
  if (caller.agent || !principal) return fail('credential.forbidden', 'These figures are about what a principal was asked.');
  return ok(await statsOf(deps.store.db, principal.name, days, tz, deps.now()));
}
