import * as z from 'zod';
import { Timestamp } from './ids.ts';

/** What `doctor` can find: `thing.problem`. Those of the second half only the host itself can see. */
export const FindingCode = z.enum([
  // The address.
  'endpoint.unreachable', // nothing answers there
  'endpoint.insecure', // plain http to an address that strangers share
  'endpoint.wrong_url', // a server answers, and it has nothing at that path
  'endpoint.redirects', // it sends the client elsewhere; credentials do not follow
  'endpoint.not_mcp', // what answers does not speak MCP
  'endpoint.not_countersign', // an MCP server without lanes
  'endpoint.refused', // the host does not answer to that name, or something before it says no
  'endpoint.failing', // it answers with an error of its own, or asks for patience
  'era.failed', // one of the two protocol eras is not served as it should be
  'eras.disagree', // the two eras show different things to the same caller
  'clock.skewed', // its clock and this machine's differ

  // The credential and what it amounts to.
  'token.missing', // none came with the request: the anonymous lane
  'token.malformed', // not a token of the form that agents send
  'token.unknown', // never issued here, or mistyped
  'token.revoked',
  'token.expired',
  'token.refused', // refused for a reason that the host does not tell
  'token.expiring', // good, and not for long
  'token.of_principal', // a person's own token, where an agent's credential may have been meant
  'agent.probation', // not admitted yet
  'agent.suspended',
  'mandate.narrowed', // the lane would allow a scope that the principal's mandate does not have
  'credential.narrowed', // the mandate has a scope that this credential was issued without

  // Tools.
  'tool.not_listed', // the scope is there and the tool is not
  'tool.not_callable', // listed, and answers as if it were absent
  'tool.not_hidden', // not listed, and yet it does not answer as an absent one does
  'tool.not_probed', // could not be tried without a chance of doing something
  'upstream.no_tools', // upstream tools may be called, and there are none
  'upstream.down', // a server behind the host is not connected
  'host.not_ready', // the host says of itself that it can't work now

  // What only the host knows.
  'host.not_examined', // nobody who may look there asked
  'host.frozen', // a person stopped every dispatch
  'upstream.tool_refused', // a server offers tools that were not registered
  'tool.quarantined', // a definition changed and nobody accepted the new one
  'rule.nobody_can_answer', // none of those whom it asks exists
  'rule.needs_too_many', // it wants more approvals than there are people to give them
  'rule.never_matches', // its pattern names no known tool
  'config.names_no_tool', // what an entry of `tools` declares, such as what to redact, holds for no known tool
  'principal.unreachable', // no session and no token: questions to this person wait unseen
  'audit.unsealed', // recorded events that no checkpoint covers
  'config.drift', // the file says other than the database, which is what counts
]);
export type FindingCode = z.infer<typeof FindingCode>;

/** `error`: something does not work. `warning`: it works, and not as somebody expects. `note`: worth knowing; alone it is a clean bill of health. */
export const FindingSeverity = z.enum(['error', 'warning', 'note']);
export type FindingSeverity = z.infer<typeof FindingSeverity>;

/** One plain line that names the cause, and one that names the fix. */
export const Finding = z.strictObject({ code: FindingCode, severity: FindingSeverity, message: z.string(), fix: z.string() });
export type Finding = Readonly<z.infer<typeof Finding>>;

/** What a host finds in itself. */
export const HostFindings = z.strictObject({ checkedAt: Timestamp, findings: z.array(Finding) });
export type HostFindings = z.infer<typeof HostFindings>;
