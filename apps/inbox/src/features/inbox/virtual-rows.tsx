import type { DecisionRow } from '@countersign/contracts';
import { useSearch } from 'wouter';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { inbox } from '../../words/inbox.ts';
import { DecisionRowView } from './decision-row.tsx';

const ROW_REM = 4;

type Props = {
  readonly rows: readonly DecisionRow[];
  readonly me: string;
  readonly openId: string | null;
  readonly markedId: string | null;
  readonly move: number;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string) => void;
  readonly onMark: (id: string) => void;
  readonly hasMore: boolean;
  readonly onEnd: () => void;
};

const idOf = (row: DecisionRow): string => row.id;

/** The rows of the inbox, of which only those in sight are drawn. */
export function VirtualRows({ rows, me, openId, markedId, move, selected, onSelect, onMark, hasMore, onEnd }: Props) {
  const search = useSearch();
  return (
    <VirtualList
      rows={rows}
      keyOf={idOf}
      rowRem={ROW_REM}
      markedKey={markedId}
      move={move}
      hasMore={hasMore}
      onEnd={onEnd}
      moreLabel={inbox.moreComing}
      draw={(row) => (
        <DecisionRowView
          row={row}
          href={`/decisions/${row.id}${search === '' ? '' : `?${search}`}`}
          me={me}
          isMarked={row.id === markedId}
          isOpen={row.id === openId}
          isSelected={selected.has(row.id)}
          onMark={onMark}
          onSelect={onSelect}
        />
      )}
    />
  );
}
