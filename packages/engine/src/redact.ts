/**
 * What the host marked `redact` is shown to nobody: not on the page, not to agents, not in the log.
 *
 * R1 What stands at a path is masked whole.
 * R2 The same value is masked wherever else it is shown: in the headline, in what other calls of the run sent and got back, in notes.
 * R3 Where it can't be told what stood there, more is masked, not less.
 * R4 Nothing here changes what is kept, hashed or sent.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '@countersign/contracts';
import { isJsonObject } from '@countersign/core';
import { redactsAnything, redactsTool, replaceRedacted, type Tools } from './redact-paths.ts';
import { MASK, maskText, type Secrets, SHORTEST } from './redact-text.ts';
import type { JsonObject } from './upstreams.ts';

/** Whether anything at all stands at a redacted path of these arguments. */
export function holdsRedacted(tools: Tools, tool: string, args: unknown): boolean {
  let found = false;
  replaceRedacted(tools, tool, args, () => {
    found = true;
    return null;
  });
  return found;
}

/** Every text and number that stands at the redacted paths of these arguments. */
export function secretsIn(tools: Tools, tool: string, args: unknown): readonly string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if ((typeof value === 'string' && value !== '') || typeof value === 'number') found.add(String(value));
    else if (typeof value === 'object' && value !== null) for (const child of Object.values(value)) collect(child);
  };
  replaceRedacted(tools, tool, args, collect);
  return [...found];
}

/** The arguments of a call as they are shown. */
export const redactArguments = (tools: Tools, tool: string, args: JsonObject): JsonObject =>
  redactsTool(tools, tool) ? redact(tools, { tool, arguments: args }, secretsIn(tools, tool, args)).arguments : args;

/**
 * Anything with its secrets masked at every depth. Where an object names a `tool` and has its `arguments` or `args`, as JSON or as its text,
 * what stands at that tool's paths is masked, and so is the same value everywhere else.
 * @param secrets what is to be masked beside that; null: not known (R3)
 */
export function redact<Value>(tools: Tools, value: Value, secrets: Secrets): Value {
  const told = secretsTold(tools, value);
  const hide = maskText(secrets && [...new Set([...secrets, ...told])]);
  const walk = (node: unknown): unknown => {
    if (typeof node === 'string') return hide(node);
    if (typeof node === 'number') return String(node).length >= SHORTEST && hide(String(node)) === MASK ? MASK : node;
    if (Array.isArray(node)) return node.map(walk);
    if (!isJsonObject(node)) return node;
    const call = callIn(node);
    const entries = Object.entries(
      call && isCut(tools, call.tool, node[call.key]) ? { ...node, [call.key]: MASK, ...('result' in node && { result: MASK }) } : node,
    );
    return Object.fromEntries(entries.map(([key, child]) => [key, walk(key === call?.key ? masked(tools, call.tool, child) : child)]));
  };
  return walk(value) as Value;
}

/** Where in an object that tells of a call its arguments stand. */
function callIn(node: JsonObject): { readonly tool: string; readonly key: 'arguments' | 'args' } | null {
  if (typeof node.tool !== 'string') return null;
  if (node.arguments !== undefined) return { tool: node.tool, key: 'arguments' };
  return node.args === undefined ? null : { tool: node.tool, key: 'args' };
}

/** Whether arguments that hide something stand there as a text of which only the beginning is left: what they hide can't be known (R3). */
const isCut = (tools: Tools, tool: string, args: unknown): boolean =>
  typeof args === 'string' && args !== MASK && redactsTool(tools, tool) && parse(args) === undefined;

function masked(tools: Tools, tool: string, args: unknown): unknown {
  if (!redactsTool(tools, tool) || args === MASK) return args;
  const hide = (whole: unknown): unknown => replaceRedacted(tools, tool, whole, () => MASK);
  return typeof args === 'string' ? JSON.stringify(hide(parse(args))) : hide(args);
}

/** Secrets of the calls that a value tells of, at any depth. */
function secretsTold(tools: Tools, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const call = isJsonObject(value) ? callIn(value) : null;
  const args = call && (value as JsonObject)[call.key];
  const own = call ? secretsIn(tools, call.tool, typeof args === 'string' ? parse(args) : args) : [];
  return [...own, ...Object.values(value).flatMap((child) => secretsTold(tools, child))];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Edited arguments with what was masked put back where it still stands untouched.
 * @param shown what the editor was shown of `original`
 * @returns null where a mask stands that covers nothing in the original: it would be sent as that text
 */
export function restoreRedacted(edited: JsonObject, shown: JsonObject, original: JsonObject): JsonObject | null {
  let isLost = false;
  const restore = (node: unknown, over: unknown, under: unknown): unknown => {
    if (isDeepStrictEqual(node, over)) return under;
    if (isJsonObject(node)) {
      const [overAt, underAt] = [isJsonObject(over) ? over : {}, isJsonObject(under) ? under : {}];
      return Object.fromEntries(Object.entries(node).map(([key, child]) => [key, restore(child, overAt[key], underAt[key])]));
    }
    if (Array.isArray(node)) {
      // In a list that grew or shrank nobody can tell which masked item is which.
      const isSame = Array.isArray(over) && Array.isArray(under) && over.length === node.length;
      return node.map((child, place) => (isSame ? restore(child, over[place], under[place]) : restore(child, undefined, undefined)));
    }
    isLost ||= typeof node === 'string' && node.includes(MASK);
    return node;
  };
  const restored = restore(edited, shown, original) as JsonObject;
  return isLost ? null : restored;
}

/** A decision as anybody is shown it. */
export function redactDecision(tools: Tools, decision: Decision): Decision {
  if (!redactsAnything(tools)) return decision;
  const { call, context, title, chain, grounds, request, answers, evidence, outcome, settledReason, rememberTerm } = decision;
  const tool = call?.tool;
  // Each piece that shows arguments names its tool, so that one walk finds what to hide in all of them and hides it in all.
  const shown = redact(
    tools,
    {
      arguments: { tool, arguments: call?.arguments },
      effective: { tool, arguments: call?.effectiveArguments },
      edited: answers.map((answer) => ({ tool, arguments: answer.editedArgs })),
      // An outcome's context has the arguments of the call itself.
      seen: decision.kind === 'outcome' ? { ...context.seen, tool } : context.seen,
      ...{ claimed: context.claimed, title, chain, grounds, request, answers, evidence, outcome, settledReason, rememberTerm },
    },
    [],
  );
  const { tool: _, ...seen } = shown.seen as JsonObject;
  return {
    ...decision,
    title: shown.title,
    chain: chain.map((hop, place) => ({ ...hop, question: shown.chain[place]?.question ?? null })),
    grounds: grounds.map((ground, place) => ({ ...ground, reason: shown.grounds[place]?.reason ?? MASK })),
    call: call && {
      ...call,
      arguments: shown.arguments.arguments ?? {},
      effectiveArguments: shown.effective.arguments ?? null,
    },
    request: shown.request,
    context: { seen: decision.kind === 'outcome' ? seen : (shown.seen as JsonObject), claimed: shown.claimed },
    answers: answers.map((answer, place) => ({
      ...answer,
      note: shown.answers[place]?.note ?? null,
      editedArgs: shown.edited[place]?.arguments ?? null,
    })),
    evidence: evidence.map((piece, place) => ({
      ...piece,
      claim: shown.evidence[place]?.claim ?? MASK,
      reference: shown.evidence[place]?.reference ?? null,
    })),
    outcome: outcome && { ...outcome, reason: shown.outcome?.reason ?? null, result: shown.outcome?.result ?? null },
    settledReason: shown.settledReason,
    rememberTerm: shown.rememberTerm,
  };
}
