import { describe, expect, it } from 'vitest';
import { connectAgent, textOf } from '../e2e/mcp-clients.ts';
import { mustBe } from '../e2e/started-host.ts';
import { until } from '../e2e/until.ts';
import type { At } from './at-inbox.ts';

/** The views around the inbox. */
export function views(at: () => At): void {
  describe('the audit explorer', () => {
    it('filters by the address, shows new events as they are recorded and one of them whole, by a link that can be passed on', async () => {
      const { host, ada, inbox } = at();
      const { page, ...her } = await inbox('/audit');
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('What happened').selectOption('credential');
      await page.waitForURL((url) => url.searchParams.get('type') === 'credential');
      await her.row('credential issued').first().waitFor();
      mustBe(await ada.agents.issueCredential('researcher', { label: 'as it happens' }));
      await her.row('as it happens').getByRole('link').click();
      await page.waitForURL((url) => url.searchParams.has('event'));
      await page.reload();
      const article = page.getByRole('article');
      await her.sees('as it happens', article);
      await her.sees('credential.issued', article);
      expect(await article.textContent()).not.toMatch(/csa_\w{20}/);
      await page.goBack();
      await her.sees('No event is open.');
      expect(host.stderr()).not.toContain('csa_');
    });

    it('leads from a decision’s events back to the decision', async () => {
      const { hold, inbox } = at();
      const id = await hold({ test: 'trail', what: 'a trail' });
      const { page, ...her } = await inbox(`/audit?decision=${id}`);
      await her.row('decision raised').getByRole('link').click();
      await page.getByRole('link', { name: 'open the decision' }).click();
      await her.record().getByRole('heading', { name: 'Count a trail' }).waitFor();
    });
  });

  describe('the rules', () => {
    it('stand in the order of evaluation, each with its cost and what it says, and lead to its decisions', async () => {
      const { hold, inbox } = at();
      await hold({ test: 'cost', what: 'cost' });
      const { page, ...her } = await inbox('/rules?rule=count');
      const row = page.locator('[data-rule=count]');
      await row.waitFor();
      await until('what it costs is shown', async () => /asks\s*[1-9]/.test((await row.textContent()) ?? ''));
      await her.sees('Counting is for keeps.');
      const order = await page.locator('[data-rule]').evaluateAll((rows) => rows.map((each) => each.getAttribute('data-rule')));
      expect(order).toEqual(['count', 'brief', 'never', 'both', 'smash-jar', 'eat-cookies']);
      await row.getByRole('link').click();
      await page.waitForURL((url) => url.searchParams.get('rule') === 'count');
      await her.row('Count ‹cost›').waitFor();
    });

    it('say what they make of each tool, and of one call with every rule and term that was looked at', async () => {
      const { inbox, host } = at();
      const { page, ...her } = await inbox('/rules?view=tools');
      await page.locator('[data-tool=jar__smash_jar]').getByText('asks').waitFor();
      await page.locator('[data-tool=counter__increment]').getByText('depends on the arguments').waitFor();
      await page.locator('[data-tool=counter__increment]').getByRole('link', { name: 'counter__increment' }).click();
      const judge = async (args: string): Promise<void> => {
        await page.getByLabel('Arguments (JSON)').fill(args);
        await page.getByRole('button', { name: 'Judge it' }).click();
      };
      await judge('{"forbidden": 1}');
      await her.sees('It would be refused.');
      await her.sees('Nobody does that.');
      await judge('{"pass": true}');
      await her.sees('It would run.');
      await her.sees('term 2 of ada');
      await judge('{"pass": "yes"}');
      await her.sees('It would ask.');
      await her.sees('could not be evaluated');
      await judge('{');
      await her.sees('The arguments are no JSON');
      expect(host.executions('undefined')).toEqual([]);
    });
  });

  describe('the mandate', () => {
    it('is corrected at the line, reviewed with what it would have changed, and put in force at once', async () => {
      const { inbox, ada, agent } = at();
      const before = mustBe(await ada.mandate.get());
      await agent.call('counter__increment', { test: 'mandate', pass: true });
      const { page, ...her } = await inbox('/mandate');
      await page.getByRole('button', { name: 'Remove term 2, counter__*' }).click();
      await page.getByRole('button', { name: 'Add a term' }).click();
      await her.type('counter__increment');
      await her.press('Tab');
      await her.type('up to two');
      await her.press('Tab');
      await her.type('args.n <= (');
      await page.getByRole('button', { name: 'Review the changes' }).click();
      await page.locator('[data-term="2"]').getByText('line 1, column').waitFor();
      await page.locator('textarea[aria-invalid=true]:focus').waitFor();
      await her.press('Control+A');
      await her.type('args.n <= 2');
      await page.getByRole('button', { name: 'Review the changes' }).click();
      await her.sees('counter__*: anything that counts', her.dialog());
      await her.sees('counter__increment: up to two', her.dialog());
      await her.sees('What it would have changed in the last 30 days', her.dialog());
      await her.sees('would be asked', her.dialog());
      await her.dialog().getByRole('button', { name: 'Put it in force' }).click();
      await her.sees(`In force: version ${before.version + 1}.`);
      expect(mustBe(await ada.mandate.get()).terms).toContainEqual({ tool: 'counter__increment', when: 'up to two', match: 'args.n <= 2' });
      mustBe(await ada.mandate.set({ scopes: before.scopes, terms: before.terms }, before.version + 1));
      await her.sees(`version ${before.version + 2}`);
    });

    it('is not saved over one that was made meanwhile; what was written stays, and is reviewed against the new one', async () => {
      const { inbox, ada } = at();
      const { page, ...her } = await inbox('/mandate');
      await page.getByLabel('file evidence').uncheck();
      await page.getByRole('button', { name: 'Review the changes' }).click();
      await her.sees('may file evidence', her.dialog());
      const { scopes, terms, version } = mustBe(await ada.mandate.get());
      mustBe(await ada.mandate.set({ scopes, terms, budget: { usd: 3, per: 'week' } }, version));
      await her.dialog().getByRole('button', { name: 'Put it in force' }).click();
      await her.sees('Your mandate was changed meanwhile');
      expect(mustBe(await ada.mandate.get())).toMatchObject({ version: version + 1, scopes, budget: { usd: 3 } });
      await page.reload();
      await her.sees('You have changes that are not in force.');
      await page.getByRole('button', { name: 'Discard the changes' }).click();
      await her.sees('Nothing is changed.');
      mustBe(await ada.mandate.set({ scopes, terms }, version + 1));
    });
  });

  describe('the agents', () => {
    it('are added, admitted, given a secret that is shown once, and turned away when it is revoked or they are suspended', async () => {
      const { inbox, host } = at();
      const { page, ...her } = await inbox('/agents');
      await page.getByRole('button', { name: 'Add an agent' }).click();
      await her.dialog().getByLabel('Name').fill('reader');
      await her.dialog().getByRole('button', { name: 'Add', exact: true }).click();
      await page.waitForURL('**/agents/reader');
      await her.sees('on probation');
      const confirm = async (verb: string): Promise<void> => {
        await page.getByRole('button', { name: verb }).first().click();
        await her.dialog().getByRole('button', { name: verb, exact: true }).click();
        await her.dialog().waitFor({ state: 'detached' });
      };
      await confirm('Admit');
      await her.sees('It may call the tools');
      await page.getByRole('button', { name: 'New credential' }).click();
      await her.dialog().getByLabel('Label').fill('laptop');
      await her.dialog().getByRole('button', { name: 'Issue' }).click();
      const secret = (await page.locator('[data-secret]').textContent()) ?? '';
      await her.press('Escape');
      expect(await page.locator('[data-secret]').count()).toBe(1);
      const reader = await connectAgent(host.mcp(), secret);
      expect(textOf(await reader.call('whoami'))).toContain('reader');
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await her.dialog().waitFor({ state: 'detached' });
      expect(await page.content()).not.toContain(secret);
      await confirm('Revoke');
      await her.sees('1 credential that no longer works');
      await expect(reader.call('whoami')).rejects.toThrow();
      await confirm('Suspend');
      await her.sees('Nothing that it sends is accepted.');
    });
  });

  describe('the stats', () => {
    it('answer how often, how long and what became of it, and lead to the decisions behind each bar', async () => {
      const { inbox } = at();
      const { page, ...her } = await inbox('/stats?days=7');
      await her.sees('How many questions came each day, and what became of them?');
      const today = page.getByRole('list', { name: 'How many questions came each day' }).getByRole('link').last();
      expect(await today.getAttribute('aria-label')).toMatch(/\d+ questions? \(.*(approved|refused|still open)/);
      await today.click();
      await page.waitForURL((url) => url.searchParams.has('since') && url.searchParams.has('until'));
      await her.row('').first().waitFor();
    });
  });
}
