import { type Finding, fail, type HostFindings, ok, type Readiness, type Result } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { examine } from '../../src/doctor/examine.ts';
import { fakeGate } from '../endpoint/fake-gate.ts';
import { serveEndpoint } from '../endpoint/loopback.ts';
import { serveHttp } from './servers.ts';

const DRIFT: Finding = { code: 'config.drift', severity: 'note', message: 'The file says other.', fix: 'Nothing to do.' };
const NOBODY: Finding = { code: 'rule.nobody_can_answer', severity: 'error', message: 'Nobody answers eat.', fix: 'Name somebody.' };
const DOWN: Finding = { code: 'upstream.down', severity: 'error', message: 'files is down. It said why.', fix: 'Start it.' };
const found = (...findings: Finding[]): Result<HostFindings> => ok({ checkedAt: '2026-11-30T12:00:00.000Z', findings });

/** An endpoint whose host also answers /readyz, as anybody may ask it. */
async function serveHost(readiness: Readiness, tools = fakeGate().tools): Promise<string> {
  const gate = fakeGate();
  gate.tools = tools;
  const { endpoint } = await serveEndpoint(gate.deps);
  return serveHttp((request, response) => {
    if (request.url === '/mcp') return void endpoint.serve(request, response);
    response.writeHead(readiness.ready ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(readiness));
  });
}

const READY: Readiness = {
  ready: true,
  checks: [
    { name: 'database', ok: true },
    { name: 'upstream files', ok: true },
  ],
};
const FILES_DOWN: Readiness = {
  ready: true,
  checks: [
    { name: 'database', ok: true },
    { name: 'upstream files', ok: false },
  ],
};

describe('what only the host can see', () => {
  it('stands among the findings, the worst first', async () => {
    const origin = await serveHost(READY);
    const asked: string[] = [];
    const { findings } = await examine(origin, {
      token: 'csa_newcomer',
      askHost: async (host) => {
        asked.push(host);
        return found(DRIFT, NOBODY);
      },
    });
    expect(findings.map(({ code }) => code)).toEqual(['rule.nobody_can_answer', 'agent.probation', 'config.drift']);
    expect(asked).toEqual([origin]);
  });

  it('is told even to whoever brought a wrong token', async () => {
    const origin = await serveHost(READY);
    const { findings } = await examine(origin, { token: 'csa_nobody', askHost: async () => found(NOBODY) });
    expect(findings.map(({ code }) => code)).toEqual(['token.refused', 'rule.nobody_can_answer']);
  });

  it('is not asked for at an address that is no host', async () => {
    const origin = await serveHttp((_, response) => response.end('hello'));
    const { findings } = await examine(origin, {
      askHost: async () => {
        throw new Error('it was asked');
      },
    });
    expect(findings.map(({ code }) => code)).toEqual(['endpoint.not_mcp']);
  });

  it('is said not to have been looked for where nobody may ask, or the host refuses', async () => {
    const origin = await serveHost(READY);
    const unasked = await examine(origin, { token: 'csa_researcher' });
    expect(unasked.findings).toEqual([expect.objectContaining({ code: 'host.not_examined', severity: 'note' })]);
    const refused = await examine(origin, { token: 'csa_researcher', askHost: async () => fail('credential.invalid', 'No such token.') });
    expect(refused.findings).toEqual([
      expect.objectContaining({ code: 'host.not_examined', message: expect.stringContaining('No such token.') }),
    ]);
  });
});

describe('what the host tells anybody', () => {
  it('names the upstream server that is down', async () => {
    const { findings } = await examine(await serveHost(FILES_DOWN), { token: 'csa_researcher' });
    expect(findings[0]).toEqual({
      code: 'upstream.down',
      severity: 'error',
      message: 'The upstream server files is not connected: calls of its tools fail.',
      fix: 'Start it, or correct servers.files in the config; the host tries again by itself.',
    });
  });

  it('explains an empty list of upstream tools, which then needs no line of its own', async () => {
    const { findings } = await examine(await serveHost(FILES_DOWN, []), { token: 'csa_researcher' });
    expect(findings.map(({ code }) => code)).toEqual(['upstream.down', 'host.not_examined']);
  });

  it('gives way to what the host says in full', async () => {
    const { findings } = await examine(await serveHost(FILES_DOWN), { token: 'csa_researcher', askHost: async () => found(DOWN) });
    expect(findings).toEqual([DOWN]);
  });

  it('says that the host can not work now', async () => {
    const origin = await serveHost({ ready: false, checks: [{ name: 'database', ok: false }] });
    const { findings } = await examine(origin, { token: 'csa_researcher' });
    expect(findings[0]).toMatchObject({ code: 'host.not_ready', message: expect.stringContaining('database') });
  });

  it('may be closed off, which is no fault', async () => {
    const { endpoint } = await serveEndpoint(fakeGate().deps);
    const origin = await serveHttp((request, response) =>
      request.url === '/mcp' ? void endpoint.serve(request, response) : response.writeHead(404).end('{"ready":"no"}'),
    );
    const { findings } = await examine(origin, { token: 'csa_researcher' });
    expect(findings.map(({ code }) => code)).toEqual(['host.not_examined']);
  });
});
