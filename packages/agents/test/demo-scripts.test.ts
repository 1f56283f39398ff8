import { readFileSync } from 'node:fs';
import { Config } from '@countersign/contracts';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { demoScripts } from '../src/index.ts';

const sample = Config.parse(
  parse(
    readFileSync(new URL('../../../infra/sample/countersign.yaml', import.meta.url), 'utf8')
      .replace(/\$\{COUNTERSIGN_DATA\}/g, '/data')
      .replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
  ),
);
const scripts = demoScripts('/data/demo/workspace');

test('every scripted agent is one of the sample config', () => {
  expect(scripts.map(({ agent }) => agent).sort()).toEqual(Object.keys(sample.agents).sort());
});

test('every upstream tool of the demo belongs to a server of the sample config', () => {
  const servers = scripts
    .flatMap(({ steps }) => steps.map(({ tool }) => tool.split('__')))
    .flatMap(([server, name]) => (name ? [server] : []));
  expect(Object.keys(sample.servers)).toEqual(expect.arrayContaining([...new Set(servers)]));
});
