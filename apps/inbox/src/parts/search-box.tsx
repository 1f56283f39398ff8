import { type RefObject, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { withFilter } from './filters.tsx';

const SEARCH_AFTER_MS = 250;

/** Words to look for; they go to `q` of the address when the typing pauses. */
export function SearchBox({ label, box }: { readonly label: string; readonly box?: RefObject<HTMLInputElement | null> }) {
  const [search, setSearch] = useSearchParams();
  const q = search.get('q') ?? '';
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => setSearch((current) => withFilter(current, 'q', typed.trim()), { replace: true }), SEARCH_AFTER_MS);
    return () => clearTimeout(timer);
  }, [typed, q, setSearch]);
  return (
    <input
      ref={box}
      type="search"
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.target.value)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      placeholder={label}
      aria-label={label}
      className="field min-w-0 flex-1"
    />
  );
}
