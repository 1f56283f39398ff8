import { describe, expect, it } from 'vitest';
import { endpointOf, exposedFinding, isExposed, isPublicAddress } from '../../src/doctor/address.ts';
import { examine } from '../../src/doctor/examine.ts';
import { fakeGate } from '../endpoint/fake-gate.ts';
import { serveEndpoint } from '../endpoint/loopback.ts';

describe('the address that doctor asks', () => {
  it.each([
    ['http://127.0.0.1:7420', 'http://127.0.0.1:7420/mcp'],
    ['http://127.0.0.1:7420/', 'http://127.0.0.1:7420/mcp'],
    ['https://gate.example/agents/mcp?x=1#top', 'https://gate.example/agents/mcp?x=1'],
    ['https://ada:secret@gate.example/mcp', 'https://gate.example/mcp'],
    ['gate.example', undefined],
    ['file:///etc/passwd', undefined],
  ])('is, for %s, %s', (given, endpoint) => {
    expect(endpointOf(given)?.href).toBe(endpoint);
  });

  it('is the endpoint of a host that is named by its origin alone', async () => {
    const { url } = await serveEndpoint(fakeGate().deps);
    const report = await examine(url.origin, { token: 'csa_researcher' });
    expect(report).toMatchObject({ url: url.href, lane: 'member' });
  });

  it.each([
    ['127.0.0.1', false],
    ['127.8.8.8', false],
    ['10.1.2.3', false],
    ['172.31.255.255', false],
    ['192.168.1.1', false],
    ['100.100.1.1', false],
    ['169.254.1.1', false],
    ['::1', false],
    ['fd12:3456::1', false],
    ['fe80::1', false],
    ['::ffff:10.0.0.1', false],
    ['172.32.0.1', true],
    ['8.8.8.8', true],
    ['2001:4860:4860::8888', true],
    ['::ffff:8.8.8.8', true],
  ])('%s is on networks that strangers share: %s', (address, isPublic) => {
    expect(isPublicAddress(address)).toBe(isPublic);
  });

  it('is exposed by plain http to a public address, by name or number, and never by https or to this machine', async () => {
    const lookup = async (name: string) => (name === 'gate.example' ? ['10.0.0.1', '203.0.113.7'] : Promise.reject(new Error('unknown')));
    const answers = await Promise.all(
      [
        'http://gate.example/',
        'http://203.0.113.7/',
        'http://[2001:db8::1]/',
        'https://gate.example/',
        'http://localhost/',
        'http://no.example/',
      ].map((url) => isExposed(new URL(url), lookup)),
    );
    expect(answers).toEqual([true, true, true, false, false, false]);
  });

  it('gets no token where anybody could read it on the way', async () => {
    let asked = 0;
    const report = await examine('http://gate.invalid:7420/mcp', {
      token: 'csa_researcher',
      lookup: async () => ['203.0.113.7'],
      now: () => {
        asked += 1;
        return 0;
      },
    });
    expect(report.findings).toEqual([
      {
        code: 'endpoint.insecure',
        severity: 'error',
        message:
          'gate.invalid:7420 is a public address and the URL is plain http: whoever carries the traffic can read your token and use it. It was not sent.',
        fix: 'Use https://gate.invalid:7420/mcp. If this token was sent this way before, revoke it and make another.',
      },
    ]);
    // Each request reads the clock; none was made.
    expect(asked).toBe(0);
  });

  it('is warned of before there is a token', () => {
    expect(exposedFinding(new URL('http://gate.example/mcp'), false)).toMatchObject({
      severity: 'warning',
      fix: expect.stringContaining('https://'),
    });
  });
});
