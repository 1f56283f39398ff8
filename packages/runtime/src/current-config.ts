/** The config in force: read whole, checked whole, replaced whole or not at all. */
import { type Config, fail, ok, type Result } from '@countersign/contracts';
import { compileRules, type RuleSet } from '@countersign/core';
import { digestOf } from '@countersign/engine';
import { type LoadedConfig, type LoadOptions, loadConfig } from './config/load-config.ts';

export type ConfigInForce = { readonly loaded: LoadedConfig; readonly rules: RuleSet };

/** Loads a config file and compiles its rules: every problem of both at once. */
export function readConfig(path: string, options: LoadOptions): Result<ConfigInForce, 'config.invalid'> {
  const loaded = loadConfig(path, options);
  if (!loaded.ok) return loaded;
  const { config } = loaded.value;
  const rules = compileRules(config.rules, { digest: digestOf });
  if (rules.ok) return ok({ loaded: loaded.value, rules: rules.value });
  const found = (rules.error.detail?.problems ?? []) as readonly { index: number; field: string; message: string }[];
  const problems = found.map((problem) => loaded.value.problemAt(['rules', problem.index, problem.field], problem.message));
  return fail('config.invalid', `${problems.length} rules can't be used.`, { problems });
}

/** Which parts of a new config need a restart: those that were bound when the process started. */
export function needsRestart(before: Config, after: Config): readonly string[] {
  const bound: Readonly<Record<string, (config: Config) => unknown>> = {
    server: ({ server }) => server,
    servers: ({ servers }) => servers,
    'limits.call_bytes': ({ limits }) => limits.call_bytes,
    'limits.requests_per_minute': ({ limits }) => limits.requests_per_minute,
  };
  return Object.entries(bound)
    .filter(([, of]) => JSON.stringify(of(before)) !== JSON.stringify(of(after)))
    .map(([key]) => `${key} changed: restart to apply it`);
}
