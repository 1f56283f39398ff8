import { describe, expect, it } from 'vitest';
import { createProgress, progressTokenOf } from '../../src/endpoint/progress.ts';

const progressIn = (notice: object | undefined) => (notice as { params: { progress: number } } | undefined)?.params.progress;

describe('progress', () => {
  it('passes the values of an upstream on as they are, from nought', () => {
    const progress = createProgress('t');
    expect([0, 50, 100].map((value) => progress.relay({ progress: value, total: 100, message: 'm', other: 1 }))).toEqual(
      [0, 50, 100].map((value) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 't', progress: value, total: 100, message: 'm' },
      })),
    );
  });

  it('drops what does not grow or is no number', () => {
    const progress = createProgress(1);
    expect([5, 5, 3, '9', undefined, 6].map((value) => progressIn(progress.relay({ progress: value })))).toEqual([
      5,
      undefined,
      undefined,
      undefined,
      undefined,
      6,
    ]);
  });

  it('grows on when our own notices came before those of the upstream', () => {
    const progress = createProgress(1);
    expect([progress.tick('held'), progress.tick('held'), progress.relay({ progress: 1, total: 4 })]).toMatchObject([
      { params: { progress: 1 } },
      { params: { progress: 2 } },
      { params: { progress: 3, total: 6 } },
    ]);
    expect(progressIn(progress.tick('running'))).toBe(4);
  });

  it.each([
    ['a', 'a'],
    [0, 0],
    [1.5, undefined],
    [null, undefined],
    [{}, undefined],
  ])('takes the token %j as %j', (progressToken, token) => {
    expect(progressTokenOf({ progressToken })).toBe(token);
  });
});
