import { describe, expect, it } from 'vitest';
import { bindingsOf } from '../src/cel.ts';
import { compileRules, type RuleProblem, ruleFromCode } from '../src/rules.ts';
import { aCall, aRule, aRuleSet, digest } from './classify-words.ts';

describe('compileRules', () => {
  it('reports every problem of the file at once, each with its place', () => {
    const compiled = compileRules(
      [
        aRule({ match: 'args.a == foo' }),
        aRule({ id: 'fine' }),
        aRule({ id: 'fine' }),
        aRule({ id: 'bad', match: 'bar\n == (', title: '5' }),
      ],
      { digest },
    );
    const problems = compiled.ok ? [] : (compiled.error.detail?.problems as readonly RuleProblem[]);
    expect(problems.map(({ index, id, field, line, column }) => [index, id, field, line, column])).toEqual([
      [0, 'eat', 'match', 1, 11],
      [2, 'fine', 'id', undefined, undefined],
      [3, 'bad', 'title', 1, 1],
      [3, 'bad', 'match', 2, 2],
    ]);
    expect(compiled.ok ? '' : compiled.error.message).toContain('rule `eat`, match at line 1, column 11: there is no variable `foo`');
  });

  it('takes a title of any value, since a title shows values', () => {
    expect(compileRules([aRule({ title: 'args.amount' })], { digest }).ok).toBe(true);
  });

  it('times predicates where a clock is given', () => {
    let ms = 0;
    expect(compileRules([aRule()], { digest, nowMs: () => (ms += 1000) }).ok).toBe(false);
  });

  it('keeps the order of the file for exact names and patterns', () => {
    const rules = aRuleSet(
      aRule({ id: 'a', tool: '*' }),
      aRule({ id: 'b' }),
      aRule({ id: 'c', tool: 'jar__*' }),
      aRule({ id: 'd', tool: 'x__y' }),
    );
    expect(rules.for('jar__cookie_jar').map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(rules.for('x__y').map(({ id }) => id)).toEqual(['a', 'd']);
  });

  it('keys rules on server and tool, so a like tool of another server is another tool (D6)', () => {
    const rules = aRuleSet(aRule());
    for (const other of ['jar2__cookie_jar', 'cookie_jar', 'JAR__cookie_jar', 'jar__cookie-jar', 'jar__cookie_jar_', 'xjar__cookie_jar']) {
      expect(rules.for(other)).toEqual([]);
    }
  });
});

describe('digests', () => {
  const base = [aRule(), aRule({ id: 'other', tool: 'x__y' })];

  it('change with any rule of the file; those of a tool only with rules that can apply to it', () => {
    const before = aRuleSet(...base);
    const after = aRuleSet(aRule(), aRule({ id: 'other', tool: 'x__y', reason: 'Another reason.' }));
    expect(after.digest).not.toBe(before.digest);
    expect(after.digestFor('x__y')).not.toBe(before.digestFor('x__y'));
    expect(after.digestFor('jar__cookie_jar')).toBe(before.digestFor('jar__cookie_jar'));
  });

  it('change with a pattern that reaches the tool', () => {
    const after = aRuleSet(...base, aRule({ id: 'all', tool: '*' }));
    expect(after.digestFor('jar__cookie_jar')).not.toBe(aRuleSet(...base).digestFor('jar__cookie_jar'));
  });

  it('are the same for the same file', () => {
    expect(aRuleSet(...base).digest).toBe(aRuleSet(...base).digest);
    expect(aRuleSet(...base).digestFor('none__x')).toBe(aRuleSet().digestFor('none__x'));
  });

  it('change with the version of a code rule', () => {
    const rule = (version: string) => ruleFromCode({ id: 'c', tool: '*', when: 'w', reason: 'r', matches: () => true, version });
    expect(aRuleSet(rule('1')).digest).not.toBe(aRuleSet(rule('2')).digest);
  });
});

describe('a rule in code', () => {
  const read = (matches: (args: Readonly<Record<string, unknown>>) => boolean, args: unknown) => {
    const [rule] = aRuleSet(ruleFromCode({ id: 'c', tool: '*', when: 'w', reason: 'r', matches })).rules;
    const call = aCall({ args });
    return rule?.read(call, bindingsOf(call));
  };

  it('reads the arguments, and `{}` where they are no object', () => {
    expect(read((args) => args.action === 'eat', { action: 'eat' })).toEqual({ said: 'matches' });
    expect(read((args) => args.action === 'eat', null)).toEqual({ said: 'does not match' });
  });

  it('applies when it throws or yields no boolean, and says nothing of the arguments', () => {
    const throwing = (args: Readonly<Record<string, unknown>>): boolean => {
      throw new Error(`secret ${String(args.iban)}`);
    };
    expect(read(throwing, { iban: 'DE00' })).toEqual({ said: 'could not be evaluated', detail: 'its code threw' });
    expect(read((() => Promise.resolve(false)) as never, {})).toEqual({
      said: 'could not be evaluated',
      detail: 'its code does not yield a boolean',
    });
  });

  it('takes the defaults of the file', () => {
    const [rule] = aRuleSet(ruleFromCode({ id: 'c', tool: '*', when: 'w', reason: 'r', matches: () => true })).rules;
    expect(rule).toMatchObject({
      effect: 'ask',
      expiresMs: 86_400_000,
      needs: 1,
      mode: 'enforce',
      irreversible: false,
      match: '(in code)',
    });
  });
});
