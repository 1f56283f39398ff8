import type { IncomingHttpHeaders } from 'node:http';
import { classifyInboundRequest, SUPPORTED_PROTOCOL_VERSIONS, UnsupportedProtocolVersionError } from '@modelcontextprotocol/server';
import { headerMismatch, oneHeader, readHeaderValue } from './header-values.ts';
import { idOf, isRecord, type RequestId, RPC, type RpcError, rpcError } from './rpc.ts';

export const MODERN_REVISION = '2026-07-28';

type Request = {
  readonly isRequest: true;
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
};
type Other = { readonly isRequest: false; readonly method: string | null; readonly params: Readonly<Record<string, unknown>> };

/** What a POST carries, read once: which era it belongs to and what it asks, or why it is refused. */
export type Envelope =
  | ({ readonly kind: 'legacy'; readonly isInitialize: boolean } & (Request | Other))
  | ({ readonly kind: 'modern' } & (Request | Other))
  | { readonly kind: 'refused'; readonly status: number; readonly id: RequestId | null; readonly error: RpcError };

const NOTHING: Readonly<Record<string, unknown>> = Object.freeze({});

/**
 * The era comes from the body (the 2026-07-28 `_meta` envelope), headers only cross-check it. Refused as the revisions prescribe: malformed
 * envelopes, header and body that disagree, revisions that nobody serves.
 */
export function readEnvelope(headers: IncomingHttpHeaders, message: unknown): Envelope {
  const version = oneHeader(headers, 'mcp-protocol-version');
  const method = oneHeader(headers, 'mcp-method');
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    body: message,
  });
  if (route.kind === 'reject') {
    const { httpStatus, code, data } = route;
    return {
      kind: 'refused',
      status: httpStatus,
      id: idOf(message),
      error: { code, message: route.message, ...(data !== undefined && { data }) },
    };
  }
  const content = contentOf(message);
  if (route.kind === 'legacy') return { kind: 'legacy', isInitialize: route.reason === 'initialize', ...content };
  const refusal = content.isRequest ? modernRefusal(headers, version, method, content, route.classification.revision) : undefined;
  return refusal ?? { kind: 'modern', ...content };
}

function contentOf(message: unknown): Request | Other {
  const { method, params } = message as { method?: unknown; params?: unknown };
  const id = idOf(message);
  const given = isRecord(params) ? params : NOTHING;
  if (typeof method !== 'string') return { isRequest: false, method: null, params: given };
  return id === null ? { isRequest: false, method, params: given } : { isRequest: true, id, method, params: given };
}

/** The checks that 2026-07-28 asks of every request: a revision that is served, and the standard headers, equal to the body. */
function modernRefusal(
  headers: IncomingHttpHeaders,
  version: string | undefined,
  method: string | undefined,
  request: Request,
  revision: string | undefined,
): Envelope | undefined {
  if (revision !== MODERN_REVISION) {
    const { code, message, data } = new UnsupportedProtocolVersionError({ supported: [MODERN_REVISION], requested: revision ?? 'unknown' });
    return { kind: 'refused', status: 400, id: request.id, error: { code, message, data } };
  }
  const refuse = (header: string, why: string): Envelope => ({
    kind: 'refused',
    status: 400,
    id: request.id,
    error: headerMismatch(header, why),
  });
  if (version === undefined) return refuse('(missing)', 'the required MCP-Protocol-Version header is absent');
  if (method === undefined) return refuse('(missing)', 'the required Mcp-Method header is absent');
  const { name } = request.params;
  if (request.method !== 'tools/call' || typeof name !== 'string') return undefined;
  const header = oneHeader(headers, 'mcp-name');
  if (header === undefined) return refuse('(missing)', 'the required Mcp-Name header is absent');
  const named = readHeaderValue(header);
  if (named === undefined) return refuse(header, 'the Mcp-Name header is not valid Base64 of UTF-8 text');
  return named === name ? undefined : refuse(header, 'the Mcp-Name header does not name the tool that the body calls');
}

/** Why a session request of the 2025 revisions is refused for the version it names, if it is. */
export function legacyVersionRefusal(headers: IncomingHttpHeaders): RpcError | undefined {
  const version = oneHeader(headers, 'mcp-protocol-version');
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  return rpcError(
    RPC.invalidRequest,
    `Unsupported protocol version. Supported: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`,
    'input.invalid',
  );
}
