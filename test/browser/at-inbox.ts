/** What every test here begins with: one browser, one host, ada's session and her agent, over all tests of the file. */
import type { Client } from '@countersign/client';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type Agent, codeOf, connectAgent, heldAs, type Result } from '../e2e/mcp-clients.ts';
import { until } from '../e2e/until.ts';
import { findChromium, startBrowser } from './chromium.ts';
import { type InboxHost, startInboxHost } from './inbox-host.ts';
import { type Inbox, type Opening, openInbox } from './inbox-page.ts';

export type At = {
  readonly host: InboxHost;
  readonly browser: Browser;
  /** Ada's agent `researcher`. */
  readonly agent: Agent;
  readonly ada: Client;
  readonly adaToken: string;
  /** A call of the counter, which a rule holds; the id of its decision. */
  readonly hold: (args: object) => Promise<string>;
  /** What the agent is told of a decision once it is settled. */
  readonly told: (id: string) => Promise<Result>;
  /** A browser in which ada is logged in; closed after the test, which fails if the page broke meanwhile. */
  readonly inbox: (path?: string, more?: Partial<Opening>) => Promise<Inbox>;
  /** The same, on a page that hears of nothing that happens after it was loaded, and does not know that it does not. */
  readonly deafInbox: (path: string) => Promise<Inbox>;
};

const DEAF = { contentType: 'text/event-stream', body: 'id: 1\nevent: rules\ndata: {"id":""}\n\n' };
/** A person takes their time. */
const ANSWERED_WITHIN_MS = 60_000;
const START_WITHIN_MS = 240_000;

/** A suite in a real browser against a real host; skipped, aloud, where there is no Chromium and none can be installed. */
export function describeAtInbox(name: string, suites: (at: () => At) => void): void {
  const chromium = findChromium();
  describe.skipIf(chromium.path === null)(name, () => {
    let at: At | undefined;
    const open: Inbox[] = [];
    beforeAll(async () => {
      const [browser, host] = await Promise.all([startBrowser(chromium.path ?? ''), startInboxHost()]);
      at = await settle(browser, host, open);
    }, START_WITHIN_MS);
    afterEach(async () => {
      for (const { breakages, close } of open.splice(0)) {
        await close();
        expect(breakages).toEqual([]);
      }
    });
    afterAll(() => at?.browser.close());
    suites(() => {
      if (at === undefined) throw new Error('It has not started.');
      return at;
    });
  });
}

async function settle(browser: Browser, host: InboxHost, open: Inbox[]): Promise<At> {
  const agent = await connectAgent(host.mcp(), await host.agentToken('researcher'));
  const adaToken = await host.principalToken('ada');
  const inbox = async (path = '/', more: Partial<Opening> = {}): Promise<Inbox> => {
    const opened = await openInbox(browser, { url: host.url(), token: adaToken, path, ...more });
    open.push(opened);
    return opened;
  };
  return {
    host,
    browser,
    agent,
    ada: host.as(adaToken),
    adaToken,
    hold: async (args) => heldAs(await agent.call('counter__increment', { ...args })),
    told: (id) =>
      until(
        `what became of ${id}`,
        async () => {
          const result = await agent.call('await_decision', { id, wait_seconds: 20 });
          return codeOf(result) === 'pending' ? null : result;
        },
        ANSWERED_WITHIN_MS,
      ),
    inbox,
    deafInbox: (path) => inbox(path, { before: (page) => page.route('**/events', (route) => route.fulfill(DEAF)) }),
  };
}
