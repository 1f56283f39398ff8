import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client, failureOf, unwrap } from '../data/client.ts';
import { takeHostState } from '../data/me.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { changeSettings, type Settings, useSettings } from '../ui/settings.ts';
import { common } from '../words/common.ts';
import { shell as words } from '../words/shell.ts';

type Props = { readonly open: boolean; readonly onClose: () => void };

export const KeysDialog = ({ open, onClose }: Props) => (
  <Dialog open={open} onClose={onClose} title={words.helpTitle}>
    <table className="w-full">
      <tbody>
        {words.keysTable.map(([key, meaning]) => (
          <tr key={key} className="border-b border-line last:border-0">
            <th scope="row" className="w-24 py-1.5 text-left font-mono font-medium">
              {key}
            </th>
            <td className="py-1.5">{meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <p className="mt-3 text-sm text-quiet">{words.helpNote}</p>
    <DialogButtons>
      <Button onClick={onClose}>{common.close}</Button>
    </DialogButtons>
  </Dialog>
);

const UNDO: readonly Settings['undoSeconds'][] = [0, 5, 10];
const SCHEMES: readonly Settings['scheme'][] = ['system', 'light', 'dark'];

export function SettingsDialog({ open, onClose }: Props) {
  const settings = useSettings();
  return (
    <Dialog open={open} onClose={onClose} title={words.settingsTitle}>
      <div className="space-y-4">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-(--accent)"
            checked={settings.keys}
            onChange={(event) => changeSettings({ keys: event.target.checked })}
          />
          {words.setKeys}
        </label>
        <Field label={words.setUndo}>
          <select
            className="field"
            value={settings.undoSeconds}
            onChange={(event) => changeSettings({ undoSeconds: UNDO.find((each) => String(each) === event.target.value) ?? 0 })}
          >
            {UNDO.map((seconds) => (
              <option key={seconds} value={seconds}>
                {words.undoChoices[seconds]}
              </option>
            ))}
          </select>
        </Field>
        <Field label={words.setScheme}>
          <select
            className="field"
            value={settings.scheme}
            onChange={(event) => changeSettings({ scheme: SCHEMES.find((each) => each === event.target.value) ?? 'system' })}
          >
            {SCHEMES.map((scheme) => (
              <option key={scheme} value={scheme}>
                {words.schemes[scheme]}
              </option>
            ))}
          </select>
        </Field>
        <p className="text-sm text-quiet">{words.settingsNote}</p>
      </div>
      <DialogButtons>
        <Button onClick={onClose}>{common.close}</Button>
      </DialogButtons>
    </Dialog>
  );
}

export function FreezeDialog({ open, onClose }: Props) {
  const queryClient = useQueryClient();
  const [reason, setReason] = useState('');
  const freeze = useMutation({
    mutationFn: () => unwrap(client.host.freeze(reason.trim())),
    onSuccess: (host) => {
      setReason('');
      onClose();
      takeHostState(queryClient, host);
    },
  });
  return (
    <Dialog open={open} onClose={onClose} title={words.freezeTitle}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.trim() !== '') freeze.mutate();
        }}
      >
        <p>{words.freezeText}</p>
        <Field label={words.freezeReason} className="mt-4" error={freeze.isError ? failureOf(freeze.error).message : undefined}>
          <input className="field" maxLength={500} required value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
        <DialogButtons>
          <Button onClick={onClose}>{words.freezeKeep}</Button>
          <Button type="submit" look="strong" disabled={reason.trim() === '' || freeze.isPending}>
            {words.freezeDo}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
