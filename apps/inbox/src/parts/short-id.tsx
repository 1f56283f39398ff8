import { useEffect, useState } from 'react';
import { common } from '../words/common.ts';

/** Prefix, start and end: enough to recognise, and the whole of it goes to the clipboard. */
export const shorten = (id: string): string => {
  const [, prefix = '', rest = ''] = /^(\w+[_:])(.+)$/.exec(id) ?? [];
  return rest.length < 12 ? id : `${prefix}${rest.slice(0, 4)}…${rest.slice(-4)}`;
};

export function ShortId({ id }: { readonly id: string }) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [isDone]);
  return (
    <button
      type="button"
      title={`${common.copy}: ${id}`}
      onClick={() => void navigator.clipboard.writeText(id).then(() => setDone(true))}
      className="rounded px-1 font-mono text-sm text-quiet hover:bg-sunken"
    >
      <span aria-live="polite">{isDone ? common.copied : shorten(id)}</span>
    </button>
  );
}
