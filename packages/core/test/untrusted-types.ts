/**
 * Not run: type-checked by `untrusted-types.test.ts` and by this folder's program. Each line below an expectation must fail to compile, or
 * the expectation itself is an error. Nothing that a member wrote may reach an agent's text unquoted.
 */
import { type AgentText, agentText, hostText, joinTexts, type Quoted, quote, token, type Untrusted, untrusted } from '../src/untrusted.ts';

declare const note: Untrusted<string>;
declare const bare: string;
declare const anything: unknown;
const answer: { readonly text: Untrusted<string>; readonly count: number } = { text: note, count: 1 };

export const allowed: AgentText = agentText`Held: ${quote(note)} ${answer.count} ${token(bare)} ${hostText('said by a rule')}`;
export const quoted: Quoted = quote(untrusted(bare, { author: 'a', source: 'b' }));

// @ts-expect-error an untrusted text goes through quote
agentText`They said ${note}`;
// @ts-expect-error so does one inside a record
agentText`They said ${answer.text}`;
// @ts-expect-error a plain string variable is nobody's text
agentText`They said ${bare}`;
// @ts-expect-error unknown values neither
agentText`They said ${anything}`;
// @ts-expect-error lists are joined from texts
joinTexts([bare]);
// @ts-expect-error a string is no text for an agent
export const fromString: AgentText = bare;
// @ts-expect-error an object of the right look is none either
export const forged: AgentText = { text: bare };
// @ts-expect-error untrusted text is not a string
export const asString: string = note;
// @ts-expect-error and has no readable value
note.value;
// @ts-expect-error host text takes no untrusted text
hostText(note);
// @ts-expect-error only what is marked is quoted: the author has to be named
quote(bare);
// @ts-expect-error a quotation is made by quote alone
export const unquoted: Quoted = agentText`words`;
