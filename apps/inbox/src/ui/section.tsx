import { type ReactNode, useId } from 'react';

/** One part of a page, under its heading. `level`: of the heading. */
export function Section({
  title,
  aside,
  children,
  level = 3,
}: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly level?: 2 | 3;
}) {
  const id = useId();
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section aria-labelledby={id} className={level === 2 ? 'mt-8 first:mt-0' : 'mt-6'}>
      <div className="mb-1.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Heading id={id} className={level === 2 ? 'font-semibold' : 'text-sm font-semibold text-quiet'}>
          {title}
        </Heading>
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
