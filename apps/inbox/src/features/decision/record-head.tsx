import type { Decision } from '@countersign/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, clock, failureOf, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { ShortId } from '../../parts/short-id.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { TimeLeft } from '../../parts/time-left.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Ago } from '../../ui/time.tsx';
import { common } from '../../words/common.ts';
import { decision as words } from '../../words/decision.ts';

const HOUR = 3_600_000;
const STEPS: readonly (readonly [keyof typeof words.extendBy, number])[] = [
  ['hour', HOUR],
  ['hours', 4 * HOUR],
  ['day', 24 * HOUR],
  ['week', 7 * 24 * HOUR],
];

/** Which decision this is, how it stands, how long it waits. */
export const RecordHead = ({ decision, onBack }: { readonly decision: Decision; readonly onBack: () => void }) => (
  <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
    <button type="button" onClick={onBack} className="min-h-8 rounded pr-2 text-accent wide:hidden">
      <span aria-hidden>‹ </span>
      {words.back}
    </button>
    <StateMark state={decision.state} />
    {decision.state === 'pending' && (
      <>
        <TimeLeft until={decision.expiresAt} since={decision.createdAt} />
        {decision.allowed.includes('extend') && <Extend decision={decision} />}
      </>
    )}
    {decision.needs > 1 && (
      <span>{words.needs(decision.answers.filter((answer) => answer.effect === 'approve').length, decision.needs)}</span>
    )}
    <span className="ml-auto flex items-center gap-2 text-quiet">
      <Ago at={decision.createdAt} suffix={` ${common.ago}`} />
      <ShortId id={decision.id} />
    </span>
  </div>
);

function Extend({ decision }: { readonly decision: Decision }) {
  const queryClient = useQueryClient();
  const extend = useMutation({
    mutationFn: (byMs: number) => {
      const from = Math.max(Date.parse(decision.expiresAt), clock.now());
      return unwrap(client.decisions.extend(decision.id, { version: decision.version, expiresAt: new Date(from + byMs).toISOString() }));
    },
    onSuccess: (record) => queryClient.setQueryData(keys.decision(decision.id), record),
    onSettled: () => queryClient.invalidateQueries({ queryKey: keys.decision(decision.id) }),
  });
  return (
    <>
      <Menu
        label={words.extend}
        name={words.extendName}
        className="text-accent"
        items={STEPS.map(([name, ms]) => ({ id: name, label: `+ ${words.extendBy[name]}`, onSelect: () => extend.mutate(ms) }))}
      />
      {extend.isError && <span className="text-amber">{failureOf(extend.error).message}</span>}
    </>
  );
}
