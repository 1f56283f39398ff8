import { describe, expect, it } from 'vitest';
import { answer, readDecision, settledCall } from '../e2e/answers.ts';
import { mustBe } from '../e2e/started-host.ts';
import type { At } from './at-inbox.ts';
import { inboxOf } from './inbox-page.ts';

type Keys = { readonly key: (init: KeyboardEventInit) => void; readonly pressAll: () => void };

/** A list that moves, several places at once, and what happens to the connection and the host meanwhile. */
export function surfaces(at: () => At): void {
  describe('the list', () => {
    it('takes no key that was pressed while it moved, meant for another window, held down or pressed with Ctrl (E4)', async () => {
      const { hold, inbox, ada, host } = at();
      await hold({ test: 'stray', what: 'first' });
      const { page, ...her } = await inbox('/?q=stray');
      await her.row('Count ‹first›').waitFor();
      await page.evaluate(() => {
        const key = (init: KeyboardEventInit) =>
          document.dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }));
        const pressAll = () => {
          for (const name of ['a', 'r', 'e', 'Enter']) key({ key: name });
        };
        Object.assign(window, { key, pressAll });
        // In the very moment in which a row enters, before anybody could have seen it.
        const watcher = new MutationObserver(() => {
          if (!document.body.innerText.includes('second')) return;
          watcher.disconnect();
          pressAll();
        });
        watcher.observe(document.body, { childList: true, subtree: true });
      });
      await her.press('j');
      await hold({ test: 'stray', what: 'second' });
      await her.sees('The list moved just now');
      expect(await her.record().count()).toBe(0);
      await her.calm();
      await page.evaluate(() => {
        const { key, pressAll } = window as unknown as Keys;
        for (const name of ['a', 'r', 'e']) {
          key({ key: name, ctrlKey: true });
          key({ key: name, metaKey: true });
          key({ key: name, repeat: true });
        }
        window.dispatchEvent(new Event('focus'));
        pressAll();
      });
      expect(await her.record().count()).toBe(0);
      await her.calm();
      await her.press('a');
      await her.note().waitFor();
      // A finger that was already on its way.
      await page.evaluate(() => document.querySelector('form')?.requestSubmit());
      expect(mustBe(await ada.decisions.list({ q: 'stray', state: ['pending'] })).items).toHaveLength(2);
      expect(host.executions('stray')).toEqual([]);
    });

    it('shows an answer that was given elsewhere within a second, in another browser and in another tab (E6)', async () => {
      const { hold, inbox, ada, host } = at();
      const [here, there] = [await inbox('/?q=surface'), await inbox('/?q=surface')];
      const tab = inboxOf(await there.page.context().newPage());
      await tab.page.goto(`${host.url()}/?q=surface`);
      const asked = performance.now();
      for (let n = 0; n < 5; n += 1) mustBe(await ada.me());
      // A second, but no less than some round trips; and the best of three, since what the machine does besides is not the product's.
      const limit = Math.max(1000, 4 * (performance.now() - asked));
      let best = Number.POSITIVE_INFINITY;
      for (let round = 1; round <= 3 && best >= limit; round += 1) {
        const name = `surface ${round}`;
        const id = await hold({ test: 'surfaces', what: name });
        for (const { row, record, sees } of [there, tab, here]) {
          await row(name).getByRole('link').click();
          await sees(name, record());
        }
        await here.calm();
        await here.answer('r', 'Not needed any more.');
        await here.isSettled('refused');
        const begin = performance.now();
        await Promise.all([there, tab].map(({ isSettled }) => isSettled('refused')));
        best = Math.min(best, performance.now() - begin);
        for (const { row } of [here, there, tab]) await row(name).waitFor({ state: 'detached' });
        expect((await readDecision(ada, id)).state).toBe('refused');
      }
      expect(best).toBeLessThan(limit);
      expect(tab.breakages).toEqual([]);
    });

    it('answers many at once and says what became of each, one that was settled meanwhile included', async () => {
      const { hold, inbox, ada } = at();
      const ids: string[] = [];
      for (const what of ['one', 'two', 'three']) ids.push(await hold({ test: 'bulk', what: `bulk ${what}` }));
      const { page, ...her } = await inbox('/?q=bulk');
      for (const what of ['one', 'two', 'three']) {
        await her.mark(`bulk ${what}`);
        await her.calm();
        await her.press('x');
      }
      await her.sees('3 decisions selected');
      await page.getByRole('button', { name: 'Refuse …' }).click();
      await her.sees('Refuse 3 decisions', her.dialog());
      await page.route('**/decisions/answers', async (route) => {
        mustBe(await answer(ada, ids[1] ?? '', { effect: 'approve' }));
        await route.continue();
      });
      await her.dialog().getByLabel('Note for all of them').fill('None of these.');
      await her
        .dialog()
        .getByRole('button', { name: /^Refuse/ })
        .click();
      await her.sees('What became of each', her.dialog());
      const report = await her.dialog().innerText();
      expect(report).toContain('1 could not be answered.');
      expect(report.match(/✓ refused/g)).toHaveLength(2);
      await her.dialog().getByRole('button', { name: 'Close' }).click();
      await her.sees('No decision matches');
      const states = await Promise.all(ids.map(async (id) => (await readDecision(ada, id)).state));
      expect(states).toEqual(['refused', 'approved', 'refused']);
    });

    it('goes on after the connection was lost, with everything that came meanwhile', async () => {
      const { hold, inbox } = at();
      const { page, ...her } = await inbox('/?q=offline');
      await her.sees('No decision matches');
      await page.context().setOffline(true);
      await her.sees('Not connected.');
      await hold({ test: 'offline', what: 'offline one' });
      await page.context().setOffline(false);
      await her.row('offline one').waitFor();
      await page.getByText('Not connected.').waitFor({ state: 'detached' });
    });

    it('counts deadlines by the server’s clock when its own is an hour off', async () => {
      const { hold, inbox } = at();
      await hold({ test: 'clock', what: 'an hour off' });
      const her = await inbox('/?q=an%20hour%20off', {
        before: (page) =>
          page.addInitScript(() => {
            const now = Date.now.bind(Date);
            Date.now = () => now() + 3_600_000;
          }),
      });
      await her.row('an hour off').getByText('24 h left').waitFor();
    });

    it('stays smooth to use where its filters stand in the address, and gives them back on Back', async () => {
      const { hold, inbox } = at();
      await hold({ test: 'filters', what: 'filtered' });
      const { page, ...her } = await inbox('/?q=filtered&agent=researcher&state=pending');
      await her.row('Count ‹filtered›').getByRole('link').click();
      await her.record().waitFor();
      await page.goBack();
      await her.record().waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('?q=filtered&agent=researcher&state=pending');
      await page.getByTitle('Clear: Agent').click();
      await page.waitForURL((url) => !url.searchParams.has('agent'));
      await page.reload();
      await her.row('Count ‹filtered›').waitFor();
    });
  });

  describe('the whole host', () => {
    it('is stopped from the page, is seen to stand still, and goes on', async () => {
      const { hold, inbox, ada, host } = at();
      const id = await hold({ test: 'freeze' });
      const { page, ...her } = await inbox(`/decisions/${id}`);
      await her.record().waitFor();
      await page.getByRole('button', { name: 'Freeze' }).click();
      await her.dialog().getByRole('textbox').and(page.locator(':focus')).waitFor();
      await her.type('Something looks wrong.');
      await her.press('Enter');
      await her.sees('Nothing is dispatched, every call becomes a question');
      await her.sees('“Something looks wrong.”');
      await her.dialog().waitFor({ state: 'detached' });
      await her.answer('a', 'May run when we go on.');
      await her.isSettled('approved');
      expect(host.executions('freeze')).toEqual([]);
      await page.getByRole('button', { name: 'Thaw' }).click();
      await settledCall(ada, id);
      await her.sees('incremented', her.record());
      expect(host.executions('freeze')).toHaveLength(1);
    });
  });
}
