export { visible, visibleLine } from '@countersign/core';
export {
  type Caller,
  type ChangeNotice,
  type Doer,
  dispatchCall,
  expireDecision,
  reconcile,
  relayOutbox,
  remindOfDecision,
  TOPIC,
} from '@countersign/engine';
export { type DoctorReport, examine, scanJson } from '@countersign/mcp';
export type { Operations } from './bind-operations.ts';
export { type ConfigProblem, formatConfigProblems } from './config/config-problem.ts';
export { configJsonSchema } from './config/config-schema.ts';
export { type ConfigInForce, readConfig } from './current-config.ts';
export { createLogger } from './logger.ts';
export { type Host, type HostOptions, openHost } from './open-host.ts';
