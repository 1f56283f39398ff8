import type { Agent, Credential } from '@countersign/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { credentialList } from '../../data/agents.ts';
import { client, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { ShortId } from '../../parts/short-id.tsx';
import { Button } from '../../ui/button.tsx';
import { spellTime } from '../../ui/duration.ts';
import { Loading } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Fold, Section } from '../../ui/section.tsx';
import { Ago } from '../../ui/time.tsx';
import { Visible } from '../../ui/visible-text.tsx';
import { agents as words } from '../../words/agents.ts';
import { common } from '../../words/common.ts';
import { IssueCredential } from './issue-credential.tsx';

const MINUTE = 60_000;

/** Why a credential opens nothing any more; null while it does. */
export const endOf = (credential: Credential, now: number): 'revoked' | 'expired' | null => {
  if (credential.revokedAt !== null) return 'revoked';
  return credential.expiresAt !== null && Date.parse(credential.expiresAt) <= now ? 'expired' : null;
};

/** What an agent comes in with: those that work, then, folded, those that no longer do. */
export function Credentials({ agent }: { readonly agent: Agent }) {
  const list = useQuery(credentialList(agent.name));
  const now = useNow(MINUTE);
  const [isIssuing, setIssuing] = useState(false);
  const all = list.data ?? [];
  const ended = all.filter((credential) => endOf(credential, now) !== null);
  const working = all.filter((credential) => !ended.includes(credential));
  return (
    <Section title={words.credentials} level={2} aside={<Button onClick={() => setIssuing(true)}>{words.issue}</Button>}>
      {list.isPending ? (
        <Loading label={common.loading} />
      ) : list.isError && list.data === undefined ? (
        <Failure error={list.error} what={words.credentialsFailed} onAgain={() => void list.refetch()} />
      ) : (
        <>
          {working.length === 0 && <p className="text-quiet">{words.noCredentials}</p>}
          <Rows agent={agent} credentials={working} now={now} />
          {ended.length > 0 && (
            <Fold title={words.endedOnes(ended.length)}>
              <Rows agent={agent} credentials={ended} now={now} />
            </Fold>
          )}
        </>
      )}
      <IssueCredential agent={agent} open={isIssuing} onClose={() => setIssuing(false)} />
    </Section>
  );
}

type RowsProps = { readonly agent: Agent; readonly credentials: readonly Credential[]; readonly now: number };

const Rows = ({ agent, credentials, now }: RowsProps) => (
  <ul className="divide-y divide-line">
    {credentials.map((credential) => (
      <li key={credential.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
        <div className="min-w-0 flex-1 basis-72">
          <p>
            {credential.label === '' ? <span className="text-quiet">{words.noLabel}</span> : <Visible text={credential.label} />}{' '}
            <ShortId id={credential.id} />
          </p>
          <p className="text-sm text-quiet">
            {credential.scopes === null ? words.allScopes : credential.scopes.map((scope) => words.scope[scope]).join(', ')}
          </p>
          <p className="text-sm text-quiet">
            {words.lastUsed} {credential.lastUsedAt === null ? words.never : <Ago at={credential.lastUsedAt} suffix={` ${common.ago}`} />} ·{' '}
            <End credential={credential} now={now} />
          </p>
        </div>
        {endOf(credential, now) === null && <Revoke agent={agent} credential={credential} />}
      </li>
    ))}
  </ul>
);

function End({ credential, now }: { readonly credential: Credential; readonly now: number }) {
  const end = endOf(credential, now);
  const at = end === 'revoked' ? credential.revokedAt : credential.expiresAt;
  if (at === null) return <>{words.neverExpires}</>;
  return (
    <>
      {end === null ? words.expires : words.ended[end]} <time dateTime={at}>{spellTime(at)}</time>
    </>
  );
}

function Revoke({ agent, credential }: { readonly agent: Agent; readonly credential: Credential }) {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const act = useMutation({
    mutationFn: () => unwrap(client.credentials.revoke(credential.id)),
    onSuccess: async () => {
      setOpen(false);
      await queryClient.invalidateQueries({ queryKey: keys.credentials(agent.name) });
    },
  });
  return (
    <>
      <Button aria-label={words.revokeName(credential.label || credential.id)} onClick={() => setOpen(true)}>
        {words.revoke}
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={words.revokeTitle}
        text={words.revokeText}
        verb={words.revoke}
        isGrave
        act={act}
      />
    </>
  );
}
