import type { Decision } from '@countersign/contracts';
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';

const SHOWN = 6;

export type Likeness = 'sameCall' | 'sameRule' | 'sameAgent';
export type Past = { readonly decision: Decision; readonly likeness: Likeness };

const rulesOf = (decision: Decision): readonly string[] => decision.grounds.flatMap((ground) => ground.rule ?? []);

/** How an earlier decision is like this one; null where it is only about the same tool. */
export function likeness(now: Decision, past: Decision): Likeness | null {
  if (past.id === now.id) return null;
  if (now.call !== null && past.call?.digest === now.call.digest) return 'sameCall';
  if (rulesOf(past).some((rule) => rulesOf(now).includes(rule))) return 'sameRule';
  return past.agent === now.agent ? 'sameAgent' : null;
}

const ORDER: readonly Likeness[] = ['sameCall', 'sameRule', 'sameAgent'];

/** The last answers to the same call, rule or agent, and the last approved call of the tool, for comparing arguments. */
export const historyOf = (decision: Decision) =>
  queryOptions({
    queryKey: keys.history(decision.id),
    queryFn: async ({ signal }) => {
      const tool = decision.call?.tool;
      if (tool === undefined) return { past: [], lastApproved: null };
      const read = (state: Decision['state'][]) => unwrap(client.decisions.list({ tool, state, limit: 10 }, { signal }));
      const [approved, others] = await Promise.all([read(['approved']), read(['refused', 'expired', 'withdrawn'])]);
      const earlier = [...approved.items, ...others.items]
        .filter((past) => past.createdAt < decision.createdAt)
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      const past = earlier.flatMap((each): readonly Past[] => {
        const how = likeness(decision, each);
        return how === null ? [] : [{ decision: each, likeness: how }];
      });
      const ranked = ORDER.flatMap((how) => past.filter((each) => each.likeness === how)).slice(0, SHOWN);
      return { past: ranked, lastApproved: earlier.find((each) => each.state === 'approved' && each.kind === 'call') ?? null };
    },
  });
