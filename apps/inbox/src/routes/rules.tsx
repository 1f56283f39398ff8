import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ruleTable } from '../data/rules.ts';
import { RuleTable } from '../features/rules/rule-table.tsx';
import { ToolTable } from '../features/rules/tool-table.tsx';
import { TryCall } from '../features/rules/try-call.tsx';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { ShortId } from '../parts/short-id.tsx';
import { Blank, Loading } from '../ui/notice.tsx';
import { common } from '../words/common.ts';
import { rules as words } from '../words/rules.ts';

const VIEWS = ['rules', 'tools', 'try'] as const;
type View = (typeof VIEWS)[number];

/** The host's rules, what they make of each tool, and a call to try them with. */
export function RulesRoute() {
  const [search] = useSearchParams();
  const [find, setFind] = useState('');
  const table = useQuery(ruleTable);
  const view: View = VIEWS.find((each) => each === search.get('view')) ?? 'rules';
  if (table.isPending) return <Loading label={common.loading} />;
  if (table.isError && table.data === undefined)
    return <Failure error={table.error} what={words.failed} onAgain={() => void table.refetch()} />;
  return (
    <Page
      title={words.title}
      aside={
        <span className="flex items-center gap-2 text-sm text-quiet">
          {words.loaded(table.data.rules.length)} <ShortId id={table.data.digest} />
        </span>
      }
    >
      <p className="max-w-3xl text-quiet">{words.help}</p>
      <div className="my-4 flex flex-wrap items-center gap-3">
        <Views view={view} />
        {view !== 'try' && (
          <input
            type="search"
            className="field max-w-xs"
            placeholder={words.find}
            aria-label={words.find}
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
        )}
      </div>
      {view === 'try' ? (
        <TryCall table={table.data} />
      ) : view === 'tools' ? (
        <ToolTable table={table.data} find={find} />
      ) : table.data.rules.length === 0 ? (
        <Blank title={words.empty}>{words.emptyHelp}</Blank>
      ) : (
        <RuleTable table={table.data} find={find} />
      )}
    </Page>
  );
}

const Views = ({ view }: { readonly view: View }) => (
  <nav aria-label={words.viewsLabel} className="flex overflow-hidden rounded-md border border-line-strong">
    {VIEWS.map((each) => (
      <Link
        key={each}
        href={each === 'rules' ? '/rules' : `/rules?view=${each}`}
        aria-current={each === view ? 'page' : undefined}
        className={`flex min-h-9 items-center px-3 text-sm no-underline -outline-offset-2 ${each === view ? 'bg-accent-soft font-semibold text-ink' : 'text-quiet hover:bg-sunken'}`}
      >
        {words.views[each]}
      </Link>
    ))}
  </nav>
);
