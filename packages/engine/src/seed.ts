import type { Config } from '@countersign/contracts';
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
    // A name that is taken was seeded by a start that died half way.
    await createPrincipal(deps, SEED, { name, displayName: principal.name, email: principal.email, mandate: principal.mandate });
  }
  for (const [name, agent] of Object.entries(config.agents)) await createAgent(deps, SEED, { name, ...agent });
  await setSeeded(deps.store.db, deps.now());
}
