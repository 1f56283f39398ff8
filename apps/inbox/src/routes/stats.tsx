import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { statsOf } from '../data/stats.ts';
import { ByName } from '../features/stats/by-name.tsx';
import { AsksPerDay, TimePerDay } from '../features/stats/day-plots.tsx';
import { Figures } from '../features/stats/figures.tsx';
import { Failure } from '../parts/failure.tsx';
import { withFilter } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { Blank, Loading } from '../ui/notice.tsx';
import { common } from '../words/common.ts';
import { stats as words } from '../words/stats.ts';

const PERIODS = [7, 30, 90] as const;

/** How often the reader was asked, how long answers took and what they were. */
export function StatsRoute() {
  const [search, setSearch] = useSearchParams();
  const days = PERIODS.find((each) => String(each) === search.get('days')) ?? 30;
  const stats = useQuery({ ...statsOf(days), placeholderData: keepPreviousData });
  const choose = (
    <label className="flex items-center gap-2 text-sm">
      {words.period}
      <select
        className="field w-auto"
        value={days}
        onChange={(event) => setSearch(withFilter(search, 'days', event.target.value === '30' ? null : event.target.value))}
      >
        {PERIODS.map((each) => (
          <option key={each} value={each}>
            {words.periods[each]}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <Page title={words.title} aside={choose}>
      <p className="mb-6 max-w-3xl text-quiet">{words.help}</p>
      {stats.data === undefined ? (
        stats.isError ? (
          <Failure error={stats.error} what={words.failed} onAgain={() => void stats.refetch()} />
        ) : (
          <Loading label={common.loading} />
        )
      ) : (
        <>
          <Figures stats={stats.data} />
          {stats.data.total.asks === 0 ? (
            <Blank title={words.empty}>{words.emptyHelp}</Blank>
          ) : (
            <>
              <AsksPerDay stats={stats.data} />
              <TimePerDay stats={stats.data} />
              <ByName
                title={words.byRule}
                rows={stats.data.rules}
                hrefOf={(name) => `/?state=all&since=${stats.data.since}&rule=${encodeURIComponent(name)}`}
                empty={words.noRule}
              />
              <ByName
                title={words.byAgent}
                rows={stats.data.agents}
                hrefOf={(name) => `/?state=all&since=${stats.data.since}&agent=${encodeURIComponent(name)}`}
              />
            </>
          )}
        </>
      )}
    </Page>
  );
}
