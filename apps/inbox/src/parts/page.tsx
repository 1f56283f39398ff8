import { type ReactNode, useEffect } from 'react';
import { common } from '../words/common.ts';

/** A view that is read from top to bottom, under its title. */
export function Page({ title, aside, children }: { readonly title: string; readonly aside?: ReactNode; readonly children: ReactNode }) {
  useTitle(title);
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto max-w-6xl px-4 pt-5 pb-16 wide:px-6">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <h1 className="text-lg font-semibold">{title}</h1>
          {aside}
        </div>
        {children}
      </div>
    </div>
  );
}

/** What the window is called while a view is shown. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${common.product}`;
  }, [title]);
}
