import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

export const ruleTable = queryOptions({ queryKey: keys.rules, queryFn: ({ signal }) => unwrap(client.rules.table({ signal })) });
