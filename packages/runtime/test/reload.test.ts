import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryAudit, readHost } from '@countersign/store';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Host, openHost } from '../src/open-host.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-reload-'));
const configPath = join(folder, 'countersign.yaml');
const OPERATOR = { operator: true } as const;
const write = (config: object): void => writeFileSync(configPath, JSON.stringify(config));
const RULE = { id: 'all', tool: '*', when: 'always', reason: 'It matters.' };
let host: Host;

beforeAll(async () => {
  write({});
  const opened = await openHost({ configPath, dataDir: join(folder, 'data'), env: {}, log: pino({ level: 'silent' }), version: '0' });
  if (!opened.ok) throw new Error(opened.error.message);
  host = opened.value;
});
afterAll(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a reload of the config', () => {
  const authority = async (): Promise<number> => (await readHost(host.deps.store.db)).authority;

  it('takes effect on what is being judged: nothing commits any more that was judged by the rules before', async () => {
    const before = await authority();
    write({ rules: [RULE] });
    expect(await host.reload(OPERATOR)).toMatchObject({ ok: true, value: { rules: 1, warnings: [] } });
    expect(await authority()).toBe(before + 1);
    expect(host.deps.rules().rules.map((rule) => rule.id)).toEqual(['all']);
    const { items } = await queryAudit(host.deps.store.db, 'all', { limit: 1, order: 'newest' });
    expect(items).toMatchObject([{ type: 'rules.loaded', payload: { rules: 1 } }]);
  });

  it('changes nothing when the log can’t be written', async () => {
    const { db } = host.deps.store;
    const before = await authority();
    write({ rules: [] });
    await db.execute('alter table audit_pending rename to audit_gone');
    await expect(host.reload(OPERATOR)).rejects.toThrow();
    await db.execute('alter table audit_gone rename to audit_pending');
    expect(await authority()).toBe(before);
    expect(host.deps.rules().rules.map((rule) => rule.id)).toEqual(['all']);
  });

  it('names what takes a restart', async () => {
    write({ server: { port: 1 }, limits: { call_bytes: 1000, requests_per_minute: 7, chain_depth: 2 } });
    expect(await host.reload(OPERATOR)).toMatchObject({
      value: {
        warnings: ['server', 'limits.call_bytes', 'limits.requests_per_minute'].map((key) => `${key} changed: restart to apply it`),
      },
    });
  });
});
