import { readdirSync, readFileSync } from 'node:fs';
import { MandateTerms, RuleConfig } from '@countersign/contracts';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compileMandate } from '../src/mandate.ts';
import { classify } from '../src/verdict.ts';
import { aCall, aGate, aRuleSet } from './classify-words.ts';

type Table = {
  readonly agent?: { readonly name: string; readonly principal: string };
  readonly chain?: readonly string[];
  readonly task?: string;
  readonly rules: readonly unknown[];
  readonly mandates: Readonly<Record<string, unknown>>;
  /** `grounds`: rule ids, or `term:<principal>` for a mandate that does not cover, in the order of the verdict. */
  readonly cases: readonly {
    readonly name: string;
    readonly tool: string;
    readonly args: unknown;
    readonly effect: string;
    readonly grounds?: readonly string[];
  }[];
};

const folder = new URL('tables/', import.meta.url);

describe.each(readdirSync(folder))('%s', (file) => {
  const table = parse(readFileSync(new URL(file, folder), 'utf8')) as Table;
  const mandates = Object.entries(table.mandates).map(([principal, given]) => {
    const compiled = compileMandate(principal, 1, MandateTerms.parse(given));
    if (!compiled.ok) throw new Error(compiled.error.message);
    return compiled.value;
  });
  const gate = aGate({ rules: aRuleSet(...table.rules.map((rule) => RuleConfig.parse(rule))), mandates });
  const agent = { name: 'walker', principal: 'ada', status: 'member' as const, ...table.agent };
  const chain = (table.chain ?? [agent.principal]).map((principal) => ({ run: `run_${principal}`, agent: 'a', principal, question: null }));

  it.each(table.cases)('$name', ({ tool, args, effect, grounds = [] }) => {
    const [server = '', name = ''] = tool.split('__');
    const verdict = classify(aCall({ tool, server, name, args, agent, chain, task: table.task ?? '' }), gate);
    expect(verdict.grounds.map(({ rule, answerBy }) => rule ?? `term:${answerBy.join()}`)).toEqual(grounds);
    expect(verdict.effect).toBe(effect);
  });
});
