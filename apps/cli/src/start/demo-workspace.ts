import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES: Readonly<Record<string, string>> = {
  'plan.md': `# November

- [x] Ask the bakery for a quote
- [ ] Pay the bakery (40 dollars for flour)
- [ ] Pay Northwind (invoice 1043, 250 dollars)
- [ ] Find out how many cookies are left
`,
  'contacts.md': `| who | what for |
|---|---|
| Corner Bakery | flour |
| Northwind | everything that comes by ship |
`,
  'notes/welcome.md': 'Agents may write in this folder without asking. Anywhere else, a person is asked first.\n',
};

/** The folder that the sample config gives to its files server, with a few files to read. What already stands there stays as it is. */
export function prepareWorkspace(dataDir: string): string {
  const workspace = join(dataDir, 'demo', 'workspace');
  for (const [name, content] of Object.entries(FILES)) {
    const path = join(workspace, name);
    mkdirSync(dirname(path), { recursive: true });
    if (!existsSync(path)) writeFileSync(path, content);
  }
  return workspace;
}
