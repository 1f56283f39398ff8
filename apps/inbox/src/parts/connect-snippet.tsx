import { Copy } from '../ui/copy.tsx';
import { common } from '../words/common.ts';

/** Where agents speak MCP to this host. */
export const mcpAddress = (): string => `${location.origin}/mcp`;

/** What to paste into an MCP client, whole with the credential where it is known. */
export function ConnectSnippet({ token }: { readonly token: string }) {
  const snippet = JSON.stringify(
    { mcpServers: { countersign: { type: 'http', url: mcpAddress(), headers: { Authorization: `Bearer ${token}` } } } },
    null,
    2,
  );
  return (
    <div className="mt-2 rounded border border-line bg-sunken p-3">
      <pre className="font-mono text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{snippet}</pre>
      <Copy text={snippet} label={common.copy} done={common.copied} />
    </div>
  );
}
