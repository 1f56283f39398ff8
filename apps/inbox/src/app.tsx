import type { Me } from '@countersign/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Route, Switch } from 'wouter';
import { useLive } from './data/live.ts';
import { useMe } from './data/me.ts';
import { Failure } from './parts/failure.tsx';
import { InboxRoute } from './routes/inbox.tsx';
import { Login } from './routes/login.tsx';
import { Shell } from './routes/shell.tsx';
import { Blank, Loading } from './ui/notice.tsx';
import { common } from './words/common.ts';
import { shell } from './words/shell.ts';

const AuditRoute = lazy(() => import('./routes/audit.tsx').then((module) => ({ default: module.AuditRoute })));
const RulesRoute = lazy(() => import('./routes/rules.tsx').then((module) => ({ default: module.RulesRoute })));
const MandateRoute = lazy(() => import('./routes/mandate.tsx').then((module) => ({ default: module.MandateRoute })));
const StatsRoute = lazy(() => import('./routes/stats.tsx').then((module) => ({ default: module.StatsRoute })));
const AgentsRoute = lazy(() => import('./routes/agents.tsx').then((module) => ({ default: module.AgentsRoute })));

const Views = ({ me }: { readonly me: string }) => (
  <Suspense fallback={<Loading label={common.loading} />}>
    <Switch>
      <Route path="/audit">
        <AuditRoute />
      </Route>
      <Route path="/rules">
        <RulesRoute />
      </Route>
      <Route path="/mandate">
        <MandateRoute />
      </Route>
      <Route path="/stats">
        <StatsRoute />
      </Route>
      <Route path="/agents/:name?">{({ name }) => <AgentsRoute name={name ?? null} />}</Route>
      <Route path="/">
        <InboxRoute me={me} openId={null} />
      </Route>
      <Route path="/decisions/:id">{({ id }) => <InboxRoute me={me} openId={id} />}</Route>
      <Route>
        <Blank title={shell.notFound} isPage>
          {shell.notFoundHelp}
        </Blank>
      </Route>
    </Switch>
  </Suspense>
);

/** Who was last logged in: what they see stays in place under the login, so that an answer half written is not lost. */
function useLastMe(me: Me | null | undefined): Me | null {
  const queryClient = useQueryClient();
  const last = useRef<Me | null>(null);
  const name = me?.principal.name;
  useEffect(() => {
    // Somebody else logged in in this browser: what the page knows is not theirs.
    return () => {
      if (name !== undefined) lastName = name;
    };
  }, [name]);
  useEffect(() => {
    if (name === undefined || lastName === null || lastName === name) return;
    lastName = name;
    queryClient.clear();
    sessionStorage.clear();
  }, [name, queryClient]);
  if (me) last.current = me;
  return me ?? last.current;
}
let lastName: string | null = null;

/** The whole page: its views for whoever is logged in, and the login above them when nobody is any more. */
export function App() {
  const { data: me, error, refetch } = useMe();
  const known = useLastMe(me);
  useLive(me !== null && me !== undefined);
  if (me === undefined && error) return <Failure error={error} what={common.product} onAgain={() => void refetch()} />;
  if (me === undefined) return <Loading label={common.loading} />;
  if (known === null) return <Login isOver={false} />;
  return (
    <>
      <Shell me={known}>
        <Views me={known.principal.name} />
      </Shell>
      {me === null && <Login isOver />}
    </>
  );
}
