/** What one protocol era shows: a client library of that era connects, lists and asks who it is; the probes go by hand. */
import { Lane, OWN_TOOL_SCOPE, Scope } from '@countersign/contracts';
import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { CLIENT, rawCalls } from './calls.ts';
import { type ListedTool, type Probe, probeOwnTools } from './probe.ts';
import type { EraName } from './report.ts';
import { said, type Wire } from './wire.ts';

/** What doctor reads of `whoami`; more may be there. */
const Identity = z.object({
  lane: Lane,
  why: z.string(),
  agent: z.string().nullable(),
  principal: z.string().nullable(),
  credential: z.object({ kind: z.string(), expiresAt: z.string().nullable() }).nullable().catch(null),
  scopes: z.array(Scope),
  missing: z.array(z.object({ scope: Scope, by: z.enum(['lane', 'mandate', 'credential']), why: z.string() })).catch([]),
});
type Identity = z.infer<typeof Identity>;

export type EraView =
  | {
      readonly era: EraName;
      readonly isServed: true;
      readonly lane: Lane | null;
      readonly why: string | null;
      /** Null where `whoami` is not there, or says what this version does not understand. */
      readonly identity: Identity | null;
      readonly own: readonly string[];
      readonly upstream: readonly string[];
      readonly probes: readonly Probe[];
    }
  | { readonly era: EraName; readonly isServed: false; readonly failure: string };
export type ServedEra = Extract<EraView, { isServed: true }>;

/** Looks at one era, and leaves no session behind. */
export async function viewEra(wire: Wire, url: URL, era: EraName, timeoutMs: number): Promise<EraView> {
  const mode = era === '2026-07-28' ? { pin: era } : ('legacy' as const);
  const client = new Client(CLIENT, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(url, { fetch: wire.fetch as FetchLike });
  try {
    await client.connect(transport, { timeout: timeoutMs });
    const spoken = client.getNegotiatedProtocolVersion();
    if (spoken !== era) return { era, isServed: false, failure: `it answers in revision ${said(spoken, 40)} instead` };
    const { tools } = await client.listTools({}, { timeout: timeoutMs });
    const named = Lane.safeParse(wire.lane());
    const instructions = readInstructions(client.getInstructions());
    const own = tools.filter(({ name }) => Object.hasOwn(OWN_TOOL_SCOPE, name));
    const identity = own.some(({ name }) => name === 'whoami') ? await askWhoami(client, timeoutMs) : null;
    const probes = await probeOwnTools(rawCalls(wire, url, era, transport.sessionId), own as readonly ListedTool[]);
    return {
      era,
      isServed: true,
      lane: named.success ? named.data : (identity?.lane ?? instructions.lane),
      why: identity ? said(identity.why) : instructions.why,
      identity,
      own: own.map(({ name }) => name),
      upstream: tools.map(({ name }) => name).filter((name) => !Object.hasOwn(OWN_TOOL_SCOPE, name)),
      probes,
    };
  } catch (error) {
    return { era, isServed: false, failure: said(error instanceof Error ? error.message : error) };
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
  }
}

async function askWhoami(client: Client, timeout: number): Promise<Identity | null> {
  const result = await client.callTool({ name: 'whoami', arguments: {} }, { timeout });
  const parsed = Identity.safeParse(result.structuredContent);
  return parsed.success ? parsed.data : null;
}

/** Where `whoami` is hidden, the server's instructions still say which lane it is and why. */
function readInstructions(instructions: string | undefined): { readonly lane: Lane | null; readonly why: string | null } {
  const [, name, why] = /Your lane here is (\w+)\. (.+)/.exec(instructions ?? '') ?? [];
  const lane = Lane.safeParse(name);
  return { lane: lane.success ? lane.data : null, why: why === undefined ? null : said(why) };
}
