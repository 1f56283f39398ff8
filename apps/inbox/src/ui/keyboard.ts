import { useEffect, useRef } from 'react';

/** Keys by what they type, such as `j`, `?` or `Enter`. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** After the window comes to the front, keys that were meant for another one may still arrive. */
const SETTLE_MS = 400;
let focusedAt = Number.NEGATIVE_INFINITY;
globalThis.addEventListener?.('focus', () => {
  focusedAt = performance.now();
});

const MAY_REPEAT = new Set(['j', 'k', 'ArrowDown', 'ArrowUp']);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox], [type=radio]), textarea, select'));

/** A button or a link that has the focus does its own thing on Enter and Space. */
const isItsOwn = (event: KeyboardEvent): boolean =>
  (event.key === 'Enter' || event.key === ' ') &&
  event.target instanceof HTMLElement &&
  event.target.closest('button, a, summary, [role=menuitem]') !== null;

const isCovered = (): boolean => document.querySelector('[role=dialog], [role=alertdialog], [role=menu]') !== null;

/**
 * Single keys for the whole page. They do nothing with a modifier, while something is typed, under a dialog or a menu, or in the moment
 * after the window got the focus; nothing but movement repeats while a key is held down.
 */
export function useKeys(keys: KeyMap, isEnabled: boolean): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    if (!isEnabled) return;
    const listen = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = current.current[event.key];
      if (act === undefined || isTyping(event.target) || isItsOwn(event) || isCovered()) return;
      if (event.repeat && !MAY_REPEAT.has(event.key)) return;
      if (performance.now() - focusedAt < SETTLE_MS) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [isEnabled]);
}
