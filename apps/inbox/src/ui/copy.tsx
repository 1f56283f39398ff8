import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

type Props = { readonly text: string; readonly label: string; readonly done: string };

/** Copies a text and says that it did. */
export function Copy({ text, label, done }: Props) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <Button look="quiet" onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}>
      <span aria-live="polite">{isDone ? done : label}</span>
    </Button>
  );
}
