import { describe, expect, it } from 'vitest';
import { buildServer } from '../src/app.ts';
import { depsOf, fakeHost, HOST } from './fake-host.ts';
import { testServer } from './requests.ts';

const HTML = { accept: 'text/html,application/xhtml+xml' };

describe('the page', () => {
  it.each([
    '/',
    '/decisions/dec_01',
    '/history?state=refused',
    '/audit',
    '/?q=plan.md',
    '/history?q=a/b.txt&from=/login',
    '/rules?tool=/api',
  ])('stands at %s, for anybody', async (url) => {
    const response = await testServer().send('GET', url, { headers: HTML });
    expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(response.body).toContain('<title>Countersign</title>');
  });

  it.each([
    '/missing.js',
    '/missing.js?q=x',
    '/mcp/x?q=y',
    '/api/v1/nothing',
    '/api/nothing',
    '/events/x',
    '/login',
    '/.well-known/x',
    '/mcp/x',
  ])('does not stand in for %s', async (url) => {
    const response = await testServer().send('GET', url, { as: 'ada', headers: HTML });
    expect([response.statusCode, response.json().code]).toEqual([404, 'not_found']);
  });

  it.each(['/../package.json', '/..%2fpackage.json', '/%2e%2e/src/app.ts', '/api/docs/..%2f..%2fpackage.json', '/.env'])(
    'gives no file from elsewhere: %s',
    async (url) => {
      const response = await testServer().send('GET', url);
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
      expect(response.body).not.toContain('@countersign/server');
    },
  );

  it('has no script, style or handler of its own in its text, and nothing from another host', async () => {
    for (const url of ['/', '/api/docs/', '/login/x']) {
      const { body } = await testServer().send('GET', url);
      expect(body).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
    }
  });
});

describe('the page to read the API', () => {
  it.each(['/api/docs/', '/api/docs/api-page.js', '/api/docs/dom.js', '/api/docs/inbox.css', '/api/openapi.json'])(
    'is there without any other page: %s',
    async (url) => {
      const app = buildServer({ ...depsOf(fakeHost()), staticDir: null });
      const responses = [
        await app.inject({ url, headers: { host: HOST } }),
        await app.inject({ url: '/', headers: { host: HOST, ...HTML } }),
      ];
      expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 404]);
    },
  );

  it('is found without the slash too', async () => {
    const response = await testServer().send('GET', '/api/docs');
    expect([response.statusCode, response.headers.location]).toEqual([301, '/api/docs/']);
  });
});
