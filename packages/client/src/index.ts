export { type Client, createClient, type Sending } from './client.ts';
export { ClientError, type ClientErrorCode, type ClientFailure, type ClientResult } from './client-result.ts';
export type { ClientEvent, EventOptions } from './events.ts';
export type { ClientOptions } from './transport.ts';
