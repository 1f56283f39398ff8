import { type Logger, pino } from 'pino';

/** Values that stand where a secret could come from an error or a request. */
const SECRETS = ['authorization', 'cookie', 'token', 'secret', '*.authorization', '*.cookie', '*.token', '*.secret', 'headers.authorization', 'headers.cookie'];

/** Structured lines on standard error; standard output belongs to answers. */
export const createLogger = (level: string): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: SECRETS, censor: '[secret]' } }, pino.destination({ fd: 2, sync: false }));
