import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import { type Era, isRecord } from './rpc.ts';

export type ServerInfo = { readonly name: string; readonly title: string; readonly version: string };

export const serverInfo = (version: string): ServerInfo => ({ name: 'countersign', title: 'Countersign', version });

type Result = Readonly<Record<string, unknown>>;

/**
 * Gives a result what its revision asks of the hop and nothing else: 2026-07-28 wants `resultType` and this server's name, the 2025 revisions
 * know neither and only take objects as `structuredContent`. Content is never touched.
 */
export function frameResult(era: Era, result: Result, info: ServerInfo): Result {
  if (era === 'modern') {
    const meta = isRecord(result._meta) ? result._meta : undefined;
    return { resultType: 'complete', ...result, _meta: { ...meta, [SERVER_INFO_META_KEY]: info } };
  }
  if (!('resultType' in result) && (result.structuredContent === undefined || isRecord(result.structuredContent))) return result;
  const { resultType: _, structuredContent, ...rest } = result;
  if (structuredContent === undefined) return rest;
  return { ...rest, structuredContent: isRecord(structuredContent) ? structuredContent : { result: structuredContent } };
}
