import type { ServerResponse } from 'node:http';
import type { Caller, JsonObject } from '@countersign/engine';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Era, type RequestId, RPC, rpcError } from './rpc.ts';
import type { Shared } from './shared.ts';
import { writeError } from './write.ts';

/**
 * Answers tools/list from the bytes that were serialised once for this set of tools. There is one page. It does not go through the SDK, which
 * would parse five hundred definitions for every caller and drop whatever its schema does not know.
 */
export function serveList(
  shared: Shared,
  exchange: {
    readonly era: Era;
    readonly caller: Caller;
    readonly id: RequestId;
    readonly params: JsonObject;
    readonly response: ServerResponse;
  },
): void {
  const { era, caller, id, params, response } = exchange;
  if (params.cursor !== undefined) {
    writeError(response, 200, id, rpcError(RPC.invalidParams, 'Invalid params: this cursor does not exist', 'input.invalid'));
    return;
  }
  const head = Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`);
  const tools = shared.lists(caller).json(era);
  const tail = Buffer.from(era === 'modern' ? `,${JSON.stringify(modernFields(shared)).slice(1)}}` : '}}');
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': head.length + tools.length + tail.length });
  response.cork();
  response.write(head);
  response.write(tools);
  response.end(tail);
}

/** Lists differ by authorization, so nobody may share them between callers. */
const modernFields = ({ timing, info }: Shared) => ({
  resultType: 'complete',
  ttlMs: timing.listTtl,
  cacheScope: 'private',
  _meta: { [SERVER_INFO_META_KEY]: info },
});
