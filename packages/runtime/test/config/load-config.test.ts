import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConfigProblem, formatConfigProblems } from '../../src/config/config-problem.ts';
import { configJsonSchema } from '../../src/config/config-schema.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../../src/config/load-config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const load = (text: string, options: Partial<LoadOptions> = {}): ReturnType<typeof loadConfig> => {
  const file = join(folder, 'countersign.yaml');
  writeFileSync(file, text);
  return loadConfig(file, { env: {}, dataDir: '/data', ...options });
};
const loaded = (text: string, options?: Partial<LoadOptions>): LoadedConfig => {
  const result = load(text, options);
  if (!result.ok) throw new Error(formatConfigProblems(result.error.detail?.problems as ConfigProblem[]));
  return result.value;
};
const problems = (text: string, options?: Partial<LoadOptions>): ConfigProblem[] => {
  const result = load(text, options);
  return result.ok ? [] : (result.error.detail?.problems as ConfigProblem[]);
};
const spots = (text: string, options?: Partial<LoadOptions>): string[] =>
  problems(text, options).map((problem) => `${problem.place?.line}:${problem.place?.column} ${problem.path}`);

const WRONG_IN_FIVE_PLACES = `server: { host: 127.0.0.1, prot: 7420 }
servers:
  ledger: { url: "\${LEDGER_URL}" }
rules:
  - id: smash
    tool: jar__smash
    when: always
    reason: no undo
    effect: deny
    answer_by: [adda]
principals:
  ada: { name: Ada }
agents:
  researcher: { principal: ada, status: 5 }
`;

describe('a file with mistakes', () => {
  it('reports all five of five mistakes, top to bottom, with line and column', () => {
    expect(spots(WRONG_IN_FIVE_PLACES)).toEqual([
      '1:28 server.prot',
      '3:19 servers.ledger.url',
      '9:13 rules[0].effect',
      '10:17 rules[0].answer_by[0]',
      '14:41 agents.researcher.status',
    ]);
  });

  it('reports expressions that do not compile beside whatever else is wrong, and those of terms in any case', () => {
    const text = `server: { prot: 1 }
rules:
  - { id: eat, tool: jar__eat, when: eating, match: 'args.action ==', reason: Because. }
  - { id: odd, tool: jar__eat, when: 5, match: 'args.(', reason: Because. }
  - { id: title, tool: jar__eat, when: always, title: '"Eat " +', reason: Because. }
principals:
  ada: { name: Ada, mandate: { terms: [{ tool: '*', when: fine }, { tool: '*', when: broken, match: 'args.x ==' }] } }
`;
    const rules = ['1:11 server.prot', '3:53 rules[0].match', '4:38 rules[1].when', '5:55 rules[2].title'];
    expect(spots(text)).toEqual([...rules, '7:101 principals.ada.mandate.terms[1].match']);
    expect(spots(text.slice(text.indexOf('principals')))).toEqual(['2:101 principals.ada.mandate.terms[1].match']);
  });

  it('prints each as file:line:column, key path, what is wrong and the fix', () => {
    const lines = formatConfigProblems(problems(WRONG_IN_FIVE_PLACES), folder).split('\n');
    expect(lines[0]).toBe('countersign.yaml:1:28  server.prot: there is no such key. Did you mean "port"?');
    expect(lines[2]).toBe('countersign.yaml:9:13  rules[0].effect: "deny" is not one of "ask", "refuse".');
    expect(lines[3]).toBe('countersign.yaml:10:17  rules[0].answer_by[0]: there is no principal "adda". Did you mean "ada"?');
    expect(lines.at(-1)).toBe('5 problems; nothing was loaded.');
  });

  it.each([
    [
      'a key that stands twice',
      'agents:\n  x: { principal: ada }\n  x: { principal: ada }\nprincipals: { ada: { name: A } }\n',
      '3:3 agents.x',
    ],
    ['a section that stands twice', 'rules: []\nserver: {}\nrules: []\n', '3:1 rules'],
    ['a server with a command and a url', 'servers:\n  both: { command: node, url: http://x }\n', '2:9 servers.both'],
    ['a misspelt key inside a server', 'servers:\n  jar: { command: node, agrs: [x] }\n', '2:25 servers.jar.agrs'],
    ['a rule without a reason', 'rules:\n  - id: a\n    tool: a__b\n    when: always\n', '2:5 rules[0].reason'],
    ['a duration without a unit', 'hold: { wait: "3" }\n', '1:15 hold.wait'],
    ['a name with a capital letter', 'principals:\n  Ben: { name: Ben }\n', '2:3 principals.Ben'],
    [
      'two rules of one id',
      'rules:\n  - { id: a, tool: a__b, when: x, reason: y }\n  - { id: a, tool: a__b, when: x, reason: y }\n',
      '3:11 rules[1].id',
    ],
    ['more approvals than people', 'rules:\n  - { id: a, tool: a__b, when: x, reason: y, needs: 2 }\n', '2:53 rules[0].needs'],
    ['an agent of nobody', 'agents:\n  x: { principal: ada }\n', '2:19 agents.x.principal'],
    ['a default model that is not allowed', 'models: { default: gpt }\n', '1:20 models.default'],
    ['an alias inside its own anchor', 'rules: &a [*a]\n', '1:12 rules[0][0]'],
    ['a key that means something to JavaScript', 'server: { __proto__: { host: x } }\n', '1:11 server.__proto__'],
  ])('finds %s', (_what, text, spot) => {
    expect(spots(text)).toContain(spot);
  });

  it('names the first break of the syntax only', () => {
    expect(problems('rules: [\nserver: }\n  x')).toHaveLength(1);
  });

  it('says how to write a reference between braces', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the file's own syntax
    expect(problems('server: { host: ${HOST} }')[0]?.fix).toBe('Write "${NAME}"');
  });

  it('reports a file that is not there', () => {
    const result = loadConfig(join(folder, 'none.yaml'), { env: {}, dataDir: '/data' });
    expect(result).toMatchObject({
      ok: false,
      error: { code: 'config.invalid', detail: { problems: [{ place: null, message: 'there is no such file' }] } },
    });
  });

  it('shows control characters of the file instead of sending them to the terminal (E2)', () => {
    const text = formatConfigProblems(problems('"ser\\e[2Jver": {}\n'));
    expect(text).toContain('\\u001b[2J');
    expect(text).not.toContain('\u001b');
  });
});

describe('variables', () => {
  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the file's own syntax
  const HEADER = 'servers:\n  l: { url: "http://x", headers: { Authorization: "Bearer ${TOKEN}" } }\n';

  it('puts the environment into strings and remembers it as secret', () => {
    const { config, secrets } = loaded(HEADER, { env: { TOKEN: 's3cret' } });
    expect(config.servers.l).toMatchObject({ headers: { Authorization: 'Bearer s3cret' } });
    expect(secrets).toEqual(['s3cret']);
  });

  it('takes the default for a variable that is missing or empty', () => {
    expect(loaded('server: { host: "${HOST:-::1}" }').config.server.host).toBe('::1');
    expect(loaded('server: { host: "${HOST:-::1}" }', { env: { HOST: '' } }).config.server.host).toBe('::1');
  });

  it('never reads a value as YAML or as another reference', () => {
    const env = { HOST: 'x }\nrules: [${TOKEN}]', TOKEN: 'inner' };
    const { config } = loaded('server: { host: "${HOST}" }', { env });
    expect(config.server.host).toBe('x }\nrules: [${TOKEN}]');
    expect(config.rules).toEqual([]);
  });

  it('knows the data directory, whatever the environment says', () => {
    const env = { COUNTERSIGN_DATA: '/elsewhere' };
    const { config, secrets } = loaded('servers: { a: { command: "${COUNTERSIGN_DATA}/run" } }', { env });
    expect(config.servers.a).toMatchObject({ command: '/data/run' });
    expect(secrets).toEqual([]);
  });

  it('fits a number where the schema wants one', () => {
    expect(loaded('server: { port: "${PORT}" }', { env: { PORT: '8080' } }).config.server.port).toBe(8080);
    expect(spots('server: { port: "${PORT}" }', { env: { PORT: '0x50' } })).toEqual(['1:17 server.port']);
    expect(spots('server: { port: "8080" }')).toEqual(['1:17 server.port']);
  });

  it('keeps $${ as a plain ${', () => {
    expect(loaded('server: { host: "$${HOST}" }').config.server.host).toBe('${HOST}');
  });

  it('points at the reference inside a long value', () => {
    expect(spots(HEADER)).toEqual(['2:59 servers.l.headers.Authorization']);
  });

  it('never prints a value of the environment, wherever it stands', () => {
    const places = [
      'server: { host: "${V}", port: "${V}", public_url: "${V}" }',
      'rules: [{ id: "${V}", tool: "${V}", when: x, reason: y, effect: "${V}", expires: "${V}", answer_by: ["${V}", "${V}"] }]',
      'rules: [{ id: "${V}", tool: a__b, when: x, reason: y }, { id: "${V}", tool: "${V}__b", when: x, reason: y }]',
      'principals: { ada: { name: "${V}", email: "${V}", mandate: { scopes: ["${V}"] } } }\nagents: { x: { principal: "${V}", status: "${V}" } }',
      'models: { default: "${V}" }\nsampling: { ask_above_usd: "${V}" }',
    ];
    const secret = fc.stringMatching(/^[a-z0-9]{3,30}$/).map((text) => `Zq7${text}`);
    fc.assert(
      fc.property(secret, fc.constantFrom(...places), (value, text) => {
        const result = load(text, { env: { V: value } });
        expect(JSON.stringify(result.ok ? result.value.warnings : result.error)).not.toContain(value);
      }),
    );
  });
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the file's own syntax
});

describe('a good file', () => {
  it('loads the sample without a warning', () => {
    const sample = new URL('../../../../infra/sample/countersign.yaml', import.meta.url).pathname;
    const result = loadConfig(sample, { env: {}, dataDir: '/data' });
    expect(result).toMatchObject({ ok: true, value: { warnings: [], baseDir: join(sample, '..') } });
  });

  it('takes an empty section as none', () => {
    expect(loaded('rules:\n#  - id: later\nagents:\n').config.rules).toEqual([]);
  });

  it('warns of a rule for a server that is not there', () => {
    const text = 'servers: { jar: { command: node } }\nrules: [{ id: a, tool: jra__eat, when: x, reason: y }]\n';
    expect(loaded(text).warnings).toMatchObject([{ path: 'rules[0].tool', place: { line: 2, column: 24 }, fix: 'Did you mean "jar"?' }]);
  });

  it('accepts a principal that only the database knows', () => {
    expect(problems('agents: { x: { principal: eve } }', { knownPrincipals: ['eve'] })).toEqual([]);
  });

  it('gives later checks a place in the file', () => {
    const config = loaded('rules:\n  - { id: a, tool: a__b, when: x, reason: y, match: "args." }\n');
    expect(config.problemAt(['rules', 0, 'match'], 'unexpected end')).toMatchObject({
      path: 'rules[0].match',
      place: { line: 2, column: 53 },
    });
  });

  it('has a JSON Schema that knows every section', () => {
    const schema = configJsonSchema();
    expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining(['server', 'servers', 'rules', 'principals', 'agents']));
    expect(schema).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', additionalProperties: false });
  });
});
