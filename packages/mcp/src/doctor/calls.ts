/** Requests by hand, for where the raw bytes of the answer matter. */
import type { EraName } from './report.ts';
import type { Exchange, Wire } from './wire.ts';

export const CLIENT = { name: 'countersign-doctor', version: '1' } as const;
const REVISION = '2026-07-28';

/** A request of revision 2026-07-28. */
export function modernRequest(method: string, params: object, id: string | number) {
  const { name } = params as { readonly name?: string };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': CLIENT,
  };
  return {
    headers: { 'mcp-protocol-version': REVISION, 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
  };
}

export type RawCall = (name: string, args: object) => Promise<Exchange & { readonly id: string }>;

/** tools/call by hand; `sessionId` is that of an open session of the 2025 revisions. Ids are all of one length and none comes twice. */
export function rawCalls(wire: Wire, url: URL, era: EraName, sessionId: string | undefined): RawCall {
  let next = 100;
  return async (name, args) => {
    const id = `doctor-${next++}`;
    const params = { name, arguments: args };
    const { headers, body } =
      era === REVISION
        ? modernRequest('tools/call', params, id)
        : {
            headers: { 'mcp-protocol-version': era, ...(sessionId !== undefined && { 'mcp-session-id': sessionId }) },
            body: { jsonrpc: '2.0', id, method: 'tools/call', params },
          };
    return { id, ...(await wire.send(url, { headers, body })) };
  };
}
