import type { Me } from '@countersign/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { client, unwrap } from '../data/client.ts';
import { useConnection } from '../data/connection.ts';
import { decisionCount, PENDING } from '../data/decisions.ts';
import { dismissLost, useHeldAnswers } from '../data/held-answers.ts';
import { hostState, takeHostState } from '../data/me.ts';
import { Button } from '../ui/button.tsx';
import { useKeys } from '../ui/keyboard.ts';
import { Menu } from '../ui/menu.tsx';
import { useSettings } from '../ui/settings.ts';
import { Ago } from '../ui/time.tsx';
import { Marked, Visible } from '../ui/visible-text.tsx';
import { common } from '../words/common.ts';
import { answering } from '../words/decision.ts';
import { shell as words } from '../words/shell.ts';
import { FreezeDialog, KeysDialog, SettingsDialog } from './shell-dialogs.tsx';

type Open = 'keys' | 'settings' | 'freeze' | null;

/** What is around every view: where to go, who is logged in, whether the host is frozen and the page is connected. */
export function Shell({ me, children }: { readonly me: Me; readonly children: ReactNode }) {
  const [open, setOpen] = useState<Open>(null);
  const { keys: areKeysOn } = useSettings();
  useKeys({ '?': () => setOpen('keys') }, areKeysOn);
  const close = (): void => setOpen(null);
  return (
    <div className="flex h-dvh flex-col">
      <a href="#content" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2">
        {words.skip}
      </a>
      <Header me={me} onOpen={setOpen} />
      <Frozen me={me} />
      <Offline />
      <Lost />
      <main id="content" className="min-h-0 flex-1">
        {children}
      </main>
      <p id="announcements" role="status" aria-live="polite" className="sr-only" />
      <KeysDialog open={open === 'keys'} onClose={close} />
      <SettingsDialog open={open === 'settings'} onClose={close} />
      <FreezeDialog open={open === 'freeze'} onClose={close} />
    </div>
  );
}

const PAGES = [
  ['/', common.nav.inbox],
  ['/audit', common.nav.audit],
  ['/rules', common.nav.rules],
  ['/mandate', common.nav.mandate],
  ['/agents', common.nav.agents],
  ['/stats', common.nav.stats],
] as const;

const isAt = (path: string, location: string): boolean =>
  path === '/' ? location === '/' || location.startsWith('/decisions/') : location === path || location.startsWith(`${path}/`);

function Header({ me, onOpen }: { readonly me: Me; readonly onOpen: (open: Open) => void }) {
  const [location] = useLocation();
  const queryClient = useQueryClient();
  const isRecord = location.startsWith('/decisions/');
  const logOut = useMutation({
    mutationFn: () => unwrap(client.logout()),
    onSettled: () => window.location.assign('/'),
    onSuccess: () => queryClient.clear(),
  });
  return (
    <header
      className={`flex flex-wrap items-center gap-x-4 border-b border-line bg-paper px-4 wide:h-12 wide:flex-nowrap ${isRecord ? 'max-wide:hidden' : ''}`}
    >
      <span className="font-semibold tracking-tight max-sm:py-1.5">{common.product}</span>
      <nav
        aria-label={words.navLabel}
        className="order-last -mx-4 flex min-w-0 gap-1 overflow-x-auto px-3 max-wide:basis-full wide:order-none wide:mx-auto"
      >
        {PAGES.map(([path, label]) => (
          <Link
            key={path}
            href={path}
            aria-current={isAt(path, location) ? 'page' : undefined}
            className={`flex min-h-11 items-center border-b-2 px-2.5 whitespace-nowrap no-underline -outline-offset-2 wide:min-h-12 ${isAt(path, location) ? 'border-accent font-semibold text-ink' : 'border-transparent text-quiet hover:text-ink'}`}
          >
            {label}
            {path === '/' && <PendingCount />}
          </Link>
        ))}
      </nav>
      <span className="ml-auto flex items-center gap-1 wide:ml-0">
        {!me.frozen && (
          <Button look="quiet" onClick={() => onOpen('freeze')}>
            {words.freeze}
          </Button>
        )}
        <Menu
          label={me.principal.name}
          name={words.menu(me.principal.displayName)}
          items={[
            { id: 'settings', label: words.settings, onSelect: () => onOpen('settings') },
            { id: 'keys', label: words.keys, onSelect: () => onOpen('keys') },
            { id: 'out', label: words.logOut, onSelect: () => logOut.mutate() },
          ]}
        />
      </span>
    </header>
  );
}

function PendingCount() {
  const waiting = useQuery(decisionCount(PENDING));
  if (waiting.data === undefined || waiting.data === 0) return null;
  return (
    <span className="ml-1.5 rounded-full bg-accent px-1.5 text-sm leading-5 font-semibold text-on-accent">
      {waiting.data.toLocaleString('en')}
    </span>
  );
}

function Frozen({ me }: { readonly me: Me }) {
  const host = useQuery({ ...hostState, enabled: me.frozen });
  const queryClient = useQueryClient();
  const thaw = useMutation({ mutationFn: () => unwrap(client.host.thaw()), onSuccess: (state) => takeHostState(queryClient, state) });
  if (!me.frozen) return null;
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b-2 border-amber bg-amber-soft px-4 py-2 text-sm">
      <span className="font-semibold">❄ {words.frozen}</span>
      {host.data?.frozenBy && (
        <span>
          {words.frozenBy(host.data.frozenBy)}
          {host.data.frozenAt && (
            <>
              , <Ago at={host.data.frozenAt} suffix={` ${common.ago}`} />
            </>
          )}
          {host.data.reason && (
            <>
              : “<Visible text={host.data.reason} />”
            </>
          )}
        </span>
      )}
      <Button disabled={thaw.isPending} onClick={() => thaw.mutate()}>
        {words.thaw}
      </Button>
    </div>
  );
}

function Offline() {
  if (useConnection() !== 'offline') return null;
  return (
    <p role="alert" className="border-b border-amber bg-amber-soft px-4 py-2 text-sm">
      ⚠ {words.offline}
    </p>
  );
}

/** Approvals that waited for a change of mind and were then not accepted. */
function Lost() {
  const { lost } = useHeldAnswers();
  if (lost.length === 0) return null;
  return (
    <div role="alert" className="border-b border-amber bg-amber-soft px-4 py-2 text-sm">
      {lost.map((each) => (
        <p key={each.decision}>
          {answering.notSent}:{' '}
          <Link href={`/decisions/${each.decision}`}>
            <Marked text={each.title} />
          </Link>{' '}
          · <Visible text={each.reason} />
        </p>
      ))}
      <Button look="quiet" onClick={dismissLost}>
        {common.close}
      </Button>
    </div>
  );
}
