import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type FakeHost, fakeHost, problem } from './fake-host.ts';
import { inFolder, runCli } from './run-cli.ts';

const MANDATE = {
  version: 3,
  scopes: ['directory:read', 'tools:call'],
  terms: [{ tool: 'files__*', when: 'anything in the workspace' }],
  budget: { usd: 5, per: 'day' },
  madeBy: 'ada',
  createdAt: '2026-11-30T11:00:00.000Z',
};
const WIDER = `scopes: [directory:read, tools:call]
terms:
  - { tool: "files__*", when: anything in the workspace }
  - { tool: "jar__*", when: cookies, match: "args.amount < 3" }
budget: { usd: 5, per: day }
`;

let host: FakeHost | undefined;
afterEach(() => host?.close());
const start = async (set: () => { status?: number; body: unknown } = () => ({ body: { ...MANDATE, version: 4 } })) => {
  host = await fakeHost({ 'GET /api/v1/mandates/me': () => ({ body: MANDATE }), 'PUT /api/v1/mandates/me': set });
};
const mandate = (cwd: string, ...argv: string[]) =>
  runCli(['mandate', ...argv], { cwd, env: { COUNTERSIGN_URL: host?.url ?? '', COUNTERSIGN_TOKEN: 'csp_ada' } });

test('shows the terms as YAML that `set` takes back as they were', () =>
  inFolder(async (cwd) => {
    await start();
    const { stdout } = await mandate(cwd);
    expect(stdout).toContain('# made by ada');
    writeFileSync(join(cwd, 'same.yaml'), stdout);
    expect((await mandate(cwd, 'set', 'same.yaml')).stdout).toContain('Version 4');
    const { version: _, madeBy: __, createdAt: ___, ...terms } = MANDATE;
    expect(host?.seen.at(-1)).toMatchObject({ body: terms, ifMatch: '3' });
  }));

test('sets the terms of a file on top of the version in force', () =>
  inFolder(async (cwd) => {
    await start();
    writeFileSync(join(cwd, 'wider.yaml'), WIDER);
    expect((await mandate(cwd, 'set', 'wider.yaml')).code).toBe(0);
    expect(host?.seen.at(-1)).toMatchObject({ route: 'PUT /api/v1/mandates/me', ifMatch: '3', body: { terms: [{}, { tool: 'jar__*' }] } });
  }));

test('is 1 where the mandate changed since the file was written', () =>
  inFolder(async (cwd) => {
    await start(() => problem('conflict', 412));
    writeFileSync(join(cwd, 'old.yaml'), `version: 2\n${WIDER}`);
    expect((await mandate(cwd, 'set', 'old.yaml')).code).toBe(1);
    expect(host?.seen.map(({ ifMatch }) => ifMatch)).toEqual(['2']);
  }));

test('says what a file would change and is 1; is 0 where it changes nothing', () =>
  inFolder(async (cwd) => {
    await start();
    writeFileSync(join(cwd, 'wider.yaml'), WIDER);
    const wider = await mandate(cwd, 'diff', 'wider.yaml');
    expect(wider).toMatchObject({ code: 1, stdout: expect.stringMatching(/^\+ term .*jar__\*/) });
    const same = await mandate(cwd, 'diff', JSON.stringify(MANDATE), '--json');
    expect(same.code).toBe(0);
    expect(JSON.parse(same.stdout)).toEqual({ removed: [], added: [] });
  }));

test('is 2 for a file that is no mandate', () =>
  inFolder(async (cwd) => {
    await start();
    writeFileSync(join(cwd, 'list.yaml'), '- a\n');
    expect((await mandate(cwd, 'set', 'list.yaml')).code).toBe(2);
    expect((await mandate(cwd, 'set', 'missing.yaml')).code).toBe(2);
    expect(host?.seen).toEqual([]);
  }));
