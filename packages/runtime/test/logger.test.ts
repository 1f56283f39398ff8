import { findDecision, insertAgent, openEmbeddedStore } from '@countersign/store';
import { describe, expect, it } from 'vitest';
import { createLoggerTo } from '../src/logger.ts';

const SECRET = 'DE89 3704 0044 0532 0130 00';

/** What a logger writes about an error, in each of the places where one is put. */
function logged(error: unknown): string {
  let text = '';
  const log = createLoggerTo('debug', {
    write: (line) => {
      text += line;
    },
  });
  log.error({ err: error, requestId: 'req_1' }, 'It failed');
  log.error({ error }, 'It failed');
  log.error(error as Error);
  return text;
}

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
};

describe('the log', () => {
  it('says which query failed and why, and none of the values that it was about (G3)', async () => {
    const { store } = await openEmbeddedStore('memory://');
    const agent = {
      id: 'agt_1' as never,
      name: 'a',
      folded: 'a',
      principal: SECRET,
      status: 'member',
      description: '',
      createdAt: '2026-11-30T12:00:00.000Z',
    } as const;
    const failures = [
      // The one is turned down for what was sent, the other for a row, which PostgreSQL cites.
      await failureOf(findDecision(store.db, `${SECRET}\0`)),
      await failureOf(insertAgent(store.db, agent)),
    ];
    await store.close();
    for (const failure of failures) {
      const text = logged(failure);
      expect(text).toContain('Failed query: ');
      expect(text).toMatch(/invalid byte sequence|violates foreign key constraint/);
      expect(text).toMatch(/ {4}at /);
      expect(text).not.toContain(SECRET);
    }
  });

  it('tells the whole chain of causes, and whatever is no error as it is', () => {
    const deep = new Error('The call could not be recorded.', { cause: new TypeError('no column', { cause: new Error('no disk') }) });
    for (const word of ['could not be recorded', 'TypeError', 'no column', 'no disk']) expect(logged(deep)).toContain(word);
    expect(logged('just words')).toContain('just words');
  });
});
