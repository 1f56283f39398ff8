/** The pieces that most hosts of these tests are made of. */
import { existsSync, readFileSync } from 'node:fs';
import { type UpstreamName, upstreamCommand } from '@countersign/testkit';

const EVERYTHING = [{ tool: '*', when: 'anything' }];
const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];
const MANDATE = { scopes: SCOPES, terms: EVERYTHING };

/** Ada's agents researcher (member) and newcomer (probation), ben's agent treasurer (member); a held call waits 150 ms. */
export const aConfig = (more: object) => ({
  hold: { wait: '150ms', wait_with_progress: '2s' },
  principals: { ada: { name: 'Ada Marsh', mandate: MANDATE }, ben: { name: 'Ben Okafor', mandate: MANDATE } },
  agents: {
    researcher: { principal: 'ada', status: 'member', description: 'Finds things out' },
    newcomer: { principal: 'ada', status: 'probation' },
    treasurer: { principal: 'ben', status: 'member' },
  },
  limits: { requests_per_minute: 1_000_000 },
  ...more,
});

/** One of testkit's upstreams as a real child process. */
export const stdioServer = (name: UpstreamName, env: Readonly<Record<string, string>> = {}, args: readonly string[] = []) => {
  const { command, args: own } = upstreamCommand(name, { form: 'built', args });
  return { command, args: [...own], env };
};

export const jarServer = (file: string) => stdioServer('cookiejar', { JAR_FILE: file });
export const counterServer = (file: string) => stdioServer('misbehaving', { COUNTER_FILE: file }, ['counter']);

/** The rules of the sample that gate the cookie jar. */
export const JAR_RULES = [
  { id: 'smash-jar', tool: 'jar__smash_jar', when: 'always', reason: 'There is no undo and no backup.' },
  {
    id: 'eat-cookies',
    tool: 'jar__cookie_jar',
    when: 'the action is "eat"',
    match: '!(args.action in ["count", "add"])',
    reason: 'Cookies cannot be un-eaten.',
  },
];
/** Every call of the counter is held, but for those that ask to pass. */
export const COUNTER_RULE = {
  id: 'count',
  tool: 'counter__increment',
  when: 'unless it says that it may pass',
  match: '!(has(args.pass) && args.pass == true)',
  reason: 'Counting is for keeps.',
};

export type Execution = { readonly args: Readonly<Record<string, unknown>>; readonly meta: Readonly<Record<string, unknown>> };

/** What the counter ran, in order. */
export const executionsIn = (file: string): readonly Execution[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Execution)
    : [];

type Jar = { readonly count: number; readonly history: readonly { readonly what: string }[] };
/** What happened to a jar; nothing where it was never changed. */
export const jarIn = (file: string): Jar =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Jar) : { count: 12, history: [] };
