import { scanJson } from '../ingress/scan.ts';
import { elementsOf, membersOf, type Span } from '../ingress/skim.ts';
import type { OfferedTool } from '../toolbox.ts';
import type { Exchanged, Link, LinkFailure } from './link.ts';
import { badReply, isObject, readReply } from './message.ts';
import { paramHeadersOf, standardHeaders } from './request-headers.ts';

const MAX_PAGES = 64;
const MAX_TOOLS = 5000;
const TOOL_BOUNDS = { maxBytes: 256 * 1024, maxNodes: 20_000 };
const METHOD_NOT_FOUND = -32601;

/** `text` is the list as it came, to tell whether anything changed. */
export type Listing = { readonly tools: readonly OfferedTool[]; readonly text: Buffer };
export type Listed = { readonly ok: true; readonly value: Listing } | { readonly ok: false; readonly error: LinkFailure };
type Page = { readonly tools: readonly OfferedTool[]; readonly text: Buffer; readonly nextCursor: string | undefined };
type Send = (
  link: Link,
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
) => Promise<Exchanged>;

/**
 * A server's whole tool list, page by page, each definition read from the raw bytes on its own: one that breaks a bound is listed with its
 * fault and costs no other. A server without tools yields an empty list.
 */
export async function listTools(link: Link, send: Send): Promise<Listed> {
  const tools: OfferedTool[] = [];
  const texts: Buffer[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), ...(link.era === 'modern' ? { _meta: link.requestMeta } : {}) };
    const headers = link.era === 'modern' ? standardHeaders('tools/list', params) : {};
    const exchanged = await send(link, 'tools/list', params, headers);
    if (!exchanged.ok) return exchanged;
    const page = readPage(exchanged.value);
    if ('ok' in page) return page;
    tools.push(...page.tools);
    texts.push(page.text);
    if (tools.length > MAX_TOOLS) return badReply(`The server lists more than ${MAX_TOOLS} tools.`);
    if (page.nextCursor === undefined) {
      const checked = link.era === 'modern' && link.transport === 'http' ? tools.map(checkParamHeaders) : tools;
      return { ok: true, value: { tools: checked, text: Buffer.concat(texts) } };
    }
    if (page.nextCursor === cursor) return badReply('The tool list has a page that follows itself.');
    cursor = page.nextCursor;
  }
  return badReply(`The tool list has more than ${MAX_PAGES} pages.`);
}

function readPage(bytes: Buffer): Page | Listed {
  const reply = membersOf(bytes);
  const result = reply?.get('result');
  if (reply?.has('error') === true || result === undefined) {
    const read = readReply(bytes, bytes.length);
    if (!read.ok) return read;
    if (read.value.kind === 'error' && read.value.error.code === METHOD_NOT_FOUND)
      return { tools: [], text: Buffer.alloc(0), nextCursor: undefined };
    return badReply(
      read.value.kind === 'error' ? `The server would not list its tools: ${read.value.error.code}.` : 'The tool list has no tools.',
    );
  }
  const members = membersOf(bytes, result);
  const list = members?.get('tools');
  const elements = list && elementsOf(bytes, list);
  if (list === undefined || elements === undefined) return badReply('The tool list has no array of tools.');
  const next = members?.get('nextCursor');
  const nextCursor = next && scanSpan(bytes, next);
  if (nextCursor !== undefined && (!nextCursor.ok || typeof nextCursor.value.value !== 'string'))
    return badReply('The next page has no readable name.');
  const text = bytes.subarray(list.start, list.end);
  return { tools: elements.map((span) => readTool(bytes, span)), text, nextCursor: nextCursor?.value.value as string | undefined };
}

function readTool(bytes: Buffer, span: Span): OfferedTool {
  const scanned = scanSpan(bytes, span);
  if (scanned.ok) return { definition: scanned.value.value };
  const name = membersOf(bytes, span)?.get('name');
  const readName = name && scanSpan(bytes, name);
  const shown = readName?.ok === true && typeof readName.value.value === 'string' ? readName.value.value : '';
  return { name: shown, fault: scanned.error.message };
}

function scanSpan(bytes: Buffer, { start, end }: Span): ReturnType<typeof scanJson> {
  return scanJson(bytes.subarray(start, end), TOOL_BOUNDS);
}

function checkParamHeaders(offered: OfferedTool): OfferedTool {
  if ('fault' in offered || !isObject(offered.definition) || !isObject(offered.definition.inputSchema)) return offered;
  const found = paramHeadersOf(offered.definition.inputSchema);
  return 'fault' in found ? { name: String(offered.definition.name), fault: found.fault } : offered;
}
