/**
 * A cookie jar over stdio, with the three shapes of danger that the sample rules gate: a whole tool (`smash_jar`), a verb in an
 * argument (`cookie_jar` with "eat") and an overwrite that sounds friendly (`set_label`). The jar lives in the file JAR_FILE.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { changeJar, type Jar, readJar, smashJar } from './jar.ts';

const file = process.env.JAR_FILE;
if (file === undefined || file === '') {
  console.error('cookiejar: set JAR_FILE to the file that keeps the jar');
  process.exit(2);
}

const cookies = (count: number) => (count === 1 ? '1 cookie' : `${count} cookies`);
const answer = (text: string, jar: Jar): CallToolResult => ({
  content: [{ type: 'text', text }],
  structuredContent: { count: jar.count, label: jar.label },
});
const refusal = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });

const server = new McpServer({ name: 'cookiejar', version: '1.0.0' });

server.registerTool(
  'cookie_jar',
  {
    description: 'Count the cookies in the jar, add some, or eat some.',
    // Strict: a misspelt `amount` must not become the default of one cookie.
    inputSchema: z.strictObject({
      action: z.enum(['count', 'add', 'eat']),
      amount: z.int().min(1).max(1000).default(1).describe('How many cookies to add or eat'),
    }),
  },
  ({ action, amount }) => {
    const { count } = readJar(file);
    if (action === 'count') return answer(`The jar holds ${cookies(count)}.`, readJar(file));
    if (action === 'add') {
      const jar = changeJar(file, `added ${cookies(amount)}`, () => ({ count: count + amount }));
      return answer(`Added ${cookies(amount)}: the jar holds ${cookies(jar.count)}.`, jar);
    }
    if (amount > count) return refusal(`The jar holds ${cookies(count)}, so ${amount} cannot be eaten. Nothing was eaten.`);
    const jar = changeJar(file, `ate ${cookies(amount)}`, () => ({ count: count - amount }));
    return answer(`Ate ${cookies(amount)}: ${cookies(jar.count)} left.`, jar);
  },
);

server.registerTool(
  'set_label',
  {
    description: 'Put a nice label on the jar.',
    inputSchema: z.strictObject({ label: z.string().trim().min(1).max(80) }),
  },
  // The history does not name the label, so the one it replaces is gone.
  ({ label }) =>
    answer(
      `The jar is now labelled "${label}".`,
      changeJar(file, 'changed the label', () => ({ label })),
    ),
);

server.registerTool(
  'jar_history',
  { description: 'What happened to the jar, oldest first.', inputSchema: z.strictObject({}), annotations: { readOnlyHint: true } },
  () => {
    const { history } = readJar(file);
    const text = history.map(({ at, what }) => `${at} ${what}`).join('\n') || 'Nothing has happened to this jar.';
    return { content: [{ type: 'text', text }], structuredContent: { history } };
  },
);

server.registerTool(
  'smash_jar',
  {
    description: 'Smash the jar: every cookie, the label and the whole history are gone for good.',
    inputSchema: z.strictObject({}),
    // The truth, and Countersign never reads it: a hint from the other side is not a permission model.
    annotations: { destructiveHint: true },
  },
  () => {
    smashJar(file);
    return answer('The jar is in pieces. Its cookies, label and history are gone.', readJar(file));
  },
);

await server.connect(new StdioServerTransport());
