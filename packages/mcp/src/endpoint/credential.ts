import type { ServerResponse } from 'node:http';
import { type Failure, fail, LANE_HEADER, ok, type Result } from '@countersign/contracts';

/** The secret of an `Authorization: Bearer` header, or null where there is no such header. Anything else is an error, not the anonymous lane. */
export function readSecret(authorization: string | undefined): Result<string | null, 'credential.invalid'> {
  if (authorization === undefined) return ok(null);
  const secret = /^Bearer +([^\s]{1,512})$/i.exec(authorization.trim())?.[1];
  if (secret === undefined) {
    return fail(
      'credential.invalid',
      'The Authorization header is not of the form `Bearer <token>`. Leave it out for the anonymous lane.',
      {
        reason: 'malformed',
      },
    );
  }
  return ok(secret);
}

/** 401 with the challenge of RFC 6750 and RFC 9728. `reason` tells in one word what the message says, for `doctor`. */
export function refuseCredential(response: ServerResponse, publicUrl: string, { message, detail }: Omit<Failure, 'code'>): void {
  const reason = detail?.reason;
  const body = JSON.stringify({ error: 'invalid_token', error_description: message, code: 'credential.invalid', reason });
  response.writeHead(401, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'www-authenticate': `Bearer realm="countersign", error="invalid_token", resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
    // A wrong credential has no lane, in particular not the anonymous one.
    [LANE_HEADER]: 'none',
  });
  response.end(body);
}
