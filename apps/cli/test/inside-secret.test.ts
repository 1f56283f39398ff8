import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { insideSecret } from '../src/inside-secret.ts';
import { inFolder } from './run-cli.ts';

const GATE = 'https://gate.example/mcp';
const SECRETS = { COUNTERSIGN_OPERATOR_SECRET: 'cso_of_env', COUNTERSIGN_TOKEN: 'csp_of_env' };

/** A working directory whose .countersign belongs to the host at gate.example. */
const withData = (work: (cwd: string) => void): Promise<void> =>
  inFolder(async (cwd) => {
    mkdirSync(join(cwd, '.countersign'));
    writeFileSync(join(cwd, '.countersign', 'host.json'), JSON.stringify({ url: 'https://gate.example', pid: 1 }));
    writeFileSync(join(cwd, '.countersign', 'operator.secret'), 'cso_of_data\n');
    work(cwd);
  });

test.each([
  ['the host that COUNTERSIGN_URL names', GATE, { ...SECRETS, COUNTERSIGN_URL: 'https://gate.example' }, undefined, 'cso_of_env'],
  ['a host on this machine', 'http://127.0.0.1:7420/mcp', SECRETS, undefined, 'cso_of_env'],
  ['a host on this machine, by name', 'http://localhost:7420', SECRETS, 'csa_agent', 'cso_of_env'],
  ['a host on this machine, with a token alone', 'http://[::1]:7420', { COUNTERSIGN_TOKEN: 'csp_of_env' }, 'csa_agent', 'csp_of_env'],
  ['any other address', GATE, SECRETS, undefined, null],
  ['another port of a known host', 'https://gate.example:8443', { ...SECRETS, COUNTERSIGN_URL: 'https://gate.example' }, undefined, null],
  ['any other address, looked at as a principal', GATE, SECRETS, 'csp_given', 'csp_given'],
  ["a host on this machine, with an agent's token alone", 'http://127.0.0.1', { COUNTERSIGN_TOKEN: 'csa_agent' }, 'csa_agent', null],
  ['what is no address', 'gate', SECRETS, 'csp_given', null],
])('goes to %s only what is for it', (_, url, env, token, secret) => {
  expect(insideSecret({ cwd: '/nowhere', env }, url, { token })).toBe(secret);
});

test('goes from a data directory to its own host and to no other', () =>
  withData((cwd) => {
    const from = (url: string, env = {}) => insideSecret({ cwd, env }, url, {});
    expect(from(GATE)).toBe('cso_of_data');
    expect(from(GATE, SECRETS)).toBe('cso_of_env');
    expect(from('https://other.example/mcp')).toBeNull();
    expect(from('http://127.0.0.1:7420/mcp')).toBeNull();
  }));
