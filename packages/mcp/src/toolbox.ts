import type { Digest } from '@countersign/contracts';
import type { JsonObject, PinnedTool } from '@countersign/engine';
import { visible } from './ingress/visible.ts';

/** One entry of a server's list as it came: its raw, scanned, frozen definition, or why it could not even be read. */
export type OfferedTool = { readonly definition: unknown } | { readonly name: string; readonly fault: string };

/** A server's list. `launch` is how the host starts or reaches it, without secrets: it is part of what a pin covers. */
export type ToolOffer = { readonly server: string; readonly launch: JsonObject; readonly offered: readonly OfferedTool[] };

export type RefusedTool = { readonly server: string; readonly name: string; readonly reason: string };
export type Toolbox = { readonly tools: readonly PinnedTool[]; readonly refused: readonly RefusedTool[] };

export type ToolboxOptions = {
  /** Names that no upstream tool may take or resemble: our own tools'. */
  readonly reserved: readonly string[];
  /** `sha256:…` over the RFC 8785 form of a value. */
  readonly digest: (value: unknown) => Digest;
};

/** Some clients refuse longer names once they put their own prefix before them. */
const MAX_KEY = 60;
/** A definition is model input on every turn; the largest in the field are a tenth of this. Characters of JSON. */
const MAX_DEFINITION = 128 * 1024;
const HASH_CHARS = 8;
const SERVER_KEY = /^[a-z0-9-]{1,20}$/;
/** The protocol's own rule for tool names. */
const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
const EMITTED_NAME = /^[A-Za-z0-9_-]+$/;

/**
 * Decides which of all the servers' tools are registered, under which key, and pins each. Pure: the same offers yield the same toolbox in
 * any order. A tool that is refused, named in `refused` with the reason, never hides another, except those whose names can't be told from
 * its own: of such a group all are refused, so that no order decides which of them a rule means. `tools` is sorted by key.
 */
export function registerTools(offers: readonly ToolOffer[], options: ToolboxOptions): Toolbox {
  const refused: RefusedTool[] = [];
  const candidates: PinnedTool[] = [];
  for (const offer of offers) {
    for (const offered of offer.offered) {
      const checked = checkTool(offer, offered, options);
      if ('key' in checked) candidates.push(checked);
      else refused.push(checked);
    }
  }
  const tools: PinnedTool[] = [];
  const clashes = clashesAmong(candidates, options.reserved);
  for (const tool of candidates) {
    const reason = clashes.get(tool);
    if (reason === undefined) tools.push(tool);
    else refused.push({ server: tool.server, name: visible(tool.name), reason });
  }
  return { tools: tools.sort(byKey), refused: refused.sort(byServerAndName) };
}

/**
 * The name under which agents see a tool: `server__tool`. One that is too long or holds a dot becomes a shortened alias that ends in a hash
 * over server and name; the way back is the pinned tool itself, never a split of this string.
 */
export function toolKey(server: string, name: string, digest: (value: unknown) => Digest): string {
  const plain = `${server}__${name}`;
  if (plain.length <= MAX_KEY && EMITTED_NAME.test(plain)) return plain;
  const hash = digest([server, name]).slice(-HASH_CHARS);
  return `${plain.replaceAll('.', '_').slice(0, MAX_KEY - HASH_CHARS - 1)}_${hash}`;
}

function checkTool(offer: ToolOffer, offered: OfferedTool, options: ToolboxOptions): PinnedTool | RefusedTool {
  const { server } = offer;
  const refuse = (name: string, reason: string): RefusedTool => ({ server, name: visible(name), reason });
  if ('fault' in offered) return refuse(offered.name, offered.fault);
  const { definition } = offered;
  if (!isObject(definition)) return refuse('', 'The definition is not an object.');
  const { name, inputSchema, outputSchema } = definition;
  if (typeof name !== 'string') return refuse('', 'It has no name.');
  if (!SERVER_KEY.test(server)) return refuse(name, `The server key ${visible(server)} is not 1 to 20 of a-z, 0-9 and -.`);
  const badName = nameFault(name);
  if (badName !== undefined) return refuse(name, badName);
  if (!isObject(inputSchema) || inputSchema.type !== 'object') return refuse(name, 'Its inputSchema is not the schema of an object.');
  if (outputSchema !== undefined && !isObject(outputSchema)) return refuse(name, 'Its outputSchema is not an object.');
  if (JSON.stringify(definition).length > MAX_DEFINITION)
    return refuse(name, `Its definition is longer than ${MAX_DEFINITION} characters.`);
  const digest = options.digest({ definition, launch: offer.launch });
  const key = toolKey(server, name, options.digest);
  return { key, server, name, digest, definition, inputSchema, hasOutputSchema: outputSchema !== undefined };
}

/** Why a name is refused, most telling reason first. Names are matched byte for byte, so nothing is normalised: it is accepted or it is not. */
function nameFault(name: string): string | undefined {
  if (TOOL_NAME.test(name)) return undefined;
  if (/[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Cc}]/u.test(name)) return 'Its name holds characters that do not show.';
  if (name.normalize('NFKC') !== name) return 'Its name is not in the normal form NFKC: it looks like another name.';
  if (/[^\p{ASCII}]/u.test(name)) return 'Its name holds letters from outside ASCII, which can look like ASCII ones.';
  if (name.length < 1 || name.length > 128) return 'Its name is not 1 to 128 characters long.';
  return 'Its name holds characters other than A-Z, a-z, 0-9, _, . and -.';
}

/** Which candidates can't be told apart, each with the reason. Clients fold case and `-`/`_`, and people read 0 as O and 1 as l. */
function clashesAmong(candidates: readonly PinnedTool[], reserved: readonly string[]): ReadonlyMap<PinnedTool, string> {
  const clashes = new Map<PinnedTool, string>();
  // The key is what clients see; the whole name is compared too, because an alias ends in a hash that tells look-alikes apart.
  const looks = [foldCase, foldShape].flatMap((fold) => [
    { fold, of: (tool: PinnedTool) => tool.key },
    { fold, of: (tool: PinnedTool) => `${tool.server}__${tool.name}` },
  ]);
  for (const { fold, of } of looks) {
    const own = new Map(reserved.map((name) => [fold(name), name]));
    const firsts = new Map<string, PinnedTool>();
    for (const tool of candidates) {
      const folded = fold(of(tool));
      const ours = own.get(folded);
      if (ours !== undefined) clashes.set(tool, `Its name can't be told from ${ours}, one of Countersign's own tools.`);
      const first = firsts.get(folded);
      if (first === undefined) {
        firsts.set(folded, tool);
        continue;
      }
      if (!clashes.has(first)) clashes.set(first, clashReason(first, tool));
      if (!clashes.has(tool)) clashes.set(tool, clashReason(tool, first));
    }
  }
  return clashes;
}

function clashReason(tool: PinnedTool, other: PinnedTool): string {
  if (tool.server === other.server && tool.name === other.name) return 'The server lists two tools of this name.';
  const whose = tool.server === other.server ? 'the same server' : `the server ${other.server}`;
  return `Its name can't be told from ${other.name} of ${whose}, once case, - and _ and look-alike characters are folded.`;
}

function foldCase(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function foldShape(name: string): string {
  return foldCase(name.replaceAll('I', 'l').replaceAll('1', 'l').replaceAll('0', 'o'));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** By code unit, so that the order is the same on every machine. */
function byKey(a: PinnedTool, b: PinnedTool): number {
  return a.key < b.key ? -1 : 1;
}

function byServerAndName(a: RefusedTool, b: RefusedTool): number {
  const left = `${a.server}\0${a.name}\0${a.reason}`;
  const right = `${b.server}\0${b.name}\0${b.reason}`;
  return left < right ? -1 : left > right ? 1 : 0;
}
