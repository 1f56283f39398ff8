import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, failureOf, unwrap } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { agents as words } from '../../words/agents.ts';
import { common } from '../../words/common.ts';

type Props = { readonly open: boolean; readonly onClose: () => void; readonly onAdded: (name: string) => void };

/** A new agent of the reader's, on probation. */
export function AddAgent({ open, onClose, onAdded }: Props) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const add = useMutation({
    mutationFn: () => unwrap(client.agents.create({ name: name.trim(), description: description.trim() })),
    onSuccess: async (agent) => {
      await queryClient.invalidateQueries({ queryKey: keys.agents });
      setName('');
      setDescription('');
      onAdded(agent.name);
    },
  });
  return (
    <Dialog open={open} onClose={onClose} title={words.addTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') add.mutate();
        }}
      >
        <p className="text-quiet">{words.addHelp}</p>
        <Field label={words.name} hint={words.nameHint} className="mt-4" error={add.isError ? failureOf(add.error).message : undefined}>
          <input
            className="field font-mono"
            maxLength={32}
            autoCapitalize="off"
            spellCheck={false}
            required
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label={words.description} className="mt-4">
          <input className="field" maxLength={1000} value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        <DialogButtons>
          <Button onClick={onClose}>{common.close}</Button>
          <Button type="submit" look="strong" disabled={name.trim() === '' || add.isPending}>
            {words.doAdd}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
