import type { Config, ErrorCode, Result } from '@countersign/contracts';
import { findAgent, findPrincipal, readHost, setSeeded } from '@countersign/store';
import { createAgent } from './agents.ts';
import type { EngineDeps } from './deps.ts';
import { createPrincipal } from './principals.ts';

const SEED = { host: 'config' } as const;

/** Makes the config's principals, mandates and agents, once in the life of a database: after that the database is the truth. */
export async function seedFromConfig(deps: EngineDeps, config: Pick<Config, 'principals' | 'agents'>): Promise<void> {
  const { seededAt } = await readHost(deps.store.db);
  if (seededAt) return;
  for (const [name, principal] of Object.entries(config.principals)) {
    const fresh = { name, displayName: principal.name, email: principal.email, mandate: principal.mandate };
    mustBe(await createPrincipal(deps, SEED, fresh), await findPrincipal(deps.store.db, name), `principal ${name}`);
  }
  for (const [name, agent] of Object.entries(config.agents)) {
    mustBe(await createAgent(deps, SEED, { name, ...agent }), await findAgent(deps.store.db, name), `agent ${name}`);
  }
  await setSeeded(deps.store.db, deps.now());
}

/** What is there was seeded by a start that died half way. What is refused and not there must not be left out in silence, for good. */
function mustBe(made: Result<unknown, ErrorCode>, found: unknown, what: string): void {
  if (!made.ok && !found) throw new Error(`The ${what} of the config can't be made: ${made.error.message}`);
}
