import type { Scope } from '@countersign/contracts';

/** What an agent can be given at all; to change a mandate is its principal's alone. */
export const AGENT_SCOPES: readonly Scope[] = [
  'directory:read',
  'decisions:write',
  'evidence:write',
  'consult',
  'audit:read',
  'tools:call',
];
