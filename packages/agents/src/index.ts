export { type BridgeOptions, bridgeStdio } from './bridge/bridge.ts';
export { demoScripts } from './demo-scripts.ts';
export { type RunScriptOptions, runScript } from './run-script.ts';
export type { Script, ScriptEvent, Step, StepEnd } from './script.ts';
