import type { UseMutationResult } from '@tanstack/react-query';
import { failureOf } from '../data/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { common } from '../words/common.ts';

type Props = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text: string;
  readonly verb: string;
  readonly isGrave?: boolean;
  /** What is done on "yes"; its failure is shown here. */
  readonly act: UseMutationResult<unknown, Error, void>;
};

/** Asks before something that others will feel, and says what it does. */
export const Confirm = ({ open, onClose, title, text, verb, isGrave = false, act }: Props) => (
  <Dialog open={open} onClose={onClose} title={title}>
    <p>{text}</p>
    {act.isError && (
      <div className="mt-3">
        <Notice tone="amber" title={failureOf(act.error).message} urgent />
      </div>
    )}
    <DialogButtons>
      <Button onClick={onClose}>{common.cancel}</Button>
      <Button look={isGrave ? 'grave' : 'strong'} disabled={act.isPending} onClick={() => act.mutate()}>
        {verb}
      </Button>
    </DialogButtons>
  </Dialog>
);
