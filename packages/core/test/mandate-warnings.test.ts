import { describe, expect, it } from 'vitest';
import { mandateWarnings } from '../src/mandate-warnings.ts';
import { terms } from './classify-words.ts';

const NOW = '2026-11-30T12:00:00.000Z';
const TOOLS = ['files__read', 'jar__cookie_jar'];
const SCOPES = ['directory:read', 'tools:call', 'decisions:write'] as const;

describe('mandateWarnings', () => {
  it('has nothing to say of terms that let agents work', () => {
    expect(mandateWarnings(terms([{ tool: 'files__*' }, { tool: '*' }], SCOPES), TOOLS, NOW)).toEqual([]);
  });

  it.each(SCOPES)('says what is gone without %s', (scope) => {
    const without = SCOPES.filter((other) => other !== scope);
    expect(mandateWarnings(terms([{}], without), TOOLS, NOW)).toEqual([
      expect.stringMatching(new RegExp(`^Without ${scope}, none of your agents can `)),
    ]);
  });

  it('says that every call becomes a question where no term is in force', () => {
    const over = { expires_at: NOW };
    expect(mandateWarnings(terms([], SCOPES), TOOLS, NOW)).toEqual([expect.stringMatching(/^No term is in force/)]);
    expect(mandateWarnings(terms([over], SCOPES), TOOLS, NOW)).toEqual([
      expect.stringMatching(/^No term is in force/),
      expect.stringMatching(/^Term 1 .* expired/),
    ]);
  });

  it('names terms of tools that nobody knows', () => {
    expect(mandateWarnings(terms([{ tool: 'files__*' }, { tool: 'fiels__*' }], SCOPES), TOOLS, NOW)).toEqual([
      expect.stringMatching(/^Term 2 names fiels__\*/),
    ]);
  });
});
