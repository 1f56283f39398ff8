import { META } from '@countersign/contracts';
import type { CallEnd, IncomingCall, JsonObject } from '@countersign/engine';
import type { Answering } from './answering.ts';
import type { CallExchange } from './call-exchange.ts';
import { waysToHold } from './hold.ts';
import { answerOf, type EndContext } from './results.ts';
import { type CallAnswer, isRecord } from './rpc.ts';
import type { Shared } from './shared.ts';
import type { ToolList } from './tool-list.ts';

/** The credential went between two looks at it, and nothing was run. */
export type CredentialGone = { readonly kind: 'credential gone'; readonly message: string };

export type RunningCall = {
  readonly exchange: CallExchange;
  readonly name: string;
  readonly args: JsonObject;
  readonly meta: JsonObject | undefined;
  readonly hasProgress: boolean;
  readonly list: ToolList;
  readonly answering: Answering;
  readonly abort: AbortController;
};

type Held = Extract<CallEnd, { kind: 'held' }>;

/**
 * Runs one call and says how it ended. What is not one of our own tools, hidden ones of ours included, goes to the gate, so that whatever does
 * not exist for the caller takes the same way. A held call ends when its budget is used up, whether or not the gate has come back by then.
 */
export async function runCall(shared: Shared, call: RunningCall): Promise<CallAnswer | CredentialGone> {
  const { exchange, name, args, hasProgress, list, abort } = call;
  const { caller, era } = exchange;
  const { budgetMs } = waysToHold({ era, caller, hasProgress });
  const own = list.own.find((tool) => tool.name === name);
  if (own) {
    const stop = () => abort.abort();
    shared.onClosing.add(stop);
    try {
      const answer = await own.run(
        { deps: shared.deps, caller, list, era, origin: exchange.origin, waitBudgetMs: budgetMs, signal: abort.signal },
        args,
      );
      await noteRejection(shared, call, answer);
      return answer;
    } finally {
      shared.onClosing.delete(stop);
    }
  }
  const end = await throughTheGate(shared, call, budgetMs);
  if (end.kind === 'unavailable' && end.error.code === 'credential.invalid') return { kind: 'credential gone', message: end.error.message };
  const context: EndContext = {
    era,
    caller,
    tool: name,
    hasOutputSchema: list.upstream.get(name)?.hasOutputSchema ?? false,
    canRequestDecision: list.own.some((tool) => tool.name === 'request_decision'),
  };
  return answerOf(end, context);
}

/** What one of our own tools turned down stands in the log too. Nothing happened by it, so a log that can't be written changes no answer. */
async function noteRejection(shared: Shared, { exchange, name, args }: RunningCall, answer: CallAnswer): Promise<void> {
  const meta = answer.kind === 'result' && isRecord(answer.result._meta) ? answer.result._meta[META.outcome] : undefined;
  const code = isRecord(meta) ? meta.error : undefined;
  if (typeof code !== 'string') return;
  const { caller, requestId } = exchange;
  await shared.deps
    .recordRejected(caller, { tool: name, code, args })
    .catch((error: unknown) => shared.deps.log.error({ err: error, requestId }, 'a rejected call could not be recorded'));
}

async function throughTheGate(shared: Shared, call: RunningCall, budgetMs: number): Promise<CallEnd> {
  const { exchange, answering } = call;
  const overdue = deadline<Held>();
  let held: Held | undefined;
  let isClosing = false;
  const giveUp = () => {
    isClosing = true;
    if (held) overdue.pass(held);
  };
  const ended = shared.deps.callTool(exchange.caller, {
    ...incoming(call),
    onHeld(now) {
      held = now;
      // The budget is the gate's to keep; this holds even where it does not, and nobody keeps a socket longer.
      overdue.after(isClosing ? 0 : budgetMs + shared.timing.heldGrace, now);
      answering.waiting(waitingFor(now));
    },
  });
  shared.onClosing.add(giveUp);
  try {
    return await Promise.race([ended, overdue.passed]);
  } finally {
    overdue.cancel();
    shared.onClosing.delete(giveUp);
    // When the deadline came first, the gate's own end is of no use here; that it failed must not go unseen.
    ended.catch((error: unknown) => shared.deps.log.error({ err: error, requestId: exchange.requestId }, 'the gate failed on a call'));
  }
}

function incoming({ exchange, name, args, meta, hasProgress, answering, abort }: RunningCall): IncomingCall {
  const forwarded = forwardedMeta(meta);
  return {
    tool: name,
    args,
    claimed: claimOf(meta),
    origin: exchange.origin,
    hasProgress,
    signal: abort.signal,
    ...(forwarded && { meta: forwarded }),
    ...(hasProgress && { onProgress: answering.relay }),
  };
}

const waitingFor = ({ decisions, mayHaveRun }: Held): string =>
  `${mayHaveRun ? 'Not sent again yet' : 'Not executed yet'}: held as ${decisions.map(({ id, answerBy }) => `${id} for ${answerBy.join(' or ')}`).join(', ')}.`;

function claimOf(meta: JsonObject | undefined): string | null {
  const claimed = meta?.[META.context];
  if (claimed === undefined || claimed === null) return null;
  return typeof claimed === 'string' ? claimed : JSON.stringify(claimed);
}

const TRACE_KEYS = ['traceparent', 'tracestate', 'baggage'] as const;

/**
 * Of a request's `_meta` only trace context goes upstream. The rest speaks of this hop, or could say to the upstream what no rule has read:
 * rules judge arguments, and only what is judged is sent.
 */
function forwardedMeta(meta: JsonObject | undefined): JsonObject | undefined {
  if (!meta) return undefined;
  const kept = TRACE_KEYS.filter((key) => typeof meta[key] === 'string').map((key) => [key, meta[key]] as const);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function deadline<Value>() {
  let pass: (value: Value) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<Value>((resolve) => {
    pass = resolve;
  });
  return {
    passed,
    pass: (value: Value) => pass(value),
    after(ms: number, value: Value) {
      clearTimeout(timer);
      timer = setTimeout(() => pass(value), Math.min(ms, LONGEST_TIMEOUT));
    },
    cancel: () => clearTimeout(timer),
  };
}

/** A timer set for longer fires at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;
