import type { ButtonHTMLAttributes } from 'react';

type Look = 'plain' | 'strong' | 'grave' | 'quiet';

const LOOKS: Readonly<Record<Look, string>> = {
  plain: 'border border-line-strong bg-surface text-ink hover:bg-sunken',
  strong: 'border border-accent bg-accent text-on-accent hover:opacity-90',
  grave: 'border-2 border-red bg-surface text-red hover:bg-red-soft',
  quiet: 'border border-transparent text-accent hover:bg-accent-soft',
};

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { readonly look?: Look; readonly size?: 'small' | 'large' };

/** Large buttons are for a thumb: 44 pixels high. */
export function Button({ look = 'plain', size = 'small', className = '', type = 'button', ...rest }: ButtonProps) {
  const room = size === 'large' ? 'min-h-11 px-4 font-semibold' : 'min-h-8 px-3 text-sm';
  return (
    <button
      type={type}
      className={`motion inline-flex items-center justify-center gap-2 rounded-md whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 ${room} ${LOOKS[look]} ${className}`}
      {...rest}
    />
  );
}

/** A key as it stands on the keyboard. */
export const Key = ({ children }: { readonly children: string }) => (
  <kbd className="inline-block min-w-5 rounded border border-current px-1 text-center font-mono text-[0.75rem] leading-4 opacity-70 max-sm:hidden">
    {children}
  </kbd>
);
