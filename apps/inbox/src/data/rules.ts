import type { ToolDetail } from '@countersign/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

export const ruleTable = queryOptions({ queryKey: keys.rules, queryFn: ({ signal }) => unwrap(client.rules.table({ signal })) });

/** One upstream tool: its definition and what the host declares about it. */
export const oneTool = (tool: string) =>
  queryOptions<ToolDetail>({
    queryKey: keys.tool(tool),
    queryFn: ({ signal }) => unwrap(client.tools.get(tool, { signal })),
  });
