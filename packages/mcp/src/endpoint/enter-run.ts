import type { ServerResponse } from 'node:http';
import { fail, META } from '@countersign/contracts';
import type { Caller } from '@countersign/engine';
import { notExecuted } from './agent-result.ts';
import type { Envelope } from './envelope.ts';
import { frameResult } from './frame.ts';
import { isRecord, RPC, resultMessage, rpcError } from './rpc.ts';
import type { Shared } from './shared.ts';
import { writeError, writeJson } from './write.ts';

/**
 * The caller within the run whose token its request carries: what it is listed and what it may call is then what the whole chain may. A request
 * without a token is the caller's own. Undefined when the token was turned away and the answer is written.
 */
export async function enterRun(shared: Shared, caller: Caller, envelope: Envelope, response: ServerResponse): Promise<Caller | undefined> {
  if (envelope.kind === 'refused' || !envelope.isRequest) return caller;
  const { id, method, params } = envelope;
  const runToken = isRecord(params._meta) ? params._meta[META.run] : undefined;
  if (runToken === undefined) return caller;
  const entered =
    typeof runToken === 'string' ? await shared.deps.enterRun(caller, runToken) : fail('run.invalid', `_meta["${META.run}"] must be text.`);
  if (entered.ok) return entered.value;
  const { code, message } = entered.error;
  // A model can read why a call was turned away; whatever else carries a token is a program's own doing.
  if (method === 'tools/call')
    writeJson(response, 200, resultMessage(id, frameResult(envelope.kind, notExecuted(entered.error), shared.info)));
  else writeError(response, 200, id, rpcError(RPC.invalidRequest, message, code));
  return undefined;
}
