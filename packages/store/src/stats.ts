import type { Stats, Tally } from '@countersign/contracts';
import { sql } from 'drizzle-orm';
import { type Queryable, rowsOf } from './database.ts';
import { decision } from './schema/index.ts';

const DAY = 86_400_000;

/** The columns of a tally over a group of `asked`; `percentile_cont` passes over questions that nobody answered. */
const TALLY = sql`count(*)::int as asks,
  (count(*) filter (where state = 'approved'))::int as approved,
  (count(*) filter (where state = 'refused'))::int as refused,
  (count(*) filter (where state = 'expired'))::int as expired,
  (count(*) filter (where state = 'withdrawn'))::int as withdrawn,
  round(percentile_cont(0.5) within group (order by ms))::float8 as "medianMs",
  round(percentile_cont(0.9) within group (order by ms))::float8 as "p90Ms",
  (count(*) filter (where ms < 2000))::int as under2s`;

type Grouped = Tally & { readonly what: 'total' | 'day' | 'agent' | 'rule'; readonly name: string | null };

/**
 * How the questions went that a principal may answer and that were raised in the last `days` days of a time zone, today included.
 * @param tz a name of the time zone database that was checked before
 */
export async function statsOf(db: Queryable, principal: string, days: number, tz: string, now: string): Promise<Stats> {
  const [window] = await rowsOf<{ since: string; today: string }>(
    db,
    sql`select to_char(start at time zone ${tz} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as since, to_char(today, 'YYYY-MM-DD') as today
      from (select date_trunc('day', ${now}::timestamptz at time zone ${tz}) as today) as clock,
        lateral (select today - make_interval(days => ${days - 1}) as start) as first`,
  );
  if (!window) throw new Error('The database has no clock.');
  const groups = await rowsOf<Grouped>(
    db,
    sql`with asked as materialized (
        select state, grounds, case when kind <> 'tool' then agent end as agent, to_char(created_at at time zone ${tz}, 'YYYY-MM-DD') as day,
          case when state in ('approved', 'refused') then extract(epoch from settled_at - created_at) * 1000 end as ms
        from ${decision}
        where answer_by @> array[${principal}]::text[] and created_at >= ${window.since}::timestamptz and created_at <= ${now}::timestamptz)
      select case when grouping(day) = 0 then 'day' when grouping(agent) = 0 then 'agent' else 'total' end as what, coalesce(day, agent) as name, ${TALLY}
        from asked group by grouping sets ((), (day), (agent))
      union all
      select 'rule' as what, rule as name, ${TALLY}
        from asked cross join lateral (select distinct ground ->> 'rule' as rule from jsonb_array_elements(grounds) as ground where ground ? 'rule') as each_rule
        group by rule`,
  );
  const [pending] = await rowsOf<{ count: number }>(
    db,
    sql`select count(*)::int as count from ${decision} where state = 'pending' and answer_by @> array[${principal}]::text[]`,
  );
  const byDay = new Map(groups.filter(({ what }) => what === 'day').map((group) => [group.name, tallyOf(group)]));
  return {
    since: window.since,
    until: now,
    total: tallyOf(groups.find(({ what }) => what === 'total')),
    pending: pending?.count ?? 0,
    days: datesUpTo(window.today, days).map((day) => ({ day, ...(byDay.get(day) ?? tallyOf(undefined)) })),
    rules: named(groups, 'rule'),
    agents: named(groups, 'agent'),
  };
}

const named = (groups: readonly Grouped[], kind: Grouped['what']) =>
  groups
    .flatMap((group) => (group.what === kind && group.name !== null ? { name: group.name, ...tallyOf(group) } : []))
    .sort((a, b) => b.asks - a.asks || (a.name < b.name ? -1 : 1));

const tallyOf = (group: Grouped | undefined): Tally => ({
  asks: group?.asks ?? 0,
  approved: group?.approved ?? 0,
  refused: group?.refused ?? 0,
  expired: group?.expired ?? 0,
  withdrawn: group?.withdrawn ?? 0,
  medianMs: group?.medianMs ?? null,
  p90Ms: group?.p90Ms ?? null,
  under2s: group?.under2s ?? 0,
});

/** Calendar days, which have no hours: counted in UTC, where every day has 24. */
const datesUpTo = (last: string, days: number): readonly string[] =>
  Array.from({ length: days }, (_, place) => new Date(Date.parse(last) - (days - 1 - place) * DAY).toISOString().slice(0, 10));
