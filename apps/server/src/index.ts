export { buildServer } from './app.ts';
export type { Caller, ChangeNotice, Doer, Operations, Page, ServerDeps, ServerSettings, Session, StoredAnswer } from './ports.ts';
