import * as z from 'zod';

/** TypeID prefixes (https://github.com/jetify-com/typeid): `prefix_` and 26 characters of a UUIDv7 in base32. */
export const ID_PREFIXES = ['prn', 'agt', 'crd', 'run', 'con', 'call', 'dec', 'ans', 'evt', 'evd', 'res'] as const;
export type IdPrefix = (typeof ID_PREFIXES)[number];
export type Id<Prefix extends IdPrefix = IdPrefix> = `${Prefix}_${string}`;

const id = <Prefix extends IdPrefix>(prefix: Prefix) =>
  z.templateLiteral([z.literal(prefix), '_', z.string().regex(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/)]);

export const PrincipalId = id('prn');
export type PrincipalId = Id<'prn'>;
export const AgentId = id('agt');
export type AgentId = Id<'agt'>;
export const CredentialId = id('crd');
export type CredentialId = Id<'crd'>;
export const RunId = id('run');
export type RunId = Id<'run'>;
export const ConsultId = id('con');
export type ConsultId = Id<'con'>;
export const CallId = id('call');
export type CallId = Id<'call'>;
export const DecisionId = id('dec');
export type DecisionId = Id<'dec'>;
export const AnswerId = id('ans');
export type AnswerId = Id<'ans'>;
export const EventId = id('evt');
export type EventId = Id<'evt'>;
export const EvidenceId = id('evd');
export type EvidenceId = Id<'evd'>;

/** ISO 8601 UTC with milliseconds, as everything on the wire. */
export const Timestamp = z.iso.datetime({ precision: 3 });
export type Timestamp = string;

/** `sha256:` and 64 hex digits. */
export const Digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)]);
export type Digest = `sha256:${string}`;
