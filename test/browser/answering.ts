import { describe, expect, it } from 'vitest';
import { answer, readDecision, settledCall } from '../e2e/answers.ts';
import { codeOf, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { mustBe } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import type { At } from './at-inbox.ts';
import { logIn } from './inbox-page.ts';

/** From finding a decision to the agent that hears of it. */
export function answering(at: () => At): void {
  describe('a person', () => {
    it('finds what is pending, understands why, refuses one with a note and approves another after editing, by keyboard alone; the agent hears both', async () => {
      const { agent, hold, told, inbox, host } = at();
      const refused = heldAs(await agent.call('jar__cookie_jar', { action: 'eat', amount: 3 }));
      const edited = await hold({ test: 'journey', what: 'sheep', amount: 300 });
      const heard = Promise.all([told(refused), told(edited)]);
      const { page, ...her } = await inbox();

      await her.mark('Eat ‹3› cookies');
      await her.press('Enter');
      await her.record().getByRole('heading', { name: 'Eat 3 cookies' }).waitFor();
      await her.sees('recorded by the server');
      const seen = await her.record().innerText();
      for (const words of ['Cookies cannot be un-eaten.', 'eat-cookies', 'the action is "eat"', 'ada', 'researcher', 'jar__cookie_jar'])
        expect(seen).toContain(words);
      await her.calm();
      await her.answer('r', 'Two at most, please.');
      await her.isSettled('refused');

      await her.mark('Count ‹sheep›');
      await her.calm();
      await her.press('e');
      await page.locator('[data-edit-first]:focus').waitFor();
      await her.press('Control+A');
      await her.type('120');
      await her.sees('Your changes');
      await her.answer('Control+Enter', 'A hundred and twenty.');
      await her.isSettled('approved');

      const [no, yes] = await heard;
      expect([codeOf(no), textOf(no)]).toEqual(['refused_by_principal', expect.stringContaining('Two at most, please.')]);
      expect(textOf(yes)).toBe('incremented');
      expect(host.executions('journey').map(({ args }) => args)).toEqual([{ test: 'journey', what: 'sheep', amount: 120 }]);
      await her.sees('What ran, as edited');
    });

    it('can’t answer on a page that was loaded before somebody else answered, and is told who did and when (A6, E6)', async () => {
      const { hold, deafInbox, ada, host } = at();
      const id = await hold({ test: 'overtaken' });
      const { page, ...her } = await deafInbox(`/decisions/${id}`);
      await her.record().waitFor();
      mustBe(await answer(ada, id, { effect: 'refuse', note: 'From my phone.' }));
      const reply = page.waitForResponse((response) => response.url().endsWith('/answer'));
      await her.answer('a', 'I think this is fine.');
      const refusal = await reply;
      expect(refusal.status()).toBe(409);
      expect(await refusal.json()).toMatchObject({
        code: 'decision.already_answered',
        detail: expect.stringMatching(/^Already refused by ada at 20\d\d-/),
      });
      await her.isSettled('refused');
      expect(await her.bar().innerText()).toMatch(/by you.*ago.*“From my phone\.”.*was not sent: “I think this is fine\.”/s);
      expect(host.executions('overtaken')).toEqual([]);
    });

    it('answers what it is now, not what it was when the page was loaded (A6)', async () => {
      const { hold, deafInbox, ada } = at();
      const id = await hold({ test: 'moved' });
      const her = await deafInbox(`/decisions/${id}`);
      await her.record().waitFor();
      const { version, expiresAt } = await readDecision(ada, id);
      const later = new Date(Date.parse(expiresAt) + 3_600_000).toISOString();
      mustBe(await ada.decisions.extend(id, { version, expiresAt: later }));
      await her.answer('a', 'Fine with me, go on.');
      await her.sees('It changed while you were reading.', her.bar());
      expect((await readDecision(ada, id)).state).toBe('pending');
      await her.calm();
      await her.press('Enter');
      await her.isSettled('approved');
      expect((await settledCall(ada, id)).answers).toMatchObject([{ note: 'Fine with me, go on.' }]);
    });

    it('has edits judged like new calls: what a rule refuses does not run, and the page said so before (A7)', async () => {
      const { hold, inbox, ada, host } = at();
      const id = await hold({ test: 'forbidden', list: [1, 2] });
      const { page, ...her } = await inbox(`/decisions/${id}`);
      await her.record().waitFor();
      await her.press('e');
      await page.locator('[data-edit-first]:focus').waitFor();
      await her.record().getByRole('button', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'JSON' }).fill('{"test": "forbidden", "list": [1, 2], "forbidden": true}');
      await her.sees('The gate would refuse the edited call:');
      await her.answer('Control+Enter', 'It will let me, surely.');
      await her.sees('Not sent', her.bar());
      await her.sees('Nobody does that.', her.bar());
      expect(await readDecision(ada, id)).toMatchObject({ state: 'pending', answers: [] });
      expect(host.executions('forbidden')).toEqual([]);
    });

    it('approves every value byte for byte, and edits leave all others so (A8)', async () => {
      const { hold, inbox, ada, host } = at();
      const args = {
        test: 'bytes',
        number: 5,
        text: '5',
        tiny: 1e-7,
        empty: '',
        nothing: null,
        nested: [[], [''], [[1, '1', { deep: [0, -0.5] }]]],
        unicode: 'Zoë — 東京 — 👩‍👩‍👧‍👦 — e\u0301',
        'key with "quotes"': { '': ' ' },
      };
      const [plain, edited] = [await hold(args), await hold({ ...args, change: 'this' })];
      const { page, ...her } = await inbox(`/decisions/${plain}`);
      await her.record().waitFor();
      await her.answer('a', 'Exactly as it stands.');
      await her.isSettled('approved');
      await settledCall(ada, plain);

      await page.goto(`${host.url()}/decisions/${edited}`);
      await her.record().waitFor();
      await her.calm();
      await her.press('e');
      await page.locator('[data-edit-first]:focus').waitFor();
      await page
        .locator('label', { hasText: /^change/ })
        .getByRole('textbox')
        .fill('that');
      await her.answer('Control+Enter', 'One word of it changed.');
      await her.isSettled('approved');
      await settledCall(ada, edited);
      expect(host.executions('bytes').map((execution) => execution.args)).toEqual([args, { ...args, change: 'that' }]);
    });

    it('is not asked again about the call it refused, and sees its “no” when a like one comes (E5)', async () => {
      const { hold, inbox, ada, agent, host } = at();
      const first = await hold({ test: 'again', n: 1 });
      mustBe(await answer(ada, first, { effect: 'refuse', note: 'Not on a Monday.' }));
      const repeated = await agent.call('counter__increment', { test: 'again', n: 1 });
      expect([codeOf(repeated), textOf(repeated)]).toEqual(['refused_by_principal', expect.stringContaining('Not on a Monday.')]);
      const rephrased = await hold({ test: 'again', n: 2 });
      const her = await inbox(`/decisions/${rephrased}`);
      await her.record().locator(`a[href="/decisions/${first}"]`).first().waitFor();
      expect(await her.record().innerText()).toMatch(/Decided before.*refused.*same rule.*“Not on a Monday\.”/s);
      expect(host.executions('again')).toEqual([]);
    });

    it('has to say why before something that cannot be undone', async () => {
      const { agent, inbox, ada } = at();
      const id = heldAs(await agent.call('jar__smash_jar'));
      const her = await inbox(`/decisions/${id}`);
      await her.sees('This cannot be undone.');
      await her.press('a');
      await her.sees('Write a note first: this cannot be undone.', her.bar());
      expect(await her.bar().getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
      await her.type('The jar is empty, smash it.');
      await her.press('Enter');
      await her.isSettled('approved');
      expect((await settledCall(ada, id)).outcome?.state).toBe('done');
    });

    it('remembers exactly the call that was approved, when its mandate was what the call lacked', async () => {
      const { agent, inbox, ada } = at();
      const call = { test: 'remember', pass: true };
      const before = mustBe(await ada.mandate.get());
      const terms = before.terms.filter(({ tool }) => tool !== 'counter__*');
      mustBe(await ada.mandate.set({ scopes: before.scopes, terms }, before.version));
      const { page, ...her } = await inbox(`/decisions/${heldAs(await agent.call('counter__increment', call))}`);
      await her.record().waitFor();
      await her.press('a');
      await page.getByRole('checkbox', { name: 'Remember' }).check();
      await her.sees('args["test"] == "remember"', her.bar());
      await her.note().focus();
      await her.type('From now on without me.');
      await her.press('Enter');
      await her.isSettled('approved');
      await until('the term is in force', async () =>
        mustBe(await ada.mandate.get()).terms.some(({ tool }) => tool === 'counter__increment'),
      );
      expect(textOf(await agent.call('counter__increment', call))).toBe('incremented');
      heldAs(await agent.call('counter__increment', { ...call, wider: true }));
      mustBe(await ada.mandate.set({ scopes: before.scopes, terms: before.terms }, mustBe(await ada.mandate.get()).version));
    });

    it('takes an approval back within the seconds that it set for that, and has it sent after them', async () => {
      const { hold, inbox, ada } = at();
      const id = await hold({ test: 'undo' });
      const { page, ...her } = await inbox(`/decisions/${id}`, {
        before: async (opened) => {
          await opened.clock.install();
          await opened.addInitScript(() => localStorage.setItem('countersign.settings', JSON.stringify({ undoSeconds: 5 })));
        },
      });
      await her.record().waitFor();
      await her.answer('a', 'On second thoughts, no.');
      await her.sees('Approves in', her.bar());
      await her.press('u');
      await her.bar().getByRole('button', { name: 'Approve' }).waitFor();
      expect((await readDecision(ada, id)).state).toBe('pending');
      await her.calm();
      await her.answer('a', ' Well, yes after all.');
      await her.sees('Approves in', her.bar());
      await page.clock.fastForward(6000);
      await her.isSettled('approved');
      expect((await settledCall(ada, id)).answers).toMatchObject([{ note: 'On second thoughts, no. Well, yes after all.' }]);
    });

    it('loses nothing when the session ends in the middle of an answer, and types its token nowhere else', async () => {
      const { hold, inbox, ada, adaToken } = at();
      const id = await hold({ test: 'session' });
      const { page, ...her } = await inbox(`/decisions/${id}`);
      await her.record().waitFor();
      await her.press('a');
      await her.note().waitFor();
      await her.type('Written before the end.');
      await page.context().clearCookies();
      await her.press('Enter');
      await her.sees('Your session ended.', her.dialog());
      await page.getByLabel('Token').and(page.locator(':focus')).waitFor();
      await page.keyboard.insertText(adaToken);
      await her.press('Enter');
      await her.dialog().waitFor({ state: 'detached' });
      expect(await her.note().inputValue()).toBe('Written before the end.');
      await her.note().focus();
      await her.calm();
      await her.press('Enter');
      await her.isSettled('approved');
      expect((await settledCall(ada, id)).answers).toMatchObject([{ note: 'Written before the end.' }]);
    });

    it('keeps what it wrote when the page is loaded again, and shows another person nothing of it', async () => {
      const { hold, inbox, host } = at();
      const id = await hold({ test: 'draft' });
      const { page, ...her } = await inbox(`/decisions/${id}`);
      await her.record().waitFor();
      await her.press('r');
      await her.note().waitFor();
      await her.type('Half a sentence of');
      await page.reload();
      await her.record().waitFor();
      await her.calm();
      await her.press('r');
      await her.note().waitFor();
      expect(await her.note().inputValue()).toBe('Half a sentence of');
      await page.context().clearCookies();
      await logIn(page.context(), host.url(), await host.principalToken('ben'));
      await page.reload();
      await her.sees('There is nothing here.');
    });
  });
}
