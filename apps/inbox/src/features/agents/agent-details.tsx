import type { Agent } from '@countersign/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { client, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Button } from '../../ui/button.tsx';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { agents as words } from '../../words/agents.ts';
import { common } from '../../words/common.ts';
import { Credentials } from './credentials.tsx';
import { StatusMark } from './status-mark.tsx';

/** One agent: what it amounts to, what can be done about it, and what it comes in with. */
export const AgentDetails = ({ agent, onBack }: { readonly agent: Agent; readonly onBack: () => void }) => (
  <article aria-labelledby="agent-title" className="h-full overflow-y-auto overscroll-contain" data-agent={agent.name}>
    <div className="mx-auto max-w-3xl px-5 pt-3 pb-10">
      <button type="button" onClick={onBack} className="min-h-8 rounded pr-2 text-sm text-accent wide:hidden">
        <span aria-hidden>‹ </span>
        {words.back}
      </button>
      <h2 id="agent-title" className="mt-2 text-lg font-semibold">
        {agent.name}
      </h2>
      <p className="text-quiet">
        <Visible text={agent.description} />
      </p>
      <div className="mt-4 rounded-md border border-line p-4">
        <p>
          <StatusMark status={agent.status} />
        </p>
        <p className="mt-1 text-sm text-quiet">{words.statusMeans[agent.status]}</p>
        <div className="mt-3 flex gap-2">
          {agent.status !== 'member' && <Admit agent={agent} />}
          {agent.status !== 'suspended' && <Suspend agent={agent} />}
        </div>
      </div>
      <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-1 text-sm">
        <Fact name={words.of}>{agent.principal}</Fact>
        <Fact name={words.added}>
          <Ago at={agent.createdAt} suffix={` ${common.ago}`} />
        </Fact>
        <Fact name={words.seen}>{agent.lastSeenAt === null ? words.never : <Ago at={agent.lastSeenAt} suffix={` ${common.ago}`} />}</Fact>
        <Fact name={words.see}>
          <Link href={`/?state=all&agent=${encodeURIComponent(agent.name)}`}>{words.itsDecisions}</Link>
          {' · '}
          <Link href={`/audit?agent=${encodeURIComponent(agent.name)}`}>{words.itsEvents}</Link>
        </Fact>
        <Fact name={words.id}>
          <ShortId id={agent.id} />
        </Fact>
      </dl>
      <Credentials agent={agent} />
    </div>
  </article>
);

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className="flex gap-2">
    <dt className="text-quiet">{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Does something to an agent and shows the agent as it is then. */
function useChange(change: () => Promise<Agent>, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async (agent) => {
      queryClient.setQueryData<Agent[]>(keys.agents, (all) => all?.map((each) => (each.id === agent.id ? agent : each)));
      onDone();
      await queryClient.invalidateQueries({ queryKey: keys.agents });
    },
  });
}

function Admit({ agent }: { readonly agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  const act = useChange(
    () => unwrap(client.agents.admit(agent.name)),
    () => setOpen(false),
  );
  const verb = agent.status === 'suspended' ? words.admitAgain : words.admit;
  return (
    <>
      <Button look="strong" onClick={() => setOpen(true)}>
        {verb}
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={words.admitTitle(agent.name)}
        text={words.admitText}
        verb={verb}
        act={act}
      />
    </>
  );
}

function Suspend({ agent }: { readonly agent: Agent }) {
  const [isOpen, setOpen] = useState(false);
  const act = useChange(
    () => unwrap(client.agents.suspend(agent.name)),
    () => setOpen(false),
  );
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.suspend}</Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={words.suspendTitle(agent.name)}
        text={words.suspendText}
        verb={words.suspend}
        isGrave
        act={act}
      />
    </>
  );
}
