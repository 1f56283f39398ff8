import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '@countersign/engine';
import { createMcpHandler, type McpHttpHandler, Server } from '@modelcontextprotocol/server';
import type { Envelope } from './envelope.ts';
import { instructionsFor } from './instructions.ts';
import type { Listeners } from './listeners.ts';
import { RPC, rpcError } from './rpc.ts';
import { answerBySdk } from './sdk-bridge.ts';
import { serveCall } from './serve-call.ts';
import { serveList } from './serve-list.ts';
import type { Shared } from './shared.ts';
import { writeError } from './write.ts';

/** A POST of revision 2026-07-28 whose caller is known. */
export type ModernExchange = {
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly secret: string | null;
  readonly requestId: string;
  readonly envelope: Extract<Envelope, { kind: 'modern' }>;
  readonly message: unknown;
  readonly response: ServerResponse;
};

/** Serves revision 2026-07-28, which keeps nothing between requests: calls and lists by ourselves, the rest by SDK objects made for it alone. */
export async function serveModern(shared: Shared, listeners: Listeners, exchange: ModernExchange): Promise<void> {
  const { envelope, caller, headers, response, requestId } = exchange;
  if (envelope.isRequest && envelope.method === 'tools/call') {
    const { id, params } = envelope;
    return serveCall(shared, { era: 'modern', caller, id, params, headers, response, requestId, origin: standingOrigin(caller) });
  }
  if (envelope.isRequest && envelope.method === 'tools/list') {
    return serveList(shared, { era: 'modern', caller, id: envelope.id, params: envelope.params, response });
  }
  const handler = handlerFor(shared, caller, requestId);
  const release = envelope.method === 'subscriptions/listen' ? listeners.add(exchange, handler) : () => undefined;
  if (!release) {
    const id = envelope.isRequest ? envelope.id : null;
    return writeError(response, 429, id, rpcError(RPC.internal, 'Subscription limit reached', 'limit.reached'));
  }
  response.once('close', release);
  await answerBySdk(handler.fetch, { method: 'POST', headers, message: exchange.message }, response, (error) =>
    shared.deps.log.error({ err: error, requestId }, 'a request of revision 2026-07-28 failed unexpectedly'),
  );
}

/** Without sessions, all calls of one agent belong to its standing piece of work. */
const standingOrigin = ({ agent, principal }: Caller): string => `standing:${agent?.name ?? principal?.name ?? 'anonymous'}`;

function handlerFor({ deps, info, timing }: Shared, caller: Caller, requestId: string): McpHttpHandler {
  const makeServer = () =>
    new Server(info, {
      capabilities: { tools: { listChanged: true } },
      instructions: instructionsFor(caller),
      cacheHints: { 'server/discover': { ttlMs: timing.listTtl, cacheScope: 'private' } },
    });
  return createMcpHandler(makeServer, {
    legacy: 'reject',
    keepAliveMs: timing.keepalive,
    onerror: (error) => deps.log.debug({ err: error, requestId }, 'the SDK reported an error of revision 2026-07-28'),
  });
}
