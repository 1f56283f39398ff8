import type { Stats, Tally } from '@countersign/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './client.ts';
import { keys } from './keys.ts';

/** Days are the reader's own. */
const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** What the reader was asked over the last `days` days. */
export const statsOf = (days: number) =>
  queryOptions<Stats>({
    queryKey: keys.stats(days),
    queryFn: ({ signal }) => unwrap(client.stats({ days, tz: zone() }, { signal })),
  });

/** Of the questions that a person answered, how many were approved, from 0 to 1; null where none was. */
export const shareApproved = ({ approved, refused }: Tally): number | null =>
  approved + refused === 0 ? null : approved / (approved + refused);
