import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode, RefObject } from 'react';

type Props = {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  readonly wide?: boolean;
  /** Neither Escape nor a click beside it closes it. */
  readonly isFirm?: boolean;
  /** What gets the focus first; otherwise the first thing that can have it. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** What gets it afterwards, where that is not what had it before. */
  readonly finalFocus?: () => HTMLElement | null;
};

/** A question or a text above the page. Escape and a click beside it close it and do nothing else. */
export const Dialog = ({ open, onClose, title, children, wide = false, isFirm = false, initialFocus, finalFocus }: Props) => (
  <Base.Root open={open} onOpenChange={(isOpen) => !isOpen && !isFirm && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="motion fixed inset-0 z-40 bg-[#000] opacity-40 data-[ending-style]:opacity-0 data-[starting-style]:opacity-0" />
      <Base.Popup
        {...(initialFocus && { initialFocus })}
        {...(finalFocus && { finalFocus: () => finalFocus() ?? true })}
        className={`fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border border-line bg-surface text-ink shadow-xl ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
      >
        <Base.Title className="border-b border-line px-5 py-3 text-lg font-semibold">{title}</Base.Title>
        <div className="min-h-0 overflow-y-auto overscroll-contain px-5 py-4" data-dialog-body>
          {children}
        </div>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

/** Buttons at the end of a dialog. */
export const DialogButtons = ({ children }: { readonly children: ReactNode }) => (
  <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
);
