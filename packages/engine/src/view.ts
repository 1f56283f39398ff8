import type { Caller } from './caller.ts';
import { actingName } from './judge.ts';

/** What a caller may see: an agent its own decisions, a principal those that it may answer or that concern its agents. */
export const viewOf = (caller: Caller): { readonly agent: string } | { readonly principal: string } =>
  caller.agent || !caller.principal ? { agent: actingName(caller) } : { principal: caller.principal.name };
