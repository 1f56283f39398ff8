export { type ConfigProblem, formatConfigProblems } from './config/config-problem.ts';
export { configJsonSchema } from './config/config-schema.ts';
export { type ConfigInForce, readConfig } from './current-config.ts';
export { createLogger } from './logger.ts';
export { type Host, type HostOptions, openHost } from './open-host.ts';
export type { Operations } from './bind-operations.ts';
export { visible, visibleLine } from '@countersign/core';
export { dispatchCall, expireDecision, reconcile, relayOutbox, remindOfDecision, TOPIC, type ChangeNotice, type Caller, type Doer } from '@countersign/engine';
export { type DoctorReport, examine, scanJson } from '@countersign/mcp';
