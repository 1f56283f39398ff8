import * as z from 'zod';

/**
 * Every expected failure of the product. `noun.problem`; each line says when it is raised and what the caller does about it.
 * The edges map each code once (HTTP status, exit code, retry), so a new code does not compile until it is mapped.
 */
export const ErrorCode = z.enum([
  // Ingress: the bytes of a call break a bound. Fix the sender; nothing was judged or run.
  'ingress.not_json', // not JSON, or bytes after the value
  'ingress.not_utf8', // invalid UTF-8 or a byte-order mark
  'ingress.duplicate_key', // an object names a key twice
  'ingress.forbidden_key', // __proto__, constructor or prototype
  'ingress.unsafe_number', // an integer that JSON readers disagree about, or a number that overflows
  'ingress.bad_text', // a lone surrogate or NUL in a string
  'ingress.too_deep', // nested deeper than the bound
  'ingress.too_many_nodes', // more values than the bound
  'ingress.too_large', // more bytes than the bound
  'ingress.batch', // JSON-RPC batches are not accepted

  // Credentials and permission. Never say which of several reasons hid a thing.
  'credential.missing', // this needs a credential and none came
  'credential.invalid', // unknown, expired or revoked: get a new one
  'credential.forbidden', // a true credential of the wrong kind: an agent's where a principal's is needed, or the reverse
  'csrf.missing', // a write with a session cookie and no CSRF token: reload the page
  'origin.refused', // Host or Origin is not one this server answers to
  'rate.limited', // slow down; `detail.retryAfterSeconds`
  'limit.reached', // too many pending decisions, subscriptions or the like: settle some first

  // Input over HTTP, CLI and MCP tools.
  'input.invalid', // does not fit the schema; `detail.issues` names each place
  'idempotency.conflict', // the same Idempotency-Key came with another body
  'not_found', // no such thing, or not yours: the two answer alike
  'conflict', // it changed since you read it: read again

  // Tools and upstreams.
  'tool.unknown', // hidden and absent tools answer alike
  'tool.quarantined', // its definition changed and nobody accepted the new one yet
  'upstream.down', // not connected; the call did not leave
  'upstream.timeout', // no reply in time; the call may have run
  'upstream.bad_reply', // the reply breaks the protocol or a bound
  'upstream.too_large', // the reply is larger than the cap
  'upstream.cancelled', // we gave up waiting

  // Calls and decisions.
  'call.refused_by_rule', // a rule with effect refuse, or a term that refuses
  'call.abandoned', // the caller left before it was told the decision's id
  'call.conflict', // the call is not in the state this needs
  'decision.already_answered', // somebody was first; `detail` says who, what and when
  'decision.expired', // the deadline passed; silence is not consent
  'decision.withdrawn', // the agent or the host took the question back
  'decision.not_yours', // you are not one of those who may answer
  'decision.stale', // the version you saw is not the current one
  'decision.digest_mismatch', // what you were shown is not what would run
  'decision.edit_refused', // the edited arguments hit a rule, a hidden tool or the schema
  'decision.note_required', // an irreversible call wants a typed note
  'decision.nobody_to_ask', // no principal can be reached for this decision
  'host.frozen', // frozen by a person: nothing is dispatched until thaw

  // Mandates and agents.
  'mandate.invalid', // a term's CEL does not compile, or a scope does not exist
  'scope.never_granted', // mandate:write is never given to an agent's credential
  'agent.name_taken', // equal or look-alike name
  'run.invalid', // a run token that does not exist or was given to another credential: the two answer alike
  'run.closed', // the run was answered, cancelled or expired, or somebody above it may no longer act: nothing more is done in it
  'consult.asks_itself', // an agent can't ask itself
  'consult.cycle', // the asked agent stands above the asker in its chain, so it would wait for its own answer
  'consult.too_deep', // the chain is as long as it may be: answer from here, or ask your own principal
  'consult.nobody_to_ask', // no such agent, or one that takes no questions: see list_agents
  'consult.not_claimed', // only the credential that claimed the question by next_question answers it
  'consult.already_answered', // answered before; the first answer stands
  'consult.withdrawn', // the asker took the question back
  'consult.expired', // the deadline passed before it was answered
  'evidence.reference_missing', // a claim that points at an artifact without naming it is self-report

  // Rules and config.
  'rule.invalid', // a rule does not compile or breaks a bound; line and column in `detail`
  'config.invalid', // every problem at once, with line, column and fix

  // The store.
  'data.locked', // another process holds this data directory
  'data.newer_schema', // the schema comes from a newer version: update this process
  'store.unavailable', // the database can't be written: nothing happened, try again
  'internal', // a bug; the cause is in the log under the request id
]);
export type ErrorCode = z.infer<typeof ErrorCode>;
