import type { Agent } from '@countersign/contracts';
import { Link } from 'wouter';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { agents as words } from '../../words/agents.ts';
import { common } from '../../words/common.ts';
import { StatusMark } from './status-mark.tsx';

/** A person's agents, one line and what each does. */
export const AgentList = ({ agents, openName }: { readonly agents: readonly Agent[]; readonly openName: string | null }) => (
  <ul aria-label={words.list}>
    {agents.map((agent) => (
      <li key={agent.id} className="border-b border-line">
        <Link
          href={`/agents/${encodeURIComponent(agent.name)}`}
          aria-current={agent.name === openName ? 'true' : undefined}
          className={`block px-4 py-2.5 text-ink no-underline -outline-offset-2 ${agent.name === openName ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
        >
          <span className="flex items-baseline gap-3">
            <span className="min-w-0 flex-1 truncate font-medium">{agent.name}</span>
            <span className="text-sm">
              <StatusMark status={agent.status} />
            </span>
          </span>
          <span className="flex gap-1 text-sm text-quiet">
            <span className="min-w-0 flex-1 truncate">
              <Visible text={agent.description} />
            </span>
            <span className="shrink-0">
              {agent.lastSeenAt === null ? words.never : <Ago at={agent.lastSeenAt} suffix={` ${common.ago}`} />}
            </span>
          </span>
        </Link>
      </li>
    ))}
  </ul>
);
