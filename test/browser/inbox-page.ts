/** The inbox as a person has it before them: what they see, and the keys they press. */
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { until } from '../e2e/until.ts';

/** The product's own guard: keys do nothing for this long after the list moved, and Enter after a button asked for it. */
const GUARD_MS = 400;

/** Whatever a person waits for; machines that run tests are slow at times. */
const SEEN_WITHIN_MS = 15_000;

export type Inbox = {
  readonly page: Page;
  /** What went wrong in the page itself: uncaught errors, and what its security policy turned away. */
  readonly breakages: readonly string[];
  readonly row: (text: string) => Locator;
  readonly record: () => Locator;
  /** The bar below a record: the answer box, or how it was settled. */
  readonly bar: () => Locator;
  readonly dialog: () => Locator;
  readonly note: () => Locator;
  /** Waits until a text can be seen. */
  readonly sees: (text: string | RegExp, within?: Locator) => Promise<void>;
  /** Waits until the record says how it ended. */
  readonly isSettled: (as: 'approved' | 'refused' | 'expired') => Promise<void>;
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** Types at the pace of a person. */
  readonly type: (text: string) => Promise<void>;
  /** Lets the moment pass in which keys are not taken, as a person does. */
  readonly calm: () => Promise<void>;
  /** Presses j or k until the marked row is the one with this text. */
  readonly mark: (text: string) => Promise<void>;
  /** A key that asks for the note, the note, and Enter. */
  readonly answer: (key: 'a' | 'r' | 'Control+Enter', note: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function logIn(context: BrowserContext, url: string, token: string): Promise<void> {
  const answered = await context.request.post(`${url}/api/v1/login`, { data: { token }, headers: { origin: url } });
  if (!answered.ok()) throw new Error(`Not logged in: ${answered.status()} ${await answered.text()}`);
}

export type Opening = BrowserContextOptions & {
  readonly url: string;
  readonly token: string | null;
  readonly path?: string;
  /** Before anything of the page is loaded. */
  readonly before?: (page: Page) => Promise<unknown>;
};

/** A browser of its own, with its own cookies, on one address of the inbox. */
export async function openInbox(browser: Browser, { url, token, path = '/', before, ...options }: Opening): Promise<Inbox> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(SEEN_WITHIN_MS);
  if (token !== null) await logIn(context, url, token);
  const page = await context.newPage();
  const inbox = inboxOf(page);
  await before?.(page);
  await page.goto(`${url}${path}`);
  return inbox;
}

/** What one page shows. */
export function inboxOf(page: Page): Inbox {
  const breakages: string[] = [];
  page.on('pageerror', (error) => breakages.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Uncaught/.test(message.text())) breakages.push(message.text());
  });
  const row = (text: string): Locator => page.locator('[data-row]', { hasText: text });
  const bar = (): Locator => page.getByRole('region', { name: 'Your answer' });
  const note = (): Locator => page.locator('#answer-note');
  const sees = (text: string | RegExp, within: Locator = page.locator('body')): Promise<void> => within.getByText(text).first().waitFor();
  const press = async (...keys: readonly string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const type = (text: string): Promise<void> => page.keyboard.type(text, { delay: GUARD_MS / 15 });
  return {
    page,
    breakages,
    row,
    record: () => page.locator('[data-record]'),
    bar,
    dialog: () => page.getByRole('dialog'),
    note,
    sees,
    isSettled: (as) => bar().locator(`[data-state=${as}]`).waitFor(),
    press,
    type,
    calm: async () => {
      const since = await page.evaluate(() => performance.now());
      await page.waitForFunction(([from = 0, guard = 0]) => performance.now() - from > guard, [since, GUARD_MS + 50]);
    },
    mark: async (text) => {
      await row(text).first().waitFor();
      await until(`the mark on ${text}`, async () => {
        const { marked, wanted } = await page.evaluate((words) => {
          const rows = [...document.querySelectorAll('[data-row]')];
          const place = (found: Element | undefined) => Number(found?.closest('li')?.ariaPosInSet ?? 0);
          const wants = (each: Element) => each.textContent?.includes(words) ?? false;
          return { marked: place(rows.find((each) => each.matches('[data-marked]'))), wanted: place(rows.find(wants)) };
        }, text);
        if (marked === wanted) return true;
        await press(marked > wanted ? 'k' : 'j');
        return false;
      });
    },
    answer: async (key, text) => {
      await press(key);
      await note().waitFor();
      await type(text);
      await press('Enter');
    },
    close: () => page.context().close(),
  };
}
