export { connectHttp, connectStdio } from './upstreams/connect.ts';
export { FIXTURE_MODES, type FixtureMode, type FixtureSettings } from './upstreams/fixture-modes.ts';
export { type FixtureOptions, startFixture } from './upstreams/fixture-server.ts';
export { INJECTIONS, type Injection } from './upstreams/injections.ts';
export { type Ledger, type LedgerOptions, startLedger } from './upstreams/ledger.ts';
export type { Payment } from './upstreams/payments.ts';
export type { Intervention, OnRequest, SeenRequest, ServedHttp } from './upstreams/serve-http.ts';
export { filesystemCommand, type UpstreamCommand, type UpstreamName, upstreamCommand } from './upstreams/upstream-command.ts';
