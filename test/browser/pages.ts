import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { heldAs } from '../e2e/mcp-clients.ts';
import { ROOT } from '../e2e/place.ts';
import { mustBe } from '../e2e/started-host.ts';
import type { At } from './at-inbox.ts';
import { type Inbox, openInbox } from './inbox-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
const SHOTS = join(ROOT, 'test-results/browser');

type Page = {
  readonly name: string;
  readonly path: string;
  /** What is waited for, and done, before it is looked at. */
  readonly ready: (her: Inbox) => Promise<unknown>;
};

/** Every page, at both widths and in both schemes: what a machine can find wrong with it, and its picture. */
export function pages(at: () => At): void {
  describe.concurrent.each(Object.keys(SIZES) as (keyof typeof SIZES)[])('on a %s', (size) => {
    let long = '';
    let grave = '';
    let settled = '';
    beforeAll(async () => {
      const { hold, agent, ada } = at();
      long = await hold({ test: 'pages', what: 'a long one', rows: Array.from({ length: 90 }, (_, n) => ({ n, text: 'row' })) });
      grave = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount: size === 'phone' ? 7 : 8 }));
      settled = mustBe(await ada.decisions.list({ state: ['approved'], limit: 1 })).items[0]?.id ?? '';
    });
    const all: readonly Page[] = [
      { name: 'inbox', path: '/', ready: (her) => her.row('a long one').first().waitFor() },
      {
        name: 'filters',
        path: '/?state=all&agent=researcher',
        ready: async (her) => {
          await her.page.getByRole('button', { name: 'Filters' }).click();
          await her.page.getByLabel('Rule').waitFor();
        },
      },
      { name: 'nothing', path: '/?q=no-such-thing', ready: (her) => her.sees('No decision matches') },
      { name: 'record', path: '/decisions/GRAVE', ready: (her) => her.sees('From asking to outcome') },
      { name: 'long', path: '/decisions/LONG', ready: (her) => her.sees('Read the arguments to their end') },
      {
        name: 'editing',
        path: '/decisions/GRAVE',
        ready: async (her) => {
          await her.record().waitFor();
          await her.page.getByRole('button', { name: 'Edit' }).click();
          await her.sees('Nothing is changed yet.');
        },
      },
      {
        name: 'refusing',
        path: '/decisions/GRAVE',
        ready: async (her) => {
          await her.record().waitFor();
          await her.page.getByRole('button', { name: 'Refuse' }).click();
          await her.note().waitFor();
        },
      },
      { name: 'settled', path: '/decisions/SETTLED', ready: (her) => her.isSettled('approved') },
      { name: 'missing', path: '/decisions/dec_01jd0000000000000000000000', ready: (her) => her.sees('There is nothing here.') },
      {
        name: 'keys',
        path: '/',
        ready: async (her) => {
          await her.row('a long one').first().waitFor();
          await her.press('?');
          await her.sees('Keys', her.dialog());
        },
      },
      {
        name: 'settings',
        path: '/',
        ready: async (her) => {
          await her.page.getByRole('button', { name: /settings/ }).click();
          await her.page.getByRole('menuitem', { name: 'Settings' }).click();
          await her.sees('Colours', her.dialog());
        },
      },
      { name: 'audit', path: '/audit', ready: (her) => her.row('').first().waitFor() },
      {
        name: 'event',
        path: '/audit?type=decision.raised',
        ready: async (her) => {
          await her.row('').first().getByRole('link').click();
          await her.sees('What was recorded');
        },
      },
      { name: 'rules', path: '/rules?rule=count', ready: (her) => her.sees('Counting is for keeps.') },
      { name: 'tools', path: '/rules?view=tools', ready: (her) => her.sees('jar__smash_jar') },
      {
        name: 'try',
        path: '/rules?view=try&tool=counter__increment',
        ready: async (her) => {
          await her.page.getByRole('button', { name: 'Judge it' }).click();
          await her.sees('What was looked at');
        },
      },
      { name: 'mandate', path: '/mandate', ready: (her) => her.sees('Nothing is changed.') },
      {
        name: 'term',
        path: '/mandate',
        ready: async (her) => {
          await her.page.getByRole('button', { name: 'Edit term 1' }).click();
          await her.sees('Only where');
        },
      },
      { name: 'agents', path: '/agents', ready: (her) => her.sees('Finds things out') },
      { name: 'agent', path: '/agents/researcher', ready: (her) => her.page.getByRole('button', { name: 'Revoke' }).first().waitFor() },
      { name: 'stats', path: '/stats', ready: (her) => her.sees('Which agents asked most?') },
      { name: 'nowhere', path: '/no/such/page', ready: (her) => her.sees('There is nothing here.') },
    ];

    it.each(all)(
      'has nothing on $name that axe finds fault with, light or dark, and no sideways scrolling',
      async ({ name, path, ready }) => {
        const where = path.replace('GRAVE', grave).replace('LONG', long).replace('SETTLED', settled);
        await look(at(), size, { name, path: where, ready });
      },
    );

    it('has nothing on the login page that axe finds fault with', async () => {
      await look(at(), size, { name: 'login', path: '/', ready: (her) => her.sees('Ask for a link') }, null);
    });
  });
}

/** Opens a page by itself: several are looked at at a time. */
async function look(at: At, size: keyof typeof SIZES, { name, path, ready }: Page, token: string | null = at.adaToken): Promise<void> {
  const her = await openInbox(at.browser, { url: at.host.url(), token, path, viewport: SIZES[size], reducedMotion: 'reduce' });
  try {
    await ready(her);
    await faultless(her, `${name}-${size}`);
    expect(her.breakages).toEqual([]);
  } finally {
    await her.close();
  }
}

/** Looks at a page in both schemes, by machine, and keeps its picture. */
async function faultless({ page }: Inbox, name: string): Promise<void> {
  await page.screenshot({ path: join(SHOTS, `${name}-light.png`) });
  await page.evaluate(AXE);
  const found = await faults(page, []);
  // Nothing but the colours is another in the dark.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.screenshot({ path: join(SHOTS, `${name}-dark.png`) });
  found.push(...(await faults(page, ['color-contrast'])).map((fault) => `dark: ${fault}`));
  expect(found).toEqual([]);
  const { wide, room } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
  }));
  expect(wide).toBeLessThanOrEqual(room);
}

/** What axe finds; every rule it has, or some. */
async function faults(page: Inbox['page'], rules: readonly string[]): Promise<string[]> {
  const { violations } = await page.evaluate((only) => {
    const { axe } = window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } };
    return axe.run({ resultTypes: ['violations'], preload: false, ...(only.length > 0 && { runOnly: only }) });
  }, rules);
  return violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(' | ')}`,
  );
}
