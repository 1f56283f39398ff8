import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@countersign/client';
import type { Finding } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { writeHostFile } from '../src/data-folder.ts';
import { type RunningHost, startHost } from '../src/start/start-host.ts';
import { fakeHost } from './fake-host.ts';
import { inFolder, runCli } from './run-cli.ts';

const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];
const CONFIG = {
  server: { port: 0 },
  servers: { files: { command: '/nowhere/to/be/found' } },
  rules: [
    { id: 'remove', tool: 'files__remove', when: 'always', reason: 'It is gone then.' },
    { id: 'misspelt', tool: 'flies__*', when: 'always', reason: 'It matters.' },
  ],
  principals: { ada: { name: 'Ada Marsh', mandate: { scopes: SCOPES, terms: [{ tool: '*', when: 'anything' }] } } },
  agents: { researcher: { principal: 'ada', status: 'member' } },
};

/** A host on the data directory of a folder, as `start` leaves it. */
async function withHost(work: (cwd: string, running: RunningHost) => Promise<void>): Promise<void> {
  await inFolder(async (cwd) => {
    const dataDir = join(cwd, '.countersign');
    const configPath = join(cwd, 'countersign.yaml');
    mkdirSync(dataDir);
    writeFileSync(configPath, JSON.stringify(CONFIG));
    const options = { configPath, dataDir, port: 0, env: {}, version: '0.0.0', logLevel: 'fatal', onFirstStart: () => undefined };
    const started = await startHost(options);
    if (!started.ok) throw new Error(JSON.stringify(started.error));
    const running = started.value;
    writeHostFile(dataDir, { url: running.url, pid: process.pid });
    try {
      await work(cwd, running);
    } finally {
      await running.close();
    }
  });
}

type Report = {
  lane: string;
  why: string;
  eras: object[];
  tools: { listed: number; callable: number; missing: object[] };
  findings: Finding[];
};
const codes = (report: Report): string[] => report.findings.map(({ code }) => code);

test('examines the host of the data directory from outside and, with its operator secret, from inside', () =>
  withHost(async (cwd, { url, mcpUrl, host }) => {
    const operator = createClient({ url, token: host.operatorSecret });
    const issued = await operator.agents.issueCredential('researcher');
    const token = issued.ok ? issued.value.token : '';

    const inside = await runCli(['doctor', '--json', '--token', token], { cwd });
    const report = JSON.parse(inside.stdout) as Report;
    expect(inside.code).toBe(1);
    expect(report).toMatchObject({
      lane: 'member',
      why: 'researcher is a member, admitted by ada.',
      eras: [{ era: '2025-11-25' }, { era: '2026-07-28' }],
      tools: { listed: 14, callable: 14, missing: [{ name: 'set_mandate', scope: 'mandate:write', because: expect.any(String) }] },
    });
    expect(codes(report)).toEqual(['upstream.down', 'principal.unreachable', 'rule.never_matches', 'audit.unsealed']);
    expect(report.findings.find(({ code }) => code === 'rule.never_matches')?.message).toContain('The rule misspelt is for flies__*');

    // The same from where nobody may look inside: what the host tells anybody, and that there is more.
    const outside = await runCli(['doctor', mcpUrl, '--json', '--token', token]);
    expect(codes(JSON.parse(outside.stdout) as Report)).toEqual(['upstream.down', 'host.not_examined']);

    const principal = await operator.principals.issueToken('ada');
    const env = { COUNTERSIGN_TOKEN: principal.ok ? principal.value.token : '' };
    const asAda = await runCli(['doctor', mcpUrl, '--token', token], { env });
    expect(asAda.code).toBe(1);
    expect(asAda.stdout).toMatch(
      /^http:\S+\/mcp\nlane member: researcher is a member, admitted by ada\.\nresearcher acts for ada; the credential is good until /,
    );
    expect(asAda.stdout).toMatch(/\n2026-07-28 {2}server\/discover {2}member +14 +14 +0\n/);
    expect(asAda.stdout).toMatch(/\nerror {4}The upstream server files is down since .* \(upstream\.down\)\n {9}Fix: Start it, .*\n/);
    expect(asAda.stdout).toMatch(/\nFound: 1 error, 1 warning, 1 note\.\n$/);
  }));

test('ends with 2 where nothing answers, and says so in JSON too', async () => {
  const host = await fakeHost({});
  await host.close();
  const { code, stdout } = await runCli(['doctor', host.url, '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ lane: null, isReached: false, findings: [{ code: 'endpoint.unreachable' }] });
  const nowhere = await runCli(['doctor']);
  expect(nowhere.code).toBe(2);
  expect(nowhere.stderr).toContain('No host runs on');
});
