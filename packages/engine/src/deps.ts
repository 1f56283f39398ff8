import type { Config, ToolConfig } from '@countersign/contracts';
import type { RuleSet } from '@countersign/core';
import type { Signals } from '@countersign/queue';
import type { Store } from '@countersign/store';
import type { Authority } from './authority.ts';
import type { Upstreams } from './upstreams.ts';

/** What operations log to; pino fits it. */
export type Log = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** What of the config the operations read; always the one in force. */
export type EngineConfig = Pick<Config, 'hold' | 'limits' | 'tools'> & { readonly publicUrl: string };

/** Everything an operation may use. No operation keeps state of its own. */
export type EngineDeps = {
  readonly store: Store;
  readonly signals: Signals;
  readonly authority: Authority;
  /** The rules in force; reloading the config replaces them whole. */
  readonly rules: () => RuleSet;
  readonly config: () => EngineConfig;
  readonly upstreams: Upstreams;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: () => string;
  /** Names this process as the holder of leases; unique among processes and restarts. */
  readonly instance: string;
  readonly log: Log;
};

/** What the host declares about a tool: the exact name wins over patterns, the first pattern over later ones. */
export function toolConfig(tools: EngineConfig['tools'], key: string): ToolConfig | undefined {
  const exact = tools[key];
  if (exact) return exact;
  return Object.entries(tools).find(([pattern]) => pattern.includes('*') && matchesGlob(pattern, key))?.[1];
}

/** `*` stands for any run of characters; everything else for itself. Linear in the key for each star. */
function matchesGlob(pattern: string, key: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (!key.startsWith(head)) return false;
  let at = head.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1) return key.length - at >= part.length && key.endsWith(part);
    const found = key.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at === key.length;
}
