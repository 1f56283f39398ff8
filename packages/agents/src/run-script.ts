import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Gate, openGate, type Reply } from './gate.ts';
import type { Script, ScriptEvent, Step, StepEnd } from './script.ts';
import { answerByOf, stepEndOf } from './step-end.ts';

export type RunScriptOptions = {
  readonly mcpUrl: string;
  /** The agent's own credential (`csa_…`): the gate is never in the agent. */
  readonly token: string;
  readonly signal: AbortSignal;
  readonly log: (event: ScriptEvent) => void;
  /** Waits `ms` or until the signal is aborted; tests pass their own. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
};

/** Milliseconds between two steps: a person can follow, and the host is not flooded. */
const BETWEEN_STEPS = 300;
/** Milliseconds before the host is tried again, doubled up to the second. */
const FIRST_RETRY = 500;
const LAST_RETRY = 15_000;
/** Between two questions for an answer that is still out; the host itself holds each for its own time. */
const BETWEEN_AWAITS = 2000;
/** Seconds that one await_decision asks to be held. */
const AWAIT_SECONDS = 45;

/**
 * Plays a script against the MCP endpoint and resolves when every step has ended, held ones included, or when the signal is aborted or
 * the credential turned away. Waits out an absence of the host. A call that may have reached the host is never sent twice.
 */
export async function runScript(script: Script, options: RunScriptOptions): Promise<void> {
  const { log, pause = pauseFor } = options;
  const { agent } = script;
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  // The SDK listens on it once for each call, and never stops.
  setMaxListeners(0, signal);
  const gate = openGate({ ...options, agent, signal });
  const player = playerOf(gate, agent, { signal, log, pause });
  const waits: Promise<unknown>[] = [];
  try {
    for (const step of script.steps) {
      const end = await player.take(step);
      log({ kind: 'step', agent, step, end, afterHold: false });
      if (end.kind === 'held') {
        const wait = player.awaitAnswer(step, end.decision);
        if (step.whenHeld === 'stand_still') await wait;
        else waits.push(wait.catch((error: unknown) => error));
      }
      await pause(BETWEEN_STEPS, signal);
    }
    const failure = (await Promise.all(waits)).find((ended) => ended !== undefined);
    if (failure !== undefined) throw failure;
  } catch (error) {
    if (error instanceof TurnedAway) log({ kind: 'turned_away', agent, reason: error.message });
    else if (!options.signal.aborted) throw error;
  } finally {
    // Ends what still waits beside the script.
    over.abort();
    await gate.close();
  }
}

/** The credential was not accepted; ends a script. */
class TurnedAway extends Error {}

type Player = {
  /** Makes the call; waits for the host as long as the call certainly did not reach it. */
  readonly take: (step: Step) => Promise<StepEnd>;
  /** Fetches the answer of a held call and reports it. */
  readonly awaitAnswer: (step: Step, decision: string) => Promise<void>;
};

type PlayerDeps = Required<Pick<RunScriptOptions, 'signal' | 'log' | 'pause'>>;

function playerOf(gate: Gate, agent: string, { signal, log, pause }: PlayerDeps): Player {
  let isAway = false;

  async function reach(call: () => Promise<Reply>, isRepeatable: boolean): Promise<StepEnd> {
    for (let wait = FIRST_RETRY; ; wait = Math.min(wait * 2, LAST_RETRY)) {
      const reply = await call();
      if (reply.kind !== 'lost') isAway = false;
      if (reply.kind === 'result') return stepEndOf(reply.result);
      if (reply.kind === 'error') return { kind: 'failed', text: reply.message };
      if (reply.kind === 'denied') throw new TurnedAway(reply.message);
      if (reply.mayHaveLeft && !isRepeatable) return { kind: 'unknown', text: reply.reason };
      if (!isAway) log({ kind: 'waiting_for_host', agent, reason: reply.reason });
      isAway = true;
      await pause(wait, signal);
    }
  }

  /** A held result does not say whose answer it waits for; the decision does. */
  async function withPeople(end: StepEnd): Promise<StepEnd> {
    if (end.kind !== 'held') return end;
    const reply = await gate.call('get_decision', { id: end.decision });
    return reply.kind === 'result' ? { ...end, waitsFor: answerByOf(reply.result) } : end;
  }

  return {
    take: async (step) => withPeople(await reach(() => gate.call(step.tool, step.arguments), false)),
    awaitAnswer: async (step, decision) => {
      const ask = () => gate.call('await_decision', { id: decision, wait_seconds: AWAIT_SECONDS }, { isPatient: true });
      for (;;) {
        const end = await reach(ask, true);
        if (end.kind !== 'held') {
          log({ kind: 'step', agent, step, end, afterHold: true });
          return;
        }
        await pause(BETWEEN_AWAITS, signal);
      }
    },
  };
}

const pauseFor = async (ms: number, signal: AbortSignal): Promise<void> => {
  await delay(ms, undefined, { signal });
};
