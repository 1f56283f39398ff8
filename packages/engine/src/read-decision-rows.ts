/** Decisions as lists show them: small rows, whatever the calls behind them weigh. */
import { type DecisionRow, type DecisionRowPage, type DecisionRowQuery, ok, type Result } from '@countersign/contracts';
import { allowedCommands, clip, isJsonObject, type Moment } from '@countersign/core';
import { type DecisionRowRecord, listDecisionRows as listRecords } from '@countersign/store';
import type { Caller } from './caller.ts';
import type { EngineDeps } from './deps.ts';
import { redact, redactArguments, secretsIn } from './redact.ts';
import { redactsAnything, type Tools } from './redact-paths.ts';
import { redactingTools } from './redacting-tools.ts';
import { viewOf } from './view.ts';

/** The rows that a viewer may see, by filter, a page at a time, with the number of all of them. */
export async function listDecisionRows(
  deps: EngineDeps,
  viewer: Caller,
  query: DecisionRowQuery,
): Promise<Result<DecisionRowPage, 'not_found'>> {
  const hidden = await redactingTools(deps);
  const { items, nextCursor, total } = await listRecords(deps.store.db, viewOf(viewer), query, hidden);
  const { host } = await deps.authority.host('current');
  const now = deps.now();
  const moment = { now, counted: host.frozen?.at ?? now };
  const { tools } = deps.config();
  return ok({ items: items.map((record) => wireRow(tools, viewer, record, moment)), nextCursor, total });
}

function wireRow(tools: Tools, viewer: Caller, record: DecisionRowRecord, moment: Moment): DecisionRow {
  const { id, kind, state, question, principal, agent, tool, hops, createdAt, argumentBytes } = record;
  const mayAnswer = !viewer.agent && viewer.principal ? allowedCommands(question, state, viewer.principal.name, moment) : [];
  const args = argumentsOf(record);
  const secrets = record.isRedacted ? args && secretsIn(tools, record.subject ?? '', args) : [];
  const { title, why } = redactsAnything(tools) ? redact(tools, { title: record.title, why: record.why }, secrets) : record;
  return {
    id,
    kind,
    state: state.state,
    version: state.version,
    shownDigest: question.shownDigest,
    title,
    principal,
    agent,
    tool,
    irreversible: question.irreversible,
    hops,
    why,
    rules: [...record.rules],
    telling: record.title.includes('‹') || !args ? [] : telling(tool === null ? args : redactArguments(tools, tool, args)),
    argumentBytes,
    allowed: [...mayAnswer],
    settledBy: [...record.answeredBy],
    createdAt,
    expiresAt: state.expiresAt,
    settledAt: state.state === 'pending' ? null : state.settledAt,
  };
}

function argumentsOf({ args }: DecisionRowRecord): Record<string, unknown> | null {
  const parsed: unknown = args === null ? null : JSON.parse(args);
  return isJsonObject(parsed) ? parsed : null;
}

const TELLING = 4;
const CHARACTERS = 48;

/** The first plain values: what a person would name the call by. */
const telling = (args: Readonly<Record<string, unknown>>): DecisionRow['telling'] =>
  Object.entries(args)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .slice(0, TELLING)
    .map(([name, value]) => ({ name: clip(name, CHARACTERS), value: clip(String(value), CHARACTERS) }));
