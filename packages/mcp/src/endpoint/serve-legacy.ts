import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '@countersign/engine';
import { type Envelope, legacyVersionRefusal } from './envelope.ts';
import { oneHeader } from './header-values.ts';
import { type RequestId, RPC, rpcError } from './rpc.ts';
import { answerBySdk } from './sdk-bridge.ts';
import { serveCall } from './serve-call.ts';
import { serveList } from './serve-list.ts';
import type { Session, Sessions } from './sessions.ts';
import type { Shared } from './shared.ts';
import { writeError } from './write.ts';

/** A request of a 2025 revision whose caller is known. `envelope` and `message` are there for a POST. */
export type LegacyExchange = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly caller: Caller;
  readonly secret: string | null;
  readonly requestId: string;
  readonly envelope: Extract<Envelope, { kind: 'legacy' }> | undefined;
  readonly message: unknown;
  readonly response: ServerResponse;
};

const SESSION_NOT_FOUND = rpcError(-32001, 'Session not found', 'not_found');

/** Serves the 2025 revisions, with sessions: calls and lists by ourselves, everything else by the session's own SDK objects. */
export async function serveLegacy(shared: Shared, sessions: Sessions, exchange: LegacyExchange): Promise<void> {
  const { envelope, headers, caller, response } = exchange;
  const id = envelope?.isRequest ? envelope.id : null;
  if (envelope?.isInitialize) return initialize(shared, sessions, exchange, id);

  const sessionId = oneHeader(headers, 'mcp-session-id');
  if (sessionId === undefined) {
    const error = rpcError(RPC.invalidRequest, 'Mcp-Session-Id header is required: open a session with initialize first', 'input.invalid');
    return writeError(response, 400, id, error);
  }
  const session = sessions.find(sessionId, caller);
  if (!session) return writeError(response, 404, id, SESSION_NOT_FOUND);
  const refusal = legacyVersionRefusal(headers);
  if (refusal) return writeError(response, 400, id, refusal);

  if (envelope?.method === 'notifications/cancelled') cancelCall(session, envelope.params.requestId);
  if (envelope?.isRequest && envelope.method === 'tools/call') return callInSession(shared, session, exchange, envelope);
  if (envelope?.isRequest && envelope.method === 'tools/list') {
    session.fingerprint = shared.lists(caller).fingerprint;
    return serveList(shared, { era: 'legacy', caller, id: envelope.id, params: envelope.params, response });
  }
  await bySdk(shared, session, exchange);
}

async function initialize(shared: Shared, sessions: Sessions, exchange: LegacyExchange, id: RequestId | null): Promise<void> {
  const { caller, secret, response } = exchange;
  const session = await sessions.open(caller, secret);
  if (!session) {
    const error = rpcError(
      RPC.invalidRequest,
      'Too many sessions are open for this credential, and all of them are in use',
      'limit.reached',
    );
    return writeError(response, 429, id, error);
  }
  await bySdk(shared, session, exchange);
  if (!sessions.find(session.id, caller)) await sessions.end(session);
}

async function bySdk({ deps }: Shared, session: Session, exchange: LegacyExchange): Promise<void> {
  const { method, headers, message, response, requestId } = exchange;
  session.openStreams += 1;
  response.once('close', () => {
    session.openStreams -= 1;
    session.lastUsedAt = deps.now();
  });
  await answerBySdk(
    (request, options) => session.transport.handleRequest(request, options),
    { method, headers, message },
    response,
    (error) => deps.log.error({ err: error, requestId }, 'a request of a 2025 revision failed unexpectedly'),
  );
}

async function callInSession(
  shared: Shared,
  session: Session,
  { caller, headers, response, requestId }: LegacyExchange,
  { id, params }: { readonly id: RequestId; readonly params: Readonly<Record<string, unknown>> },
): Promise<void> {
  await serveCall(shared, {
    era: 'legacy',
    caller,
    id,
    params,
    headers,
    response,
    requestId,
    origin: session.origin,
    onCancel(cancel) {
      let end: () => void = () => undefined;
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      const call = { id, cancel, over };
      session.calls.add(call);
      return () => {
        session.calls.delete(call);
        session.lastUsedAt = shared.deps.now();
        end();
      };
    },
  });
}

function cancelCall(session: Session, requestId: unknown): void {
  for (const call of session.calls) if (call.id === requestId) call.cancel();
}
