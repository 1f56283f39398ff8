import { describe, expect, it } from 'vitest';
import { createClient } from '../src/client.ts';
import { json, problem, scripted } from './scripted-fetch.ts';

const DOWN = new TypeError('fetch failed');
const ANSWER = { version: 1, shownDigest: `sha256:${'a'.repeat(64)}`, effect: 'approve' } as const;

describe('a request', () => {
  it('carries the token and gives the value', async () => {
    const { options, sent } = scripted(json(200, { items: [], nextCursor: null }));
    const result = await createClient({ ...options, token: 'csp_x' }).decisions.list({ state: ['pending', 'approved'], limit: 5 });
    expect(result).toEqual({ ok: true, value: { items: [], nextCursor: null } });
    expect(sent[0]?.url).toBe('http://host:7420/api/v1/decisions?state=pending%2Capproved&limit=5');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer csp_x');
  });

  it('keeps a name in its place, whatever it holds', async () => {
    const { options, sent } = scripted(json(200, {}));
    await createClient({ ...options, token: 'cso_x' }).agents.admit('../../freeze?x=1');
    expect(sent[0]?.url).toBe('http://host:7420/api/v1/agents/..%2F..%2Ffreeze%3Fx%3D1/admit');
  });

  it('gives the code, the message and the detail of a problem', async () => {
    const { options } = scripted(problem(409, 'decision.already_answered', { by: 'ben' }));
    const result = await createClient({ ...options, token: 'csp_x' }).decisions.answer('dec_1', ANSWER);
    expect(result).toEqual({
      ok: false,
      error: {
        code: 'decision.already_answered',
        message: 'failed with decision.already_answered',
        detail: { by: 'ben' },
        status: 409,
        requestId: 'req_1',
      },
    });
  });

  it('says when something else answers', async () => {
    const { options } = scripted(new Response('<html>', { status: 404 }));
    expect(await createClient({ ...options, token: 'x' }).me()).toMatchObject({
      ok: false,
      error: { code: 'client.bad_answer', status: 404 },
    });
  });

  it('rejects with the reason when it is aborted, and is not sent again', async () => {
    const { options, sent } = scripted(json(200, {}));
    const reason = new Error('no longer wanted');
    await expect(createClient({ ...options, token: 'x' }).me({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });
});

describe('a retry', () => {
  it('follows a lost answer under the same Idempotency-Key', async () => {
    const { options, sent, waits } = scripted(DOWN, problem(503, 'store.unavailable'), json(200, { id: 'dec_1' }));
    const result = await createClient({ ...options, token: 'csp_x' }).decisions.answer('dec_1', ANSWER);
    expect(result.ok).toBe(true);
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(waits[1]).toBeGreaterThan(waits[0] ?? 0);
  });

  it('has a new key for another write', async () => {
    const { options, sent } = scripted(json(200, {}), json(200, {}));
    const client = createClient({ ...options, token: 'csp_x' });
    await client.host.thaw();
    await client.host.thaw();
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(2);
  });

  it('keeps the key that the caller gives', async () => {
    const { options, sent } = scripted(json(200, {}));
    await createClient({ ...options, token: 'csp_x' }).host.thaw({ idempotencyKey: 'mine' });
    expect(sent[0]?.headers.get('idempotency-key')).toBe('mine');
  });

  it('waits as long as the server asks, and not at all when that is too long', async () => {
    const short = scripted(problem(429, 'rate.limited', { retryAfterSeconds: 3 }), json(200, {}));
    expect((await createClient({ ...short.options, token: 'x' }).host.get()).ok).toBe(true);
    expect(short.waits).toEqual([3000]);
    const long = scripted(problem(429, 'rate.limited', { retryAfterSeconds: 60 }));
    expect(await createClient({ ...long.options, token: 'x' }).host.get()).toMatchObject({ error: { code: 'rate.limited' } });
  });

  it.each([400, 401, 403, 404, 409, 422, 500])('does not follow an answer of %i', async (status) => {
    const { options, sent } = scripted(problem(status, 'conflict'));
    await createClient({ ...options, token: 'x' }).host.thaw();
    expect(sent).toHaveLength(1);
  });

  it('ends', async () => {
    const { options, sent } = scripted(DOWN, DOWN, DOWN);
    expect(await createClient({ ...options, token: 'x' }).host.get()).toMatchObject({ ok: false, error: { code: 'client.unreachable' } });
    expect(sent).toHaveLength(3);
  });
});

describe('a write with a session', () => {
  it('asks for the CSRF token once', async () => {
    const { options, sent } = scripted(json(200, { csrf: 'c1' }), json(200, {}), json(200, {}));
    const client = createClient(options);
    await client.host.thaw();
    await client.host.thaw();
    expect(sent.map(({ url, headers }) => [url.split('/v1')[1], headers.get('x-csrf-token')])).toEqual([
      ['/me', null],
      ['/thaw', 'c1'],
      ['/thaw', 'c1'],
    ]);
  });

  it('asks again when the session is another one by now', async () => {
    const { options, sent } = scripted(json(200, { csrf: 'c1' }), problem(403, 'csrf.missing'), json(200, { csrf: 'c2' }), json(200, {}));
    expect((await createClient(options).host.thaw()).ok).toBe(true);
    expect(sent.at(-1)?.headers.get('x-csrf-token')).toBe('c2');
    expect(sent.at(-1)?.headers.get('idempotency-key')).toBe(sent[1]?.headers.get('idempotency-key'));
  });

  it('logs in without one', async () => {
    const { options, sent } = scripted(json(200, { csrf: 'c1' }));
    await createClient(options).login('csp_x');
    expect(sent.map(({ url }) => url)).toEqual(['http://host:7420/api/v1/login']);
  });
});
