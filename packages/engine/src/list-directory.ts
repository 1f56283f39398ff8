import type { DirectoryEntry } from '@countersign/contracts';
import { listAgents } from '@countersign/store';
import type { EngineDeps } from './deps.ts';

/** Every agent as others see it, and whether it takes questions at this moment: a member whose principal's mandate has `consult`. */
export async function listDirectory(deps: EngineDeps): Promise<readonly DirectoryEntry[]> {
  const agents = await listAgents(deps.store.db, null);
  const standings = await deps.authority.ofAgents(agents.map((agent) => agent.name));
  return agents.map(({ name, principal, status, description }, place) => ({
    name,
    principal,
    status,
    lane: status === 'member' ? 'member' : 'probation',
    description,
    takesQuestions: standings[place]?.scopes.includes('consult') ?? false,
  }));
}
