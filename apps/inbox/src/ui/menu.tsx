import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

type Item = { readonly label: ReactNode; readonly onSelect: () => void; readonly id: string };

/** A button that opens a list of things to do. */
export const Menu = ({
  label,
  name,
  items,
  className = '',
}: {
  readonly label: ReactNode;
  readonly name: string;
  readonly items: readonly Item[];
  readonly className?: string;
}) => (
  <Base.Root modal={false}>
    <Base.Trigger
      aria-label={name}
      className={`motion inline-flex min-h-8 items-center gap-1 rounded-md px-2 text-sm hover:bg-sunken ${className}`}
    >
      {label}
      <span aria-hidden className="text-quiet">
        ▾
      </span>
    </Base.Trigger>
    <Base.Portal>
      <Base.Positioner className="z-50" sideOffset={4} align="end">
        <Base.Popup className="min-w-40 rounded-md border border-line bg-surface py-1 text-ink shadow-lg outline-none">
          {items.map(({ id, label: text, onSelect }) => (
            <Base.Item
              key={id}
              onClick={onSelect}
              className="cursor-pointer px-3 py-2 text-sm outline-none data-[highlighted]:bg-accent-soft"
            >
              {text}
            </Base.Item>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
);
