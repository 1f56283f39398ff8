import type { ReactNode } from 'react';

type Props = {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly children: ReactNode;
  readonly className?: string;
};

/** A labelled input; the label wraps it, so a click on either reaches it. */
export const Field = ({ label, hint, error, children, className = '' }: Props) => (
  // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
  <label className={`block ${className}`}>
    <span className="mb-1 block text-sm font-medium">{label}</span>
    {children}
    {hint && <span className="mt-1 block text-sm text-quiet">{hint}</span>}
    {error && (
      <span role="alert" className="mt-1 block text-sm text-red">
        {error}
      </span>
    )}
  </label>
);
