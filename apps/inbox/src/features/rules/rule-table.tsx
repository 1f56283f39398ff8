import type { RuleRow, RuleTable as Table, Tally } from '@countersign/contracts';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { statsOf } from '../../data/stats.ts';
import { withFilter } from '../../parts/filters.tsx';
import { Button } from '../../ui/button.tsx';
import { spellDuration } from '../../ui/duration.ts';
import { Notice } from '../../ui/notice.tsx';
import { Visible, VisibleBlock } from '../../ui/visible-text.tsx';
import { rules as words } from '../../words/rules.ts';
import { costCells } from './rule-cost.ts';

const DAYS = 30;
/** Rows that are drawn at first; a host may have thousands of rules. */
const STEP = 200;

const matches = (rule: RuleRow, text: string): boolean =>
  [rule.id, rule.tool, rule.when, rule.reason].some((part) => part.toLowerCase().includes(text));

/** Every rule in the order of evaluation, with what it costs; one at a time is open, and the address says which. */
export function RuleTable({ table, find }: { readonly table: Table; readonly find: string }) {
  const [search, setSearch] = useSearchParams();
  const stats = useQuery(statsOf(DAYS));
  const [most, setMost] = useState(STEP);
  const openId = search.get('rule');
  const found = useMemo(() => table.rules.filter((rule) => matches(rule, find.trim().toLowerCase())), [table.rules, find]);
  const shown = found.filter((rule, place) => place < most || rule.id === openId);
  const tallies = useMemo(() => new Map(stats.data?.rules.map((rule) => [rule.name, rule])), [stats.data]);
  if (found.length === 0) return <p className="py-6 text-quiet">{words.noMatch}</p>;
  return (
    <>
      <p className="mb-3 max-w-3xl text-sm text-quiet">{words.costNote(DAYS)}</p>
      {stats.isError && (
        <div className="mb-3">
          <Notice>{words.noCost}</Notice>
        </div>
      )}
      <table className="w-full border-collapse text-left">
        <thead>
          <tr className="border-b border-line-strong text-sm text-quiet">
            <Head isNumber>{words.columns.order}</Head>
            <Head>{words.columns.rule}</Head>
            <Head className="max-sm:hidden">{words.columns.tool}</Head>
            <Head>{words.columns.effect}</Head>
            <Head isNumber>{words.columns.asks}</Head>
            <Head isNumber className="max-sm:hidden">
              {words.columns.approved}
            </Head>
            <Head isNumber className="max-wide:hidden">
              {words.columns.median}
            </Head>
            <Head isNumber className="max-wide:hidden">
              {words.columns.under2s}
            </Head>
          </tr>
        </thead>
        <tbody>
          {shown.map((rule) => (
            <Fragment key={rule.id}>
              <Row
                rule={rule}
                tally={tallies.get(rule.id)}
                since={stats.data?.since}
                isOpen={rule.id === openId}
                onToggle={() => setSearch(withFilter(search, 'rule', rule.id === openId ? null : rule.id), { replace: true })}
              />
              {rule.id === openId && <Details rule={rule} />}
            </Fragment>
          ))}
        </tbody>
      </table>
      {found.length > most && (
        <Button className="mt-3" onClick={() => setMost(most + STEP)}>
          {words.more(Math.min(STEP, found.length - most))}
        </Button>
      )}
    </>
  );
}

const Head = ({ children, isNumber = false, className = '' }: { children: ReactNode; isNumber?: boolean; className?: string }) => (
  <th scope="col" className={`px-2 py-1.5 font-medium ${isNumber ? 'text-right' : ''} ${className}`}>
    {children}
  </th>
);

type RowProps = {
  readonly rule: RuleRow;
  readonly tally: Tally | undefined;
  /** From when on it was counted; nothing where it could not be. */
  readonly since: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
};

function Row({ rule, tally, since, isOpen, onToggle }: RowProps) {
  const row = useRef<HTMLTableRowElement>(null);
  const isFirst = useRef(isOpen);
  useEffect(() => {
    // Somebody came here for this rule.
    if (isFirst.current) row.current?.scrollIntoView({ block: 'center' });
  }, []);
  const cells = costCells(tally);
  const number = (text: string) => (since === undefined ? '' : text);
  return (
    <tr ref={row} className={`border-b border-line align-top ${isOpen ? 'bg-accent-soft' : 'hover:bg-sunken'}`} data-rule={rule.id}>
      <td className="px-2 py-2 text-right text-quiet">{rule.order}</td>
      <td className="px-2 py-2">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={words.show(rule.id)}
          onClick={onToggle}
          className="text-left font-mono text-sm font-medium underline decoration-line-strong underline-offset-4"
        >
          {rule.id}
        </button>
        <div className="text-sm text-quiet">
          <Visible text={rule.when} />
          {rule.mode === 'shadow' && <span> · {words.shadow}</span>}
          {rule.irreversible && <span className="text-red"> · ⚠ {words.irreversible}</span>}
        </div>
      </td>
      <td className="px-2 py-2 font-mono text-sm [overflow-wrap:anywhere] max-sm:hidden">{rule.tool}</td>
      <td className={`px-2 py-2 whitespace-nowrap ${rule.effect === 'refuse' ? 'font-semibold' : ''}`}>{words.effect[rule.effect]}</td>
      <td className="px-2 py-2 text-right">
        {since !== undefined && tally !== undefined ? (
          <Link href={`/?state=all&since=${since}&rule=${encodeURIComponent(rule.id)}`}>{cells.asks}</Link>
        ) : (
          number(cells.asks)
        )}
      </td>
      <td className="px-2 py-2 text-right max-sm:hidden">{number(cells.approved)}</td>
      <td className="px-2 py-2 text-right whitespace-nowrap max-wide:hidden">{number(cells.median)}</td>
      <td className="px-2 py-2 text-right max-wide:hidden">{number(cells.under2s)}</td>
    </tr>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex gap-3 py-0.5">
    <dt className="w-24 shrink-0 text-quiet">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);

const Details = ({ rule }: { readonly rule: RuleRow }) => (
  <tr className="border-b border-line bg-accent-soft">
    <td />
    <td colSpan={7} className="px-2 pb-3">
      <dl className="text-sm">
        <Fact name={words.reason}>
          <VisibleBlock text={rule.reason} />
        </Fact>
        <Fact name={words.match}>
          {rule.match === null ? (
            words.always
          ) : (
            <code className="font-mono [overflow-wrap:anywhere]">
              <Visible text={rule.match} />
            </code>
          )}
        </Fact>
        <Fact name={words.columns.tool}>
          <code className="font-mono [overflow-wrap:anywhere]">{rule.tool}</code>
        </Fact>
        <Fact name={words.answerBy}>{rule.answerBy.length === 0 ? words.ownPrincipal : words.answerers(rule.answerBy, rule.needs)}</Fact>
        <Fact name={words.waits}>
          {spellDuration(rule.expiresMs)}
          {typeof rule.remindMs === 'number' && `, ${words.reminds(spellDuration(rule.remindMs))}`}
        </Fact>
        {typeof rule.title === 'string' && (
          <Fact name={words.headline}>
            <code className="font-mono [overflow-wrap:anywhere]">
              <Visible text={rule.title} />
            </code>
          </Fact>
        )}
        <Fact name={words.see}>
          <Link href={`/?state=all&rule=${encodeURIComponent(rule.id)}`}>{words.itsDecisions}</Link> ·{' '}
          <Link href={`/rules?view=try${rule.tool.includes('*') ? '' : `&tool=${encodeURIComponent(rule.tool)}`}`}>{words.tryIt}</Link>
        </Fact>
      </dl>
    </td>
  </tr>
);
