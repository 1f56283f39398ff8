import { describe, expect, it } from 'vitest';
import { answer, approve, readDecision, settledCall } from '../e2e/answers.ts';
import { connectAgent, heldAs, textOf } from '../e2e/mcp-clients.ts';
import { mustBe } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import type { At } from './at-inbox.ts';
import { connectWithMeta, runOf } from './with-run.ts';

// Built from code points, so that no reader of this file is fooled either.
const BIDI = String.fromCodePoint(0x202e, 0x2066, 0x200f);
const HIDDEN = String.fromCodePoint(0x200b, 0x2060, 0xfeff, 0xe0041, 0xad);
const ESCAPES = `${String.fromCodePoint(0x1b)}[2J\r${String.fromCodePoint(0x9b)}31m`;
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const MARKUP = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><a href="javascript:window.pwned=1">press</a>';

/** What a record shows of a call, whatever was put into it. */
export function records(at: () => At): void {
  describe('a record', () => {
    it('shows markup, escapes, hidden and reordering characters as such, everywhere, and obeys none of them (E2)', async () => {
      const { agent, inbox, ada } = at();
      const evil = `${ESCAPES}${BIDI}evil${HIDDEN}${MARKUP}`;
      const id = heldAs(await agent.call('counter__increment', { test: 'evil', what: evil, [`key${BIDI}`]: { [HIDDEN]: evil } }));
      const asked: string[] = [];
      const { page, ...her } = await inbox('/?q=evil', {
        before: async (opened) => opened.on('request', (request) => void asked.push(request.url())),
      });
      page.on('dialog', () => asked.push('a dialog'));
      await page.locator(`[data-row=${id}]`).getByRole('link').click();
      await her.record().waitFor();
      for (const mark of ['U+001B', 'U+000D', 'U+202E', 'U+2066', 'U+200B', 'U+FEFF', 'U+00AD', 'U+E0041'])
        await her.sees(mark, her.record());
      await her.sees('Hidden characters, shown by their numbers');
      for (const view of ['raw', 'tree']) {
        await her.record().getByRole('button', { name: view, exact: true }).click();
        expect(await page.locator('body').textContent()).not.toMatch(OBEYED);
      }
      expect(await page.title()).not.toMatch(OBEYED);
      expect(await page.locator('body').textContent()).toContain('<script>window.pwned=1</script>');
      expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
      expect(asked.filter((url) => !url.startsWith(at().host.url()))).toEqual([]);
      expect(await her.record().locator('img, script, a[href^="javascript:"]').count()).toBe(0);
      await her.answer('r', `Nobody labels that. ${HIDDEN}`);
      await her.isSettled('refused');
      expect((await readDecision(ada, id)).answers[0]?.note).toContain(HIDDEN);
      expect(await page.locator('body').textContent()).not.toMatch(OBEYED);
    });

    it('shows the tail behind 100,000 characters of padding, and lets nobody approve lines that were out of reach (E2)', async () => {
      const { agent, inbox, ada } = at();
      const padded = heldAs(await agent.call('counter__increment', { test: 'padding', text: `fine${' '.repeat(100_000)}rm -rf /srv` }));
      const long = heldAs(await agent.call('counter__increment', { test: 'padding', text: `${'fine\n.'.repeat(300)}rm -rf /srv` }));
      const { page, ...her } = await inbox(`/decisions/${padded}`);
      await her.sees('space × 100,000', her.record());
      await her.sees('rm -rf /srv', her.record());
      await page.goto(`${at().host.url()}/decisions/${long}`);
      await her.sees('Read the arguments to their end first.');
      const approve = her.bar().getByRole('button', { name: 'Approve' });
      expect(await approve.isDisabled()).toBe(true);
      await her.calm();
      await her.press('a');
      await her.note().waitFor();
      await her.type('Too quick for my own good');
      await her.press('Enter');
      expect((await readDecision(ada, long)).state).toBe('pending');
      await her.press('Escape');
      await her.bar().getByRole('button', { name: 'Go to the end' }).click();
      await her.sees('rm -rf /srv', her.record());
      await until('the end was in reach', () => approve.isEnabled());
    });

    it('shows, lists and approves a megabyte of arguments (E7)', async () => {
      const { agent, inbox, ada, host, told } = at();
      const rows = Array.from({ length: 9000 }, (_, n) => ({ n, text: `Zeile ${n} — ${'ä'.repeat(40)}` }));
      const args = { test: 'megabyte', what: 'a megabyte', rows, tail: 'the very end' };
      expect(Buffer.byteLength(JSON.stringify(args))).toBeGreaterThan(1_000_000);
      const id = heldAs(await agent.call('counter__increment', args));
      const { page, ...her } = await inbox('/?agent=researcher');
      await her.row('Count ‹a megabyte›').getByRole('link').click();
      await her.sees('Read the arguments to their end first.');
      await her.bar().getByRole('button', { name: 'Go to the end' }).click();
      await her.sees('the very end', her.record());
      await until('the end was in reach', () => her.bar().getByRole('button', { name: 'Approve' }).isEnabled());
      await her.calm();
      await her.answer('a', 'All nine thousand lines.');
      await her.isSettled('approved');
      expect(textOf(await told(id))).toBe('incremented');
      await settledCall(ada, id);
      expect(host.executions('megabyte').map((execution) => execution.args)).toEqual([args]);
      expect(await page.locator('*').count()).toBeLessThan(5000);
    });

    it('shows a call from three agents deep whole: every argument, the chain and the question at each hop (B4)', async () => {
      const { host, inbox } = at();
      const asker = await connectWithMeta(host.mcp(), await host.agentToken('researcher'));
      const asked = await connectWithMeta(host.mcp(), await host.agentToken('treasurer'));
      await asker.call('ask_agent', { agent: 'treasurer', question: 'Count the sheep of Northwind, please.', wait_seconds: 0 });
      const question = await asked.call('next_question', { wait_seconds: 10 });
      const call = { test: 'chain', what: 'Northwind sheep', list: [1, { two: 'three' }] };
      const id = heldAs(await asked.call('counter__increment', call, { ...runOf(question), 'io.countersign/context': 'Ada said so.' }));
      const { page, ...his } = await inbox(`/decisions/${id}`, { token: await host.principalToken('ben') });
      await his.record().waitFor();
      const seen = (await his.record().textContent()) ?? '';
      for (const words of [
        'ada',
        'researcher',
        'treasurer',
        'Count the sheep of Northwind, please.',
        'counter__increment',
        'Northwind sheep',
        'three',
      ])
        expect(seen).toContain(words);
      expect(seen).toMatch(/ada.*→.*researcher.*→.*treasurer.*\(ben\)/s);
      // What the agent claims stands apart from what the server saw.
      expect(await page.getByRole('region', { name: 'treasurer says' }).textContent()).toMatch(/Ada said so\..*Nobody checked/s);
      await his.answer('r', 'Not our sheep to count.');
      await his.isSettled('refused');
      await Promise.all([asker.close(), asked.close()]);
    });

    it('is not decided by a visit, whoever follows the link and whatever the link says (E3)', async () => {
      const { hold, inbox, ada, host } = at();
      const id = await hold({ test: 'links' });
      const { version, shownDigest } = await readDecision(ada, id);
      const wish = `effect=approve&version=${version}&shownDigest=${encodeURIComponent(shownDigest)}&note=yes`;
      const { page, ...her } = await inbox(`/decisions/${id}?${wish}`);
      await her.record().waitFor();
      for (const path of [`/decisions/${id}/answer?${wish}`, `/api/v1/decisions/${id}/answer?${wish}`, `/decisions/${id}#approve`])
        await page.goto(`${host.url()}${path}`);
      const login = mustBe(await host.operator().principals.loginLink('ada')).url;
      await page.goto(login);
      expect(await readDecision(ada, id)).toMatchObject({ state: 'pending', version, answers: [] });
      // The link that only was looked at still opens a session, by a person's own press.
      await page.context().clearCookies();
      await page.goto(login);
      await page.getByRole('button').click();
      await her.row('').first().waitFor();
    });

    it('stays after its deadline, and after its agent is gone (E8)', async () => {
      const { host, ada, inbox } = at();
      mustBe(await host.operator().agents.create({ name: 'visitor', principal: 'ada' }));
      mustBe(await ada.agents.admit('visitor'));
      const visitor = await connectAgent(host.mcp(), await host.agentToken('visitor'));
      const late = heldAs(await visitor.call('counter__increment', { test: 'history', what: 'too late', brief: true }));
      const done = heldAs(await visitor.call('counter__increment', { test: 'history', what: 'in time' }));
      const { page, ...her } = await inbox(`/decisions/${late}`);
      await her.isSettled('expired');
      await her.sees('Nothing was executed.', her.record());
      await approve(ada, done);
      await settledCall(ada, done);
      mustBe(await ada.agents.suspend('visitor'));
      await page.goto(`${host.url()}/?state=all&agent=visitor`);
      await her.row('Count ‹too late›').getByText('expired').waitFor();
      await her.row('Count ‹in time›').getByRole('link').click();
      await her.isSettled('approved');
      await her.sees('incremented', her.record());
    });

    it('of another principal looks like one that does not exist', async () => {
      const { hold, inbox, host } = at();
      const id = await hold({ test: 'foreign' });
      const token = await host.principalToken('ben');
      const his = await inbox(`/decisions/${id}`, { token });
      await his.sees('There is nothing here.');
      const nothing = await inbox('/decisions/dec_01jd0000000000000000000000', { token });
      await nothing.sees('There is nothing here.');
    });

    it('disappears from the list and says so when its agent takes it back while it is open', async () => {
      const { agent, hold, inbox } = at();
      const id = await hold({ test: 'taken back', what: 'taken back' });
      const her = await inbox(`/decisions/${id}?q=taken%20back`);
      await her.record().waitFor();
      await agent.call('withdraw_decision', { id, reason: 'I found another way.' });
      await her.sees('withdrawn', her.bar());
      await her.sees('I found another way.', her.bar());
      await her.row('taken back').waitFor({ state: 'detached' });
    });

    it('waits for two approvals where a rule wants two, and says whose is missing', async () => {
      const { hold, inbox, ada } = at();
      const id = await hold({ test: 'two', both: true, pass: true, what: 'for two' });
      const her = await inbox(`/decisions/${id}`);
      await her.sees('0 of 2 approvals so far');
      await her.answer('a', 'One half of a yes.');
      await her.sees('You approved it. It waits for ben.');
      expect((await readDecision(ada, id)).state).toBe('pending');
      mustBe(await answer(at().host.as(await at().host.principalToken('ben')), id, { effect: 'approve' }));
      await her.isSettled('approved');
      await settledCall(ada, id);
    });
  });
}
