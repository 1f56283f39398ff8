import type { DecisionRow } from '@countersign/contracts';
import { memo } from 'react';
import { Link } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import { TimeLeft } from '../../parts/time-left.tsx';
import { Ago } from '../../ui/time.tsx';
import { visibleLine } from '../../ui/visible.ts';
import { Chip, Marked, Visible } from '../../ui/visible-text.tsx';
import { listNames } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';

type Props = {
  readonly row: DecisionRow;
  readonly href: string;
  readonly me: string;
  readonly isMarked: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onMark: (id: string) => void;
  readonly onSelect: (id: string) => void;
};

const Who = ({ row, me }: { readonly row: DecisionRow; readonly me: string }) => (
  <>
    <Visible text={row.agent} />
    {row.principal !== me && ` ${inbox.forWhom(row.principal)}`}
    {row.hops > 0 && `, ${inbox.hops(row.hops)}`}
  </>
);

/** What is asked, by whom, why, how old, how long left: two short lines. */
export const DecisionRowView = memo(({ row, href, me, isMarked, isOpen, isSelected, onMark, onSelect }: Props) => (
  <div
    className={`relative flex h-full items-stretch border-b border-line ${isOpen ? 'bg-accent-soft' : isMarked ? 'bg-sunken' : 'hover:bg-sunken'}`}
    data-row={row.id}
    data-marked={isMarked || undefined}
  >
    {isMarked && <span aria-hidden className="absolute inset-y-0 left-0 w-1 bg-accent" />}
    <label className="flex w-9 shrink-0 cursor-pointer items-center justify-center pl-1">
      <input
        type="checkbox"
        className="size-4 accent-(--accent)"
        checked={isSelected}
        onChange={() => onSelect(row.id)}
        disabled={row.state !== 'pending'}
        aria-label={inbox.select(visibleLine(row.title))}
      />
    </label>
    <Link
      href={href}
      onFocus={() => onMark(row.id)}
      aria-current={isOpen ? 'true' : undefined}
      className="flex min-w-0 flex-1 flex-col justify-center gap-0.5 pr-3 text-ink no-underline -outline-offset-2"
    >
      <span className="flex items-baseline gap-3">
        <span className={`min-w-0 flex-1 truncate ${row.irreversible ? 'font-semibold' : 'font-medium'}`}>
          <Marked text={row.title} isBrief />
          {row.telling.map(({ name, value }) => (
            <span key={name}>
              {' '}
              <Chip label={name}>{value}</Chip>
            </span>
          ))}
        </span>
        <span className="shrink-0 text-sm">
          {row.state === 'pending' ? <TimeLeft until={row.expiresAt} since={row.createdAt} /> : <StateMark state={row.state} />}
        </span>
      </span>
      <span className="flex gap-1 text-sm text-quiet">
        <span className="min-w-0 truncate">
          {row.irreversible && <span className="text-red">⚠ {inbox.irreversible} · </span>}
          {row.state !== 'pending' && row.settledBy.length > 0 && `${inbox.byWhom(listNames(row.settledBy))} · `}
          <Who row={row} me={me} /> · <Visible text={row.why} />
        </span>
        <span className="shrink-0">
          · <Ago at={row.createdAt} />
        </span>
      </span>
    </Link>
  </div>
));
