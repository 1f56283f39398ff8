import type { JsonObject } from '@countersign/engine';
import { type Answering, startAnswering } from './answering.ts';
import type { CallExchange } from './call-exchange.ts';
import { refuseCredential } from './credential.ts';
import { frameResult } from './frame.ts';
import { paramHeaderFault } from './param-headers.ts';
import { progressTokenOf } from './progress.ts';
import { type CallAnswer, errorMessage, isRecord, RPC, resultMessage, rpcError } from './rpc.ts';
import { type CredentialGone, runCall } from './run-call.ts';
import type { Shared } from './shared.ts';
import { writeError } from './write.ts';

const NO_ARGUMENTS: JsonObject = Object.freeze({});

/** Answers one tools/call, in either era. The arguments that go to the gate are the very object that the scan yielded, frozen. */
export async function serveCall(shared: Shared, exchange: CallExchange): Promise<void> {
  const { response, id, params, caller, era, headers } = exchange;
  const { name, arguments: args = NO_ARGUMENTS } = params;
  if (typeof name !== 'string') return refuseParams(exchange, 'name must be a string');
  if (!isRecord(args)) return refuseParams(exchange, 'arguments must be an object');

  const list = shared.lists(caller);
  const pinned = list.upstream.get(name);
  const fault = era === 'modern' && pinned ? paramHeaderFault(pinned, args, headers) : undefined;
  if (fault) return writeError(response, 400, id, fault);

  const meta = isRecord(params._meta) ? params._meta : undefined;
  const token = progressTokenOf(meta);
  const acceptsStream = headers.accept?.includes('text/event-stream') ?? false;
  const answering = startAnswering({ response, token, acceptsStream, timing: shared.timing });
  const abort = new AbortController();
  const leave = () => {
    // Once the answer is out, the end of the connection says nothing about the call.
    if (answering.isDone()) return;
    abort.abort();
    answering.drop();
    forgetCancel?.();
  };
  response.once('close', leave);
  const forgetCancel = exchange.onCancel?.(leave);
  try {
    const answer = await runCall(shared, { exchange, name, args, meta, hasProgress: token !== undefined, list, answering, abort });
    finish(shared, exchange, answering, answer);
  } catch (error) {
    shared.deps.log.error({ err: error, requestId: exchange.requestId, tool: name }, 'a tools/call failed unexpectedly');
    finish(shared, exchange, answering, internalAnswer(exchange.requestId));
  } finally {
    forgetCancel?.();
  }
}

function refuseParams({ response, id }: CallExchange, problem: string): void {
  writeError(response, 200, id, rpcError(RPC.invalidParams, `Invalid params: ${problem}`, 'input.invalid'));
}

const internalAnswer = (requestId: string): CallAnswer => ({
  kind: 'error',
  error: rpcError(RPC.internal, 'Internal error', 'internal', { requestId }),
});

function finish(shared: Shared, { era, id, response }: CallExchange, answering: Answering, answer: CallAnswer | CredentialGone): void {
  if (answer.kind === 'result') answering.finish(resultMessage(id, frameResult(era, answer.result, shared.info)));
  else if (answer.kind === 'error') answering.finish(errorMessage(id, answer.error));
  else {
    const error = rpcError(RPC.invalidRequest, answer.message, 'credential.invalid');
    answering.finishOtherwise(() => refuseCredential(response, shared.deps.publicUrl, answer), errorMessage(id, error));
  }
}
