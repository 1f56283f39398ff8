import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { agentList } from '../data/agents.ts';
import { AddAgent } from '../features/agents/add-agent.tsx';
import { AgentDetails } from '../features/agents/agent-details.tsx';
import { AgentList } from '../features/agents/agent-list.tsx';
import { Failure } from '../parts/failure.tsx';
import { useTitle } from '../parts/page.tsx';
import { Button } from '../ui/button.tsx';
import { Blank, Loading } from '../ui/notice.tsx';
import { agents as words } from '../words/agents.ts';
import { common } from '../words/common.ts';

/** The agents of the reader and one of them: side by side where there is room, otherwise the one in place of the list. */
export function AgentsRoute({ name }: { readonly name: string | null }) {
  const [, navigate] = useLocation();
  const [isAdding, setAdding] = useState(false);
  const list = useQuery(agentList);
  useTitle(name ?? words.title);
  if (list.isPending) return <Loading label={common.loading} />;
  if (list.isError && list.data === undefined)
    return <Failure error={list.error} what={words.failed} onAgain={() => void list.refetch()} />;
  const agent = list.data.find((each) => each.name === name);
  return (
    <div className="relative grid h-full min-h-0 wide:grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)]">
      <h1 className="sr-only">{words.title}</h1>
      <div className={`min-h-0 overflow-y-auto border-line wide:border-r ${name === null ? '' : 'max-wide:hidden'}`}>
        <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="font-semibold">{words.list}</h2>
          <Button onClick={() => setAdding(true)}>{words.add}</Button>
        </div>
        {list.data.length === 0 ? <Blank title={words.empty}>{words.emptyHelp}</Blank> : <AgentList agents={list.data} openName={name} />}
      </div>
      <div className={`min-h-0 bg-surface ${name === null ? 'max-wide:hidden' : ''}`}>
        {agent !== undefined ? (
          <AgentDetails key={agent.id} agent={agent} onBack={() => navigate('/agents')} />
        ) : (
          <Blank title={name === null ? words.pick : words.unknown}>{name === null && words.pickHelp}</Blank>
        )}
      </div>
      <AddAgent
        open={isAdding}
        onClose={() => setAdding(false)}
        onAdded={(added) => {
          setAdding(false);
          navigate(`/agents/${added}`);
        }}
      />
    </div>
  );
}
