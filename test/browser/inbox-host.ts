/** A whole host with a freshly built inbox, its upstreams, two people and their agents. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../e2e/place.ts';
import { COUNTER_RULE, counterServer, type Execution, executionsIn, JAR_RULES, jarServer } from '../e2e/sample-config.ts';
import { type StartedHost, scratch, startHost } from '../e2e/started-host.ts';

const SCOPES = ['directory:read', 'tools:call', 'decisions:write', 'evidence:write', 'consult', 'audit:read'];
const MANDATE = {
  scopes: SCOPES,
  terms: [
    { tool: 'jar__*', when: 'anything with the jar' },
    { tool: 'counter__*', when: 'anything that counts' },
  ],
};

const RULES = [
  { ...COUNTER_RULE, title: 'has(args.what) ? "Count " + args.what : "Count"' },
  {
    id: 'brief',
    tool: 'counter__increment',
    when: 'it is in a hurry',
    match: 'has(args.brief)',
    reason: 'Waits a second only.',
    expires: '1s',
  },
  {
    id: 'never',
    tool: 'counter__increment',
    when: 'it is forbidden',
    match: 'has(args.forbidden)',
    reason: 'Nobody does that.',
    effect: 'refuse',
  },
  {
    id: 'both',
    tool: 'counter__increment',
    when: 'it takes two',
    match: 'has(args.both)',
    reason: 'Two must agree.',
    answer_by: ['ada', 'ben'],
    needs: 2,
  },
  { ...JAR_RULES[0], irreversible: true, title: '"Smash the jar"' },
  { ...JAR_RULES[1], title: '"Eat " + string(args.amount) + " cookies"' },
];

const config = (counted: string) => ({
  hold: { wait: '100ms', wait_with_progress: '2s' },
  servers: { counter: counterServer(counted), jar: jarServer(join(scratch('jar'), 'jar.json')) },
  rules: RULES,
  principals: { ada: { name: 'Ada Marsh', mandate: MANDATE }, ben: { name: 'Ben Okafor', mandate: MANDATE } },
  agents: {
    researcher: { principal: 'ada', status: 'member', description: 'Finds things out' },
    newcomer: { principal: 'ada', status: 'probation', description: 'Arrived today' },
    treasurer: { principal: 'ben', status: 'member', description: 'Pays what is due' },
  },
  limits: { requests_per_minute: 1_000_000 },
});

export type InboxHost = StartedHost & {
  /** What the counter ran for one test, in order. */
  readonly executions: (test: string) => readonly Execution[];
};

/** Builds the page and what serves it. COUNTERSIGN_TEST_BUILT=1: both stand already. */
export function build(): void {
  if (process.env.COUNTERSIGN_TEST_BUILT === '1') return;
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'build', '--silent'], { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The product does not build:\n${stdout}\n${stderr}`);
}

/** Starts it; it ends with the test file. */
export async function startInboxHost(): Promise<InboxHost> {
  build();
  const counted = join(scratch('counted'), 'counted.jsonl');
  const host = await startHost({ config: config(counted) });
  return { ...host, executions: (test) => executionsIn(counted).filter(({ args }) => args.test === test) };
}
