import { Copy } from '../../ui/copy.tsx';
import { common } from '../../words/common.ts';
import { inbox } from '../../words/inbox.ts';

/** What will appear here, and how the first agent comes to it. */
export function EmptyInbox() {
  const address = `${location.origin}/mcp`;
  const snippet = JSON.stringify(
    { mcpServers: { countersign: { type: 'http', url: address, headers: { Authorization: 'Bearer csa_…' } } } },
    null,
    2,
  );
  return (
    <div className="absolute inset-0 overflow-y-auto px-4 py-8">
      <h2 className="text-lg font-semibold">{inbox.empty}</h2>
      <p className="mt-2 text-quiet">{inbox.emptyHelp}</p>
      <h3 className="mt-8 font-semibold">{inbox.connect}</h3>
      <p className="mt-1 text-quiet">{inbox.connectHelp}</p>
      <p className="mt-2 flex flex-wrap items-center gap-2">
        <code className="chip">{address}</code>
        <Copy text={address} label={common.copy} done={common.copied} />
      </p>
      <p className="mt-4 text-quiet">{inbox.connectToken}</p>
      <div className="mt-2 rounded border border-line bg-sunken p-3">
        <pre className="font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{snippet}</pre>
        <Copy text={snippet} label={common.copy} done={common.copied} />
      </div>
    </div>
  );
}
