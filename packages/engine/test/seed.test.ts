import { Config } from '@countersign/contracts';
import { seedFromConfig } from '@countersign/engine';
import { describe, expect, it } from 'vitest';
import { sharedHosts } from './shared-host.ts';

const host = sharedHosts();

describe('the first start', () => {
  const config = (agents: Record<string, unknown>) => Config.parse({ principals: { adal: { name: 'Adal' } }, agents });

  it.each(['adal', 'ada1'])('says so when an agent %s can’t be told from a principal, and leaves nobody out in silence', async (name) => {
    const { deps } = await host();
    await deps.store.db.execute('update host set seeded_at = null');
    await expect(seedFromConfig(deps, config({ [name]: { principal: 'adal' } }))).rejects.toThrow(
      `The agent ${name} of the config can't be made`,
    );
  });

  it('goes on where a start before it died half way', async () => {
    const { deps, caller } = await host();
    await deps.store.db.execute('update host set seeded_at = null');
    const seeds = config({ sorter: { principal: 'adal', status: 'member' } });
    await seedFromConfig(deps, { ...seeds, agents: {} });
    await deps.store.db.execute('update host set seeded_at = null');
    await seedFromConfig(deps, seeds);
    expect(await caller('sorter')).toMatchObject({ agent: { name: 'sorter' }, principal: { name: 'adal' } });
  });
});
