import { DecisionRowPage, MandatePreview, Stats, ToolDetail } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { testServer } from './requests.ts';

describe('the rows of decisions', () => {
  it('are what the viewer may see, with the number of all of them', async () => {
    const { send, host } = testServer();
    const response = await send('GET', '/api/v1/decisions/rows?state=pending,approved&since=2026-11-01T00:00:00Z&limit=10', { as: 'ada' });
    expect(DecisionRowPage.parse(response.json())).toMatchObject({ items: [{ agent: 'researcher' }], nextCursor: null, total: 1 });
    const asked = host.calls.find(({ name }) => name === 'listDecisionRows')?.args[1];
    expect(asked).toMatchObject({ state: ['pending', 'approved'], since: '2026-11-01T00:00:00Z', limit: 10, sort: 'age' });
  });

  it.each(['since=yesterday', 'until=2026-13-01', 'limit=0', 'state=open'])(
    'want to be asked for in the shape of the contract: %s',
    async (query) => {
      const response = await testServer().send('GET', `/api/v1/decisions/rows?${query}`, { as: 'ada' });
      expect([response.statusCode, response.json().code]).toEqual([400, 'input.invalid']);
    },
  );
});

describe('figures', () => {
  it.each([
    ['', 30, 'UTC'],
    ['?days=90&tz=America/Argentina/Buenos_Aires', 90, 'America/Argentina/Buenos_Aires'],
    ['?days=1&tz=Europe/Berlin', 1, 'Europe/Berlin'],
  ])('are for the days of a time zone: %s', async (query, days, tz) => {
    const { send, host } = testServer();
    const response = await send('GET', `/api/v1/stats${query}`, { as: 'ada' });
    expect(Stats.parse(response.json()).agents[0]?.name).toBe(tz);
    expect(host.calls.find(({ name }) => name === 'readStats')?.args[1]).toEqual({ days, tz });
  });

  it.each(['days=0', 'days=91', 'days=1.5', 'tz=Mars/Olympus', 'tz=%2B01:00', "tz=UTC';--", 'tz='])(
    'are for no others: %s',
    async (query) => {
      const { send, host } = testServer();
      const response = await send('GET', `/api/v1/stats?${query}`, { as: 'ada' });
      expect([response.statusCode, response.json().code]).toEqual([400, 'input.invalid']);
      expect(host.calls.some(({ name }) => name === 'readStats')).toBe(false);
    },
  );
});

describe('one tool', () => {
  it('is described to a principal', async () => {
    const response = await testServer().send('GET', '/api/v1/tools/jar__cookie_jar', { as: 'ada' });
    expect(ToolDetail.parse(response.json())).toMatchObject({ tool: 'jar__cookie_jar', server: 'jar' });
  });

  it('that is not there is not found', async () => {
    const response = await testServer().send('GET', '/api/v1/tools/jar__nothing', { as: 'ada' });
    expect([response.statusCode, response.json().code]).toEqual([404, 'tool.unknown']);
  });
});

describe('a preview of other terms', () => {
  const body = { scopes: ['tools:call'], terms: [{ tool: 'jar__*', when: 'anything' }] };

  it('covers thirty days where none are named', async () => {
    const response = await testServer().send('POST', '/api/v1/mandates/preview', { as: 'ada', body });
    expect(MandatePreview.parse(response.json())).toMatchObject({ compared: 'widened', warnings: ['30 days'] });
  });

  it('wants the CSRF token of a session, though it writes nothing', async () => {
    const { send } = testServer();
    const login = await send('POST', '/api/v1/login', { body: { token: 'csp_ada-token-0123456789' } });
    const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
    expect((await send('POST', '/api/v1/mandates/preview', { headers: { cookie }, body })).json().code).toBe('csrf.missing');
  });

  it.each([
    { ...body, days: 0 },
    { ...body, days: 91 },
    { ...body, scopes: ['mandate:write'] },
    { ...body, more: 1 },
  ])('is of terms that a mandate may have: %j', async (input) => {
    const response = await testServer().send('POST', '/api/v1/mandates/preview', { as: 'ada', body: input });
    expect([response.statusCode, response.json().code]).toEqual([400, 'input.invalid']);
  });
});
