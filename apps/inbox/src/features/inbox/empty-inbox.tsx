import { ConnectSnippet, mcpAddress } from '../../parts/connect-snippet.tsx';
import { Copy } from '../../ui/copy.tsx';
import { common } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';

/** What will appear here, and how the first agent comes to it. */
export const EmptyInbox = () => (
  <div className="absolute inset-0 overflow-y-auto px-4 py-8">
    <h2 className="text-lg font-semibold">{inbox.empty}</h2>
    <p className="mt-2 text-quiet">{inbox.emptyHelp}</p>
    <h3 className="mt-8 font-semibold">{inbox.connect}</h3>
    <p className="mt-1 text-quiet">{inbox.connectHelp}</p>
    <p className="mt-2 flex flex-wrap items-center gap-2">
      <code className="chip">{mcpAddress()}</code>
      <Copy text={mcpAddress()} label={common.copy} done={common.copied} />
    </p>
    <p className="mt-4 text-quiet">{inbox.connectToken}</p>
    <ConnectSnippet token="csa_…" />
  </div>
);
