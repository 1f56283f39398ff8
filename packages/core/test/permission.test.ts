import { LANE_CEILING, Lane, OWN_TOOL_SCOPE, Scope } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { effectiveScopes, isVisible, laneOf } from '../src/permission.ts';

const ALL = Scope.options;
const ownTools = Object.keys(OWN_TOOL_SCOPE);

describe('lanes', () => {
  it.each([
    ['anonymous', 3],
    ['probation', 10],
    ['member', 14],
    ['principal', 15],
  ] as const)('%s has %i of our own tools', (lane, count) => {
    const scopes = effectiveScopes({ lane, credentialScopes: ALL, mandateScopes: ALL });
    expect(ownTools.filter((tool) => isVisible(tool, scopes))).toHaveLength(count);
  });

  it.each([
    ['anonymous', false],
    ['probation', false],
    ['member', true],
    ['principal', true],
  ] as const)('%s has upstream tools: %s', (lane, expected) => {
    expect(isVisible('jar__cookie_jar', effectiveScopes({ lane, credentialScopes: null, mandateScopes: null }))).toBe(expected);
  });

  it('give no agent mandate:write, whatever its credential and its mandate say', () => {
    for (const lane of Lane.options.filter((one) => one !== 'principal')) {
      expect(effectiveScopes({ lane, credentialScopes: ALL, mandateScopes: ALL })).not.toContain('mandate:write');
      expect(LANE_CEILING[lane]).not.toContain('mandate:write');
    }
  });

  it('are told apart with a reason', () => {
    const agent = { kind: 'agent', name: 'walker', principal: 'ada' } as const;
    expect(laneOf({ kind: 'none' })).toMatchObject({ value: { lane: 'anonymous' } });
    expect(laneOf({ kind: 'principal', name: 'ada' })).toMatchObject({ value: { lane: 'principal' } });
    expect(laneOf({ ...agent, status: 'member' })).toMatchObject({
      value: { lane: 'member', why: 'walker is a member, admitted by ada.' },
    });
    expect(laneOf({ ...agent, status: 'probation' })).toMatchObject({
      value: { lane: 'probation', why: 'walker is on probation until ada admits it.' },
    });
    expect(laneOf({ ...agent, status: 'suspended' })).toMatchObject({ ok: false, error: { code: 'credential.invalid' } });
  });
});

describe('effective scopes', () => {
  it('are what credential, mandate, chain and lane all hold', () => {
    const given = {
      lane: 'member',
      credentialScopes: ['tools:call', 'consult', 'mandate:write'],
      mandateScopes: ['tools:call', 'consult', 'audit:read'],
    } as const;
    expect(effectiveScopes(given)).toEqual(['consult', 'tools:call']);
    expect(effectiveScopes({ ...given, chainScopes: [['consult'], ['consult', 'tools:call']] })).toEqual(['consult']);
    expect(effectiveScopes({ ...given, mandateScopes: [] })).toEqual([]);
  });
});

describe('visibility', () => {
  it('hides every name that is neither ours nor of an upstream', () => {
    for (const name of ['', 'constructor', 'toString', '__proto__x', 'who_ami', 'WHOAMI', 'whoami ']) {
      expect(
        isVisible(
          name,
          ALL.filter((scope) => scope !== 'tools:call'),
        ),
      ).toBe(false);
    }
    expect(isVisible('constructor', ALL)).toBe(false);
  });
});
