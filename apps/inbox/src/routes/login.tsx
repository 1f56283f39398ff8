import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, failureOf, unwrap } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Field } from '../ui/field.tsx';
import { common } from '../words/common.ts';
import { login as words } from '../words/shell.ts';

/** How to log in: by a link, which another tab opens, or with a token. `isOver`: a session ended while something was being done. */
export const Login = ({ isOver }: { readonly isOver: boolean }) =>
  isOver ? (
    <div
      role="dialog"
      aria-modal="true"
      aria-labelledby="login-title"
      className="fixed inset-0 z-40 grid place-items-center bg-paper/90 p-4"
    >
      <Card isOver />
    </div>
  ) : (
    <main className="grid min-h-dvh place-items-center p-4">
      <Card isOver={false} />
    </main>
  );

function Card({ isOver }: { readonly isOver: boolean }) {
  const queryClient = useQueryClient();
  const [token, setToken] = useState('');
  const logIn = useMutation({
    mutationFn: () => unwrap(client.login(token.trim())),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <div className="w-full max-w-md rounded-lg border border-line bg-surface p-6">
      <h1 id="login-title" className="text-lg font-semibold">
        {words.title}
      </h1>
      {isOver && <p className="mt-1">{words.ended}</p>}
      <p className="mt-4 text-quiet">{words.byLink}</p>
      <p className="mt-1 flex flex-wrap items-center gap-2">
        <code className="chip">{words.command}</code>
        <Copy text={words.command} label={common.copy} done={common.copied} />
      </p>
      <p className="mt-1 text-sm text-quiet">{words.byLinkNote}</p>
      <form
        className="mt-6 border-t border-line pt-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== '') logIn.mutate();
        }}
      >
        <p className="mb-2 text-quiet">{words.byToken}</p>
        <Field label={words.token} error={logIn.isError ? failureOf(logIn.error).message || words.wrong : undefined}>
          <input
            className="field font-mono text-sm"
            type="password"
            autoComplete="off"
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </Field>
        <Button type="submit" look="strong" size="large" className="mt-3" disabled={logIn.isPending}>
          {words.do}
        </Button>
      </form>
    </div>
  );
}
