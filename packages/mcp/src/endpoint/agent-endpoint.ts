import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Failure, fail, LANE_HEADER } from '@countersign/contracts';
import type { Caller } from '@countersign/engine';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { DEFAULT_BOUNDS, scanJson } from '../ingress/scan.ts';
import { isOwnToolName } from '../tools/own-tools.ts';
import { readSecret, refuseCredential } from './credential.ts';
import { type AgentEndpoint, DEFAULT_LIMITS, DEFAULT_TIMING, type EndpointDeps, type EndpointRequest } from './endpoint-deps.ts';
import { enterRun } from './enter-run.ts';
import { type Envelope, MODERN_REVISION, readEnvelope } from './envelope.ts';
import { serverInfo } from './frame.ts';
import { oneHeader } from './header-values.ts';
import { createListChanges } from './list-changes.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { readBody } from './read-body.ts';
import { RPC, rpcError } from './rpc.ts';
import { serveLegacy } from './serve-legacy.ts';
import { serveModern } from './serve-modern.ts';
import { createSessions, type Sessions } from './sessions.ts';
import type { Shared } from './shared.ts';
import { createToolLists } from './tool-list.ts';
import { isOpen, writeError } from './write.ts';

/**
 * The agent endpoint `/mcp`: the 2025 revisions (sessions) and 2026-07-28 (stateless) on one URL. Each request is authenticated anew, its
 * body scanned before any parser of the SDK sees it, and each tools/call goes to the gate with the arguments that were scanned.
 */
export function createAgentEndpoint(deps: EndpointDeps): AgentEndpoint {
  const shared: Shared = {
    deps,
    limits: { ...DEFAULT_LIMITS, ...deps.limits },
    timing: { ...DEFAULT_TIMING, ...deps.timing },
    info: serverInfo(deps.version),
    lists: createToolLists(deps),
    onClosing: new Set(),
  };
  const sessions = createSessions(shared);
  const listeners = createListeners(shared);
  const changes = createListChanges(shared, sessions, listeners);
  let isClosed = false;

  async function handle(request: EndpointRequest, response: ServerResponse): Promise<void> {
    const requestId = request.requestId ?? randomUUID();
    // Until the caller is known there is no lane; a wrong credential has none.
    response.setHeader(LANE_HEADER, 'none');
    try {
      if (isClosed) return writeError(response, 503, null, rpcError(RPC.internal, 'The server is stopping', 'internal', { requestId }));
      await answer(shared, sessions, listeners, { ...request, requestId }, response);
    } catch (error) {
      deps.log.error({ err: error, requestId }, 'a request on the agent endpoint failed unexpectedly');
      writeError(response, 500, null, rpcError(RPC.internal, 'Internal error', 'internal', { requestId }));
      if (isOpen(response)) response.end();
    }
  }

  return {
    handle,
    async serve(request, response, requestId) {
      const { method = 'GET', headers } = request;
      const named = requestId === undefined ? {} : { requestId };
      const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
      try {
        const body = hasBody ? await readBody(request, maxBytes(shared)) : null;
        await handle({ method, headers, body, ...named }, response);
      } catch (error) {
        deps.log.debug({ err: error }, 'a client broke off while it sent its request');
      }
    },
    toolsChanged: changes.note,
    async close() {
      isClosed = true;
      changes.close();
      for (const answerNow of shared.onClosing) answerNow();
      await Promise.all([sessions.close(), listeners.close()]);
    },
    sessionCount: () => sessions.all().length,
  };
}

const maxBytes = ({ deps }: Shared): number => deps.bounds?.maxBytes ?? DEFAULT_BOUNDS.maxBytes;
const tooLarge = (shared: Shared) =>
  fail('ingress.too_large', `Refused: there are more than ${maxBytes(shared)} bytes.`, { pointer: '', offset: maxBytes(shared) });
const NO_BYTES = new Uint8Array();

type Incoming = EndpointRequest & { readonly requestId: string };

async function answer(
  shared: Shared,
  sessions: Sessions,
  listeners: Listeners,
  request: Incoming,
  response: ServerResponse,
): Promise<void> {
  const { method, headers, requestId } = request;
  const secret = readSecret(headers.authorization);
  if (!secret.ok) return refuseCredential(response, shared.deps.publicUrl, secret.error);

  if (method === 'GET' || method === 'DELETE') {
    const isOfSessions =
      oneHeader(headers, 'mcp-session-id') !== undefined && oneHeader(headers, 'mcp-protocol-version') !== MODERN_REVISION;
    // Revision 2026-07-28 has neither; a 2025 client without a session learns from the same answer that there is no stream for it.
    if (!isOfSessions) return refuseMethod(response, 'POST');
    const caller = await authenticate(shared, secret.value, 'current', response);
    if (!caller) return;
    return serveLegacy(shared, sessions, { ...request, caller, secret: secret.value, envelope: undefined, message: undefined, response });
  }
  if (method !== 'POST') return refuseMethod(response, 'GET, POST, DELETE');
  if (!isJsonContentType(oneHeader(headers, 'content-type') ?? null)) {
    const error = rpcError(RPC.invalidRequest, 'Unsupported Media Type: Content-Type must be application/json', 'input.invalid');
    return writeError(response, 415, null, error);
  }

  const scanned =
    request.body === 'too large' ? tooLarge(shared) : scanJson(request.body ?? NO_BYTES, { ...shared.deps.bounds, envelope: true });
  if (!scanned.ok) {
    const caller = await authenticate(shared, secret.value, 'current', response);
    if (caller) await refuseMalformed(shared, caller, scanned.error, requestId, response);
    return;
  }
  const message = scanned.value.value;
  const envelope = readEnvelope(headers, message);
  const alone = await authenticate(shared, secret.value, freshnessFor(envelope), response);
  const caller = alone && (await enterRun(shared, alone, envelope, response));
  if (!caller) return;
  const exchange = { method, headers, caller, secret: secret.value, requestId, message, response };
  switch (envelope.kind) {
    case 'refused':
      return writeError(response, envelope.status, envelope.id, envelope.error);
    case 'legacy':
      return serveLegacy(shared, sessions, { ...exchange, envelope });
    case 'modern':
      return serveModern(shared, listeners, { ...exchange, envelope });
  }
}

/** The caller as it stands now, its lane already on the response; undefined when the answer is 401 and written. */
async function authenticate(
  { deps }: Shared,
  secret: string | null,
  freshness: 'current' | 'cached',
  response: ServerResponse,
): Promise<Caller | undefined> {
  const caller = await deps.resolveCaller(secret, freshness);
  if (!caller.ok) {
    refuseCredential(response, deps.publicUrl, caller.error);
    return undefined;
  }
  // A browser's session lives in its cookie: whoever shows its secret here took it from there.
  if (caller.value.credential?.kind === 'session') {
    refuseCredential(response, deps.publicUrl, { message: 'This credential is for browsers alone.', detail: { reason: 'unknown' } });
    return undefined;
  }
  response.setHeader(LANE_HEADER, caller.value.lane);
  return caller.value;
}

/** Only the gate commits under the authority that was read; whatever else is asked for is judged by a fresh look. */
function freshnessFor(envelope: Envelope): 'current' | 'cached' {
  if (envelope.kind === 'refused' || envelope.method !== 'tools/call') return 'current';
  const { name } = envelope.params;
  return typeof name === 'string' && !isOwnToolName(name) ? 'cached' : 'current';
}

function refuseMethod(response: ServerResponse, allow: string): void {
  writeError(response, 405, null, rpcError(RPC.invalidRequest, 'Method not allowed', 'input.invalid'), { allow });
}

/** Names the place to the sender and keeps the attempt in the record. It is refused whether or not the record could be written. */
async function refuseMalformed(
  { deps }: Shared,
  caller: Caller,
  failure: Failure,
  requestId: string,
  response: ServerResponse,
): Promise<void> {
  const isUnreadable = failure.code === 'ingress.not_json' || failure.code === 'ingress.not_utf8';
  const status = failure.code === 'ingress.too_large' ? 413 : 400;
  await deps
    .recordMalformed(caller, failure)
    .catch((error: unknown) => deps.log.error({ err: error, requestId }, 'a malformed request could not be recorded'));
  const error = rpcError(isUnreadable ? RPC.parse : RPC.invalidRequest, failure.message, failure.code, { place: failure.detail });
  writeError(response, status, null, error, status === 413 ? { connection: 'close' } : {});
}
