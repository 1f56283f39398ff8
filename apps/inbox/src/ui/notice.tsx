import type { ReactNode } from 'react';

type Tone = 'plain' | 'amber' | 'red';
const TONES: Readonly<Record<Tone, string>> = {
  plain: 'border-line bg-sunken',
  amber: 'border-amber bg-amber-soft',
  red: 'border-red bg-red-soft',
};

/** Something that the reader should know before going on. `urgent`: said at once by a screen reader. */
export const Notice = ({
  tone = 'plain',
  title,
  children,
  urgent = false,
}: {
  readonly tone?: Tone;
  readonly title?: ReactNode;
  readonly children?: ReactNode;
  readonly urgent?: boolean;
}) => (
  <div role={urgent ? 'alert' : undefined} className={`rounded-md border-l-4 px-3 py-2 text-sm ${TONES[tone]}`}>
    {title && <p className="font-semibold">{title}</p>}
    {children}
  </div>
);

type BlankProps = { readonly title: string; readonly children?: ReactNode; readonly isPage?: boolean };

/** A page, or a pane of one, that has nothing, or not yet anything, to show. */
export const Blank = ({ title, children, isPage = false }: BlankProps) => {
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className="mx-auto max-w-xl px-5 py-12">
      <Heading className="text-lg font-semibold">{title}</Heading>
      <div className="mt-2 space-y-3 text-quiet">{children}</div>
    </div>
  );
};

/** Where something is being read. It appears only when that takes a while, so that nothing flickers. */
export const Loading = ({ label }: { readonly label: string }) => (
  <p role="status" className="appears-late px-5 py-8 text-quiet">
    {label}
  </p>
);
