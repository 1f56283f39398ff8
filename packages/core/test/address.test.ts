import { describe, expect, it } from 'vitest';
import { emailDomain, host } from '../src/address.ts';

const answer = (compute: () => string): string => {
  try {
    return compute();
  } catch {
    return 'error';
  }
};

describe('host(url)', () => {
  it.each([
    ['https://example.org/a?b#c', 'example.org'],
    ['HTTPS://Example.ORG', 'example.org'],
    ['https://example.org.:8443/', 'example.org'],
    ['https://ada:pw@example.org/', 'example.org'],
    ['https://good.com@evil.com/', 'evil.com'],
    ['https://evil.com#@good.com', 'evil.com'],
    ['https://evil.com?@good.com', 'evil.com'],
    ['http://[::1]:80/', '[::1]'],
    ['http://127.0.0.1/', '127.0.0.1'],
    ['wss://a-b.c_d.example/', 'a-b.c_d.example'],
    ['https://a@b@evil.com/', 'error'],
    ['https://good.com\\@evil.com/', 'error'],
    ['https:\\\\evil.com', 'error'],
    ['https:evil.com', 'error'],
    ['https:///evil.com', 'error'],
    ['//evil.com/a', 'error'],
    ['example.org', 'error'],
    ['https://ex ample.org', 'error'],
    ['https://evil.com\t.good.com', 'error'],
    ['https://evil%2ecom/', 'error'],
    ['https://еxample.org/', 'error'],
    ['http://127.1/', 'error'],
    ['http://2130706433/', 'error'],
    ['http://0x7f.0.0.1/', 'error'],
    ['http://010.0.0.1/', 'error'],
    ['http://256.0.0.1/', 'error'],
    ['https://example.org:port/', 'error'],
    ['https://example.org:80:90/', 'error'],
    ['https://-a.org', 'error'],
    ['https://a..org', 'error'],
    ['', 'error'],
  ])('%j is at %s', (url, expected) => {
    expect(answer(() => host(url))).toBe(expected);
  });
});

describe('email_domain(address)', () => {
  it.each([
    ['Ada.Marsh+x@Example.ORG', 'example.org'],
    ['ada@example.org.', 'example.org'],
    ['Ada <ada@example.org>', 'error'],
    ['ada@good.com@evil.com', 'error'],
    ['ada@good.com,eve@evil.com', 'error'],
    ['"a@b"@example.org', 'error'],
    ['ada', 'error'],
    ['@example.org', 'error'],
    ['ada@', 'error'],
    ['ada@exаmple.org', 'error'],
    ['ada@[127.0.0.1]', 'error'],
    [' ada@example.org', 'error'],
  ])('%j belongs to %s', (address, expected) => {
    expect(answer(() => emailDomain(address))).toBe(expected);
  });
});
