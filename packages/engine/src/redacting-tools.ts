import type { EngineDeps } from './deps.ts';
import { redactsAnything, redactsTool } from './redact-paths.ts';

/** The known tools, gone ones included, of whose arguments anything is hidden: what nobody is shown can't be searched for either. */
export async function redactingTools(deps: EngineDeps): Promise<readonly string[]> {
  const declared = deps.config().tools;
  if (!redactsAnything(declared)) return [];
  const { tools } = await deps.authority.host('current');
  return [...tools.keys()].filter((tool) => redactsTool(declared, tool));
}
