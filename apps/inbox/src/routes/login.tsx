import { Dialog } from '@base-ui/react/dialog';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { client, failureOf, unwrap } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Field } from '../ui/field.tsx';
import { common } from '../words/common.ts';
import { login as words } from '../words/shell.ts';

/** How to log in: by a link, which another tab opens, or with a token. `isOver`: a session ended while something was being done. */
export const Login = ({ isOver }: { readonly isOver: boolean }) =>
  isOver ? (
    <Over />
  ) : (
    <main className="grid min-h-dvh place-items-center p-4">
      <Card title={<h1 className={TITLE}>{words.title}</h1>} />
    </main>
  );

const TITLE = 'text-lg font-semibold';

/** Above what was being done, which stays in place. It takes the focus at once: a token must never be typed into a note. */
function Over() {
  const token = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-60 bg-paper opacity-90" />
        <Dialog.Popup
          initialFocus={token}
          className="fixed top-1/2 left-1/2 z-60 w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2"
        >
          <Card
            tokenBox={token}
            title={
              <>
                <Dialog.Title className={TITLE}>{words.title}</Dialog.Title>
                <p className="mt-1">{words.ended}</p>
              </>
            }
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Card({ title, tokenBox }: { readonly title: ReactNode; readonly tokenBox?: RefObject<HTMLInputElement | null> }) {
  const queryClient = useQueryClient();
  const [token, setToken] = useState('');
  const logIn = useMutation({
    mutationFn: () => unwrap(client.login(token.trim())),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <div className="w-full max-w-md rounded-lg border border-line bg-surface p-6">
      {title}
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
            ref={tokenBox}
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
