import type { Config, ErrorCode, Result } from '@countersign/contracts';
import { readHost, setSeeded } from '@countersign/store';
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
    mustBe(await createPrincipal(deps, SEED, fresh), `principal ${name}`);
  }
  for (const [name, agent] of Object.entries(config.agents)) mustBe(await createAgent(deps, SEED, { name, ...agent }), `agent ${name}`);
  await setSeeded(deps.store.db, deps.now());
}

/** A name that is taken was seeded by a start that died half way. Whatever else is refused must not be left out in silence, for good. */
function mustBe(made: Result<unknown, ErrorCode>, what: string): void {
  if (!made.ok && made.error.code !== 'agent.name_taken') throw new Error(`The ${what} of the config can't be made: ${made.error.message}`);
}
