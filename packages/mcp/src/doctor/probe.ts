/**
 * Tries our own tools without doing anything: those that only read are called as they are meant, the others with an argument that no tool of
 * ours takes, which their closed schemas refuse before anything happens. Upstream tools are never called.
 */
import { OWN_TOOL_SCOPE, type OwnToolName } from '@countersign/contracts';
import { isRecord } from '../endpoint/rpc.ts';
import type { RawCall } from './calls.ts';
import { type Exchange, messageOf } from './wire.ts';

export const OWN_NAMES = Object.keys(OWN_TOOL_SCOPE) as readonly OwnToolName[];

/** Calls that read a little and change nothing; those that hand out notes or questions, which count as told, are not among them. */
const HARMLESS: Partial<Record<OwnToolName, object>> = {
  whoami: {},
  list_agents: {},
  list_rules: {},
  my_mandate: {},
  list_decisions: { limit: 1 },
  query_audit: { limit: 1 },
};
/** Refused by every closed schema. */
const STRAY = { 'countersign-doctor': 'probe' };
/** Nobody's name; how it is answered is how every hidden tool must be. */
const ABSENT = 'countersign_doctor_finds_nothing_here';

/** Says nothing about the tool: the credential went meanwhile, or the host has no time for this. */
const GIVE_UP: readonly number[] = [401, 429, 503];

export type Probe = {
  readonly name: OwnToolName;
  readonly isListed: boolean;
  /** `absent`: byte for byte as a tool that does not exist. `failed`: neither a result nor that. */
  readonly answer: 'result' | 'absent' | 'failed' | 'not tried';
};

export type ListedTool = { readonly name: string; readonly inputSchema: object };

/** One probe for each of our own tools, listed or not. */
export async function probeOwnTools(call: RawCall, listed: readonly ListedTool[]): Promise<readonly Probe[]> {
  const absent = shapeOf(await call(ABSENT, STRAY), ABSENT);
  return await Promise.all(
    OWN_NAMES.map(async (name): Promise<Probe> => {
      const tool = listed.find((one) => one.name === name);
      const isListed = tool !== undefined;
      const args = isListed ? HARMLESS[name] : undefined;
      if (isListed && args === undefined && !isClosed(tool)) return { name, isListed, answer: 'not tried' };
      const exchange = await call(name, args ?? STRAY);
      if (GIVE_UP.includes(exchange.status)) throw new Error(`the host answered ${exchange.status} while its tools were tried`);
      const isResult = exchange.status === 200 && isRecord(messageOf(exchange)?.result);
      const answer = isResult ? 'result' : shapeOf(exchange, name) === absent ? 'absent' : 'failed';
      return { name, isListed, answer };
    }),
  );
}

/** Whether stray arguments are surely refused. */
const isClosed = ({ inputSchema }: ListedTool): boolean =>
  (inputSchema as { additionalProperties?: unknown }).additionalProperties === false;

/** All of an answer that may differ for no reason but the name: two answers of one shape can't be told apart. */
const shapeOf = ({ status, headers, text, id }: Exchange & { readonly id: string }, name: string): string =>
  JSON.stringify([status, headers.get('content-type'), text.replaceAll(id, 'ID').replaceAll(name, 'NAME')]);
