import { failureOf } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Blank, Notice } from '../ui/notice.tsx';
import { common } from '../words/common.ts';
import { shell } from '../words/shell.ts';

/** Why something could not be read, and what to do. */
export function Failure({ error, what, onAgain }: { readonly error: unknown; readonly what: string; readonly onAgain?: () => void }) {
  const { code, message, requestId } = failureOf(error);
  if (code === 'not_found') return <Blank title={shell.notFound}>{shell.notFoundHelp}</Blank>;
  if (code === 'credential.forbidden') return <Blank title={shell.forbidden}>{message || shell.forbiddenHelp}</Blank>;
  return (
    <div className="p-5">
      <Notice tone="amber" title={shell.failed(what)} urgent>
        <p>{message}</p>
        {requestId && <p className="font-mono text-quiet">{shell.requestId(requestId)}</p>}
        {onAgain && (
          <Button className="mt-2" onClick={onAgain}>
            {common.again}
          </Button>
        )}
      </Notice>
    </div>
  );
}
