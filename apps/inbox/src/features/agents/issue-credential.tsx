import type { Agent, IssuedCredential, Scope } from '@countersign/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { ConnectSnippet } from '../../parts/connect-snippet.tsx';
import { AGENT_SCOPES } from '../../parts/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Copy } from '../../ui/copy.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { agents as words } from '../../words/agents.ts';
import { common } from '../../words/common.ts';

type Props = { readonly agent: Agent; readonly open: boolean; readonly onClose: () => void };

/** Makes a credential, then shows its secret once. Nothing but the person's own word closes that. */
export function IssueCredential({ agent, open, onClose }: Props) {
  const [issued, setIssued] = useState<IssuedCredential | null>(null);
  const close = (): void => {
    setIssued(null);
    onClose();
  };
  if (!open) return null;
  return issued === null ? (
    <Form agent={agent} onClose={close} onIssued={setIssued} />
  ) : (
    <Dialog open isFirm onClose={close} title={words.issued}>
      <Notice tone="amber">{words.issuedText}</Notice>
      <h3 className="mt-4 text-sm font-semibold text-quiet">{words.secret}</h3>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="chip" data-secret>
          {issued.token}
        </code>
        <Copy text={issued.token} label={common.copy} done={common.copied} />
      </p>
      <h3 className="mt-4 text-sm font-semibold text-quiet">{words.snippet}</h3>
      <ConnectSnippet token={issued.token} />
      <DialogButtons>
        <Button look="strong" onClick={close}>
          {words.stored}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

type FormProps = { readonly agent: Agent; readonly onClose: () => void; readonly onIssued: (issued: IssuedCredential) => void };

const DEFAULT_DAYS = '90';

function Form({ agent, onClose, onIssued }: FormProps) {
  const queryClient = useQueryClient();
  const [label, setLabel] = useState('');
  const [days, setDays] = useState(DEFAULT_DAYS);
  const [scopes, setScopes] = useState<ReadonlySet<Scope> | null>(null);
  const issue = useMutation({
    mutationFn: () =>
      unwrap(
        client.agents.issueCredential(agent.name, {
          label: label.trim(),
          ...(days !== '' && { ttl_days: Number(days) }),
          ...(scopes !== null && { scopes: [...scopes] }),
        }),
      ),
    onSuccess: (issued) => {
      onIssued(issued);
      void queryClient.invalidateQueries({ queryKey: keys.credentials(agent.name) });
    },
    // The secret is in what came back; it must not stay in memory longer than it is shown.
    gcTime: 0,
  });
  return (
    <Dialog open onClose={onClose} title={words.issueTitle(agent.name)}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          issue.mutate();
        }}
      >
        <p className="text-quiet">{words.issueHelp}</p>
        <Field label={words.label} hint={words.labelHint} className="mt-4">
          <input className="field" maxLength={120} value={label} onChange={(event) => setLabel(event.target.value)} />
        </Field>
        <Field label={words.life} className="mt-4">
          <select className="field" value={days} onChange={(event) => setDays(event.target.value)}>
            {LIVES.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Scopes scopes={scopes} onChange={setScopes} />
        {issue.isError && (
          <div className="mt-3">
            <Notice tone="amber" title={failureOf(issue.error).message} urgent />
          </div>
        )}
        <DialogButtons>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" look="strong" disabled={issue.isPending || scopes?.size === 0}>
            {words.doIssue}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

// An object with numbers for keys would put them in its own order.
const LIVES = (['1', '7', '30', '90', '365', ''] as const).map((days) => [days, words.lives[days]] as const);

type ScopesProps = { readonly scopes: ReadonlySet<Scope> | null; readonly onChange: (scopes: ReadonlySet<Scope> | null) => void };

const Scopes = ({ scopes, onChange }: ScopesProps) => (
  <fieldset className="mt-4">
    <legend className="mb-1 text-sm font-medium">{words.scopes}</legend>
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        className="size-4 accent-(--accent)"
        checked={scopes !== null}
        onChange={(event) => onChange(event.target.checked ? new Set(AGENT_SCOPES) : null)}
      />
      {words.narrow}
    </label>
    {scopes !== null && (
      <div className="mt-1 border-l-2 border-line pl-3">
        {AGENT_SCOPES.map((scope) => (
          <label key={scope} className="flex min-h-7 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-(--accent)"
              checked={scopes.has(scope)}
              onChange={(event) => {
                const next = new Set(scopes);
                if (event.target.checked) next.add(scope);
                else next.delete(scope);
                onChange(next);
              }}
            />
            {words.scope[scope]} <code className="font-mono text-quiet">{scope}</code>
          </label>
        ))}
      </div>
    )}
  </fieldset>
);
