import { LANE_CEILING, type Lane, OWN_TOOL_SCOPE, type Scope } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { clockFindings } from '../../src/doctor/clock-findings.ts';
import { examine } from '../../src/doctor/examine.ts';
import { isRecord } from '../../src/endpoint/rpc.ts';
import { aTool, fakeGate } from '../endpoint/fake-gate.ts';
import { serveEndpoint } from '../endpoint/loopback.ts';
import { type Meddling, serveMeddling } from './servers.ts';

const SECRET: Record<Lane, string | undefined> = {
  anonymous: undefined,
  probation: 'csa_newcomer',
  member: 'csa_researcher',
  principal: 'csp_ada',
};
const OWN: Record<Lane, number> = { anonymous: 3, probation: 10, member: 14, principal: 15 };
const NOT_EXAMINED = expect.objectContaining({ code: 'host.not_examined', severity: 'note' });

/** A gate with nothing wrong, whose writing operations fail the test when they are asked for anything. */
function quietGate() {
  const never = async (): Promise<never> => {
    throw new Error('doctor did something');
  };
  return fakeGate({
    requestDecision: never,
    fileEvidence: never,
    withdrawDecision: never,
    getDecision: never,
    awaitDecision: never,
    askAgent: never,
    nextQuestion: never,
    answerQuestion: never,
    setMandate: never,
    takeNotes: never,
  });
}

async function examineThrough(meddling: Meddling, token: string | undefined, now?: () => number) {
  const { url } = await serveEndpoint(fakeGate().deps);
  const report = await examine(await serveMeddling(url, meddling), { token, ...(now && { now }) });
  return { report, codes: report.findings.map(({ code }) => code).filter((code) => code !== 'host.not_examined') };
}

/** Whether a request calls this tool, in either era. */
const calls = (body: string, tool: string): boolean => {
  const message: unknown = body === '' ? {} : JSON.parse(body);
  return isRecord(message) && message.method === 'tools/call' && isRecord(message.params) && message.params.name === tool;
};

describe.each(Object.entries(OWN) as [Lane, number][])('examined from the %s lane', (lane, own) => {
  it('says which lane it is and why, that all that is listed can be called, and what would show the rest', async () => {
    const { url } = await serveEndpoint(quietGate().deps);
    const report = await examine(url.href, { token: SECRET[lane] });
    const upstream = lane === 'member' || lane === 'principal' ? 2 : 0;
    const why = lane === 'anonymous' ? 'The request carries no credential.' : `A test made it ${lane}.`;
    expect(report).toMatchObject({ url: url.href, isReached: true, lane, why, tools: { listed: own, callable: own, upstream } });
    expect(report.eras).toEqual([
      { era: '2025-11-25', handshake: 'initialize', isServed: true, lane, tools: { listed: own, callable: own, upstream } },
      { era: '2026-07-28', handshake: 'server/discover', isServed: true, lane, tools: { listed: own, callable: own, upstream } },
    ]);
    const ceiling: readonly Scope[] = LANE_CEILING[lane];
    const hidden = Object.entries({ ...OWN_TOOL_SCOPE, server__tool: 'tools:call' as const }).filter(
      ([, scope]) => !ceiling.includes(scope),
    );
    expect(report.tools.missing.map(({ name, scope }) => [name, scope])).toEqual(hidden);
  });
});

describe('an endpoint that is as it should be', () => {
  it('is healthy for a member: nothing found, and only a note of what was not looked for', async () => {
    const { url } = await serveEndpoint(quietGate().deps);
    const { findings } = await examine(url.href, { token: SECRET.member });
    expect(findings).toEqual([NOT_EXAMINED]);
  });

  it('has no session left, no upstream tool called, and no tool of its own made to do anything', async () => {
    const gate = quietGate();
    const { url, endpoint } = await serveEndpoint(gate.deps);
    for (const token of Object.values(SECRET)) await examine(url.href, { token });
    expect(endpoint.sessionCount()).toBe(0);
    const known = new Set(gate.tools.map(({ key }) => key));
    expect(gate.calls.filter(({ tool }) => known.has(tool))).toEqual([]);
    expect(gate.logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('says in one line that no token came, so that a lost one is noticed', async () => {
    const { url } = await serveEndpoint(quietGate().deps);
    const { findings } = await examine(url.href);
    expect(findings).toEqual([
      {
        code: 'token.missing',
        severity: 'warning',
        message: "No token came with the request, so this is the anonymous lane: 3 of the host's own 15 tools and no upstream tool.",
        fix: expect.stringContaining('countersign agents token NAME'),
      },
      NOT_EXAMINED,
    ]);
  });

  it('says who has to admit an agent on probation', async () => {
    const { url } = await serveEndpoint(quietGate().deps);
    const { findings, tools } = await examine(url.href, { token: SECRET.probation });
    expect(findings[0]).toMatchObject({
      code: 'agent.probation',
      severity: 'warning',
      message: "newcomer is on probation until ada admits it: 10 of the host's own 15 tools and no upstream tool.",
      fix: 'Admit it: countersign agents admit newcomer',
    });
    expect(tools.missing.find(({ name }) => name === 'ask_agent')?.because).toBe('needs the member lane: its principal admits it');
  });

  it("notes that a principal's token is no agent's, and counts it as healthy", async () => {
    const { url } = await serveEndpoint(quietGate().deps);
    const { findings, tools } = await examine(url.href, { token: SECRET.principal });
    expect(findings.map(({ code, severity }) => [code, severity])).toEqual([
      ['token.of_principal', 'note'],
      ['host.not_examined', 'note'],
    ]);
    expect(tools.missing).toEqual([]);
  });

  it('is told that it lists no upstream tool though it may', async () => {
    const gate = quietGate();
    gate.tools = [];
    const { url } = await serveEndpoint(gate.deps);
    const { findings } = await examine(url.href, { token: SECRET.member });
    expect(findings.map(({ code }) => code)).toEqual(['upstream.no_tools', 'host.not_examined']);
  });

  it('lists tools of upstream servers that look like ours without doctor calling them', async () => {
    const gate = quietGate();
    gate.tools = [aTool('files__whoami'), aTool('x__next_question')];
    const { url } = await serveEndpoint(gate.deps);
    expect((await examine(url.href, { token: SECRET.member })).tools).toMatchObject({ listed: 14, upstream: 2 });
    expect(gate.calls.filter(({ tool }) => tool.includes('__'))).toEqual([]);
  });
});

describe('something between that meddles', () => {
  it('and drops the token is told apart from a token that was never given', async () => {
    const { codes, report } = await examineThrough(
      { request: ({ headers: { authorization: _, ...headers } }) => ({ headers }) },
      SECRET.member,
    );
    expect(codes).toEqual(['token.missing']);
    expect(report.findings[0]).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('You gave a token and the host saw none'),
    });
  });

  it('and drops the lane header changes nothing: the host says it otherwise', async () => {
    const { codes, report } = await examineThrough(
      { response: (_, { headers: { 'countersign-lane': __, ...headers } }) => ({ headers }) },
      SECRET.member,
    );
    expect([report.lane, codes]).toEqual(['member', []]);
  });

  it('and lets a listed tool answer as an absent one is found', async () => {
    const unknown = (body: string) =>
      JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, error: { code: -32602, message: 'Unknown tool: list_rules' } });
    const { codes, report } = await examineThrough(
      { response: ({ body }) => (calls(body, 'list_rules') ? { body: unknown(body) } : {}) },
      SECRET.member,
    );
    expect(codes).toEqual(['tool.not_callable', 'tool.not_callable']);
    expect(report.tools).toMatchObject({ listed: 14, callable: 13 });
    expect(report.findings[0]?.message).toBe('Listed in revision 2025-11-25, and a call of it fails: list_rules.');
  });

  it.each([
    ['a byte more in the answer', (body: string) => ({ body: body.replace('Unknown tool', 'Hidden tool') })],
    ['another status', () => ({ status: 403 })],
    ['another content type', () => ({ headers: { 'content-type': 'text/plain' } })],
  ])('and lets a hidden tool differ from an absent one by %s is found (D5)', async (_, spoil) => {
    const { codes, report } = await examineThrough(
      { response: ({ body }, answer) => (calls(body, 'set_mandate') ? spoil(answer.body) : {}) },
      SECRET.member,
    );
    expect(codes).toEqual(['tool.not_hidden', 'tool.not_hidden']);
    expect(report.findings[1]?.message).toContain('set_mandate');
  });

  it('and keeps a list of another caller for one era is found', async () => {
    const cut = (body: string) => {
      const message = JSON.parse(body);
      message.result.tools = message.result.tools.filter(({ name }: { name: string }) => name !== 'files__read');
      return JSON.stringify(message);
    };
    const { report } = await examineThrough(
      {
        response: ({ headers, body }, answer) =>
          headers['mcp-protocol-version'] === '2025-11-25' && body.includes('"tools/list"') ? { body: cut(answer.body) } : {},
      },
      SECRET.member,
    );
    expect(report.findings[0]).toMatchObject({
      code: 'eras.disagree',
      severity: 'error',
      message: 'Revisions 2025-11-25 and 2026-07-28 show different things to the same caller: only 2026-07-28 lists files__read.',
    });
  });

  it('only once, as when something changes between two looks, is looked at again and not found', async () => {
    let isFirst = true;
    const { codes } = await examineThrough(
      {
        response: ({ body }, answer) => {
          if (!isFirst || !body.includes('"tools/list"')) return {};
          isFirst = false;
          return { body: answer.body.replace('files__read', 'files__reads') };
        },
      },
      SECRET.member,
    );
    expect([isFirst, codes]).toEqual([false, []]);
  });

  it('and keeps one era from working is found, and the other one still examined', async () => {
    const { codes, report } = await examineThrough(
      { response: ({ body }) => (body.includes('"initialize"') ? { status: 500, body: '<h1>Bad Gateway</h1>', headers: {} } : {}) },
      SECRET.member,
    );
    expect(codes).toEqual(['era.failed']);
    expect(report.findings[0]?.message).toMatch(/^Clients of revision 2025-11-25 can't work here: /);
    expect(report.eras.map(({ isServed }) => isServed)).toEqual([false, true]);
    expect(report.tools.listed).toBe(14);
  });

  it('and opens a schema leaves that tool untried', async () => {
    const open = (body: string) => {
      const message = JSON.parse(body);
      const tool = message.result.tools.find(({ name }: { name: string }) => name === 'next_question');
      tool.inputSchema = { type: 'object', properties: {} };
      return JSON.stringify(message);
    };
    const { codes, report } = await examineThrough(
      { response: ({ body }, answer) => (body.includes('"tools/list"') ? { body: open(answer.body) } : {}) },
      SECRET.member,
    );
    expect(codes).toEqual(['tool.not_probed', 'tool.not_probed']);
    expect(report.tools).toMatchObject({ listed: 14, callable: 13 });
  });

  it('and has no time for so many requests is no fault of a tool', async () => {
    const { codes, report } = await examineThrough(
      { response: ({ body }) => (calls(body, 'query_audit') ? { status: 429 } : {}) },
      SECRET.member,
    );
    expect(codes).toEqual(['era.failed', 'era.failed']);
    expect(report.findings[0]?.message).toContain('the host answered 429 while its tools were tried');
  });
});

describe('the clocks', () => {
  const withDate = (date: Date): Meddling => ({ response: (_, { headers }) => ({ headers: { ...headers, date: date.toUTCString() } }) });
  const NOON = Date.parse('2026-11-30T12:00:00.000Z');

  it.each([
    [NOON + 90_000, "The host's clock is 91 s ahead of this machine's"],
    [NOON - 600_000, "The host's clock is 600 s behind this machine's"],
  ])('are found to differ by more than deadlines bear', async (at, words) => {
    const { report, codes } = await examineThrough(withDate(new Date(at)), SECRET.member, () => NOON);
    expect(codes).toEqual(['clock.skewed']);
    expect(report.findings[0]).toMatchObject({ severity: 'warning', message: expect.stringContaining(words) });
  });

  it('may differ by some seconds, or not be told at all', async () => {
    expect((await examineThrough(withDate(new Date(NOON + 20_000)), SECRET.member, () => NOON)).codes).toEqual([]);
    expect(clockFindings(null)).toEqual([]);
  });

  it('are compared by the quickest answer, and no better than the way there allows', () => {
    expect(clockFindings({ sentAt: 0, receivedAt: 60_000, serverAt: 80_000 })).toEqual([]);
    expect(clockFindings({ sentAt: 0, receivedAt: 200, serverAt: 80_000 })).toHaveLength(1);
  });
});
