import { type ReactNode, useId } from 'react';

/** One part of a record, under its heading. */
export function Section({
  title,
  aside,
  children,
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-6">
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h3 id={id} className="text-sm font-semibold text-quiet">
          {title}
        </h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** A part that is there on demand. */
export const Fold = ({
  title,
  children,
  isOpen = false,
}: {
  readonly title: ReactNode;
  readonly children: ReactNode;
  readonly isOpen?: boolean;
}) => (
  <details className="mt-4" open={isOpen}>
    <summary className="w-fit rounded text-sm font-semibold text-quiet hover:text-ink">{title}</summary>
    <div className="mt-2">{children}</div>
  </details>
);
