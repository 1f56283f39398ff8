import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Decision, type ErrorCode } from '@countersign/contracts';

export type Seen = {
  readonly route: string;
  readonly query: URLSearchParams;
  readonly token: string | undefined;
  readonly ifMatch: string | undefined;
  readonly body: unknown;
};
type Handler = (request: Seen) => { readonly status?: number; readonly body?: unknown };
export type FakeHost = {
  readonly url: string;
  readonly seen: Seen[];
  readonly send: (event: object) => void;
  readonly close: () => Promise<void>;
};

/** Answers `METHOD /path` as told, everything else as not found, and remembers what it was asked. */
export async function fakeHost(routes: Readonly<Record<string, Handler>>): Promise<FakeHost> {
  const seen: Seen[] = [];
  const streams = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    if (url.pathname === '/events') {
      streams.add(response.writeHead(200, { 'content-type': 'text/event-stream' }));
      response.write(': open\n\n');
      return;
    }
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const asked: Seen = {
      route: `${request.method} ${url.pathname}`,
      query: url.searchParams,
      token: request.headers.authorization?.replace('Bearer ', ''),
      ifMatch: request.headers['if-match'],
      body: text === '' ? undefined : JSON.parse(text),
    };
    seen.push(asked);
    const { status = 200, body } = (routes[asked.route] ?? (() => problem('not_found', 404)))(asked);
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    send: (event) => {
      for (const stream of streams) stream.write(`event: ${(event as { type: string }).type}\nid: 1\ndata: ${JSON.stringify(event)}\n\n`);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const problem = (code: ErrorCode, status: number, detail = 'Because.') => ({
  status,
  body: { type: 'about:blank', title: code, status, code, detail },
});

const ID = '01jdqz6v8me2ks1nxh8v4yq3bk';
export const DECISION_ID = `dec_${ID}`;
const DIGEST = `sha256:${'ab'.repeat(32)}`;

/** A pending decision about a payment of 250 to Northwind, a valid one by the contracts. */
export function aDecision(more: Partial<Decision> = {}): Decision {
  return Decision.parse({
    id: DECISION_ID,
    kind: 'call',
    state: 'pending',
    version: 3,
    shownDigest: DIGEST,
    title: 'Send $250 to Northwind',
    principal: 'ben',
    answerBy: ['ben'],
    needs: 1,
    agent: 'treasurer',
    chain: [{ run: 'run_1', agent: 'treasurer', principal: 'ben', question: 'Pay what is due' }],
    grounds: [
      {
        kind: 'rule',
        rule: 'large-payment',
        effect: 'ask',
        reason: 'More than $100 leaves the account at once.',
        when: 'the amount is above $100',
        answerBy: ['ben'],
        needs: 1,
        expiresMs: 86_400_000,
        irreversible: false,
        mode: 'enforce',
      },
    ],
    irreversible: false,
    call: {
      id: `call_${ID}`,
      tool: 'ledger__send_money',
      arguments: { to: 'Northwind', amount: 250 },
      digest: DIGEST,
      state: 'held',
      effectiveArguments: null,
    },
    request: null,
    context: { seen: {}, claimed: null },
    answers: [],
    evidence: [],
    outcome: null,
    supersedes: null,
    relay: [],
    supersededBy: null,
    afterRefusalOf: null,
    allowed: ['approve', 'refuse'],
    rememberTerm: null,
    createdAt: '2026-11-30T11:56:00.000Z',
    expiresAt: '2026-12-01T11:56:00.000Z',
    settledAt: null,
    settledReason: null,
    ...more,
  });
}

/** The same with other arguments. */
export function aDecisionOn(args: Record<string, unknown>, more: Partial<Decision> = {}): Decision {
  const decision = aDecision(more);
  return { ...decision, call: decision.call && { ...decision.call, arguments: args } };
}
