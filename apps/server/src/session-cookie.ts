import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from './ports.ts';

// Browsers accept the `__Host-` prefix on secure origins only; loopback without TLS has to do without it.
const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:');
export const cookieName = (publicUrl: string): string => (isSecure(publicUrl) ? '__Host-countersign_session' : 'countersign_session');

const cookieOptions = (publicUrl: string) => ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(publicUrl) }) as const;

export const readSessionCookie = (request: FastifyRequest, publicUrl: string): string | null =>
  request.cookies[cookieName(publicUrl)] ?? null;

export const setSessionCookie = (reply: FastifyReply, publicUrl: string, { secret, expiresAt }: Session): FastifyReply =>
  reply.setCookie(cookieName(publicUrl), secret, { ...cookieOptions(publicUrl), expires: new Date(expiresAt) });

export const clearSessionCookie = (reply: FastifyReply, publicUrl: string): FastifyReply =>
  reply.clearCookie(cookieName(publicUrl), cookieOptions(publicUrl));

/** The token that a page must send back with every write. It follows from the session, so any process can check it and none stores it. */
export const csrfToken = (sessionSecret: string): string =>
  createHmac('sha256', sessionSecret).update('countersign csrf 1').digest('base64url');

export const isCsrfToken = (sessionSecret: string, given: string): boolean => {
  const [expected, actual] = [Buffer.from(csrfToken(sessionSecret)), Buffer.from(given)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
};
