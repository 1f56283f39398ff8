import { type Logger, pino } from 'pino';

/** Values that stand where a secret could come from an error or a request. */
const SECRETS = [
  'authorization',
  'cookie',
  'token',
  'secret',
  '*.authorization',
  '*.cookie',
  '*.token',
  '*.secret',
  'headers.authorization',
  'headers.cookie',
];

/** Structured lines on standard error; standard output belongs to answers. */
export const createLogger = (level: string): Logger => createLoggerTo(level, pino.destination({ fd: 2, sync: false }));

/** The same, to anywhere. */
export const createLoggerTo = (level: string, destination: pino.DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS, censor: '[secret]' },
      serializers: { err: (error: unknown) => withoutValues(error), error: (error: unknown) => withoutValues(error) },
      hooks: {
        // An error given alone, or by a library, becomes the line's text.
        logMethod(args, method) {
          const [first, ...rest] = args;
          const given = first instanceof Error && rest.length === 0 ? [{ err: first }, first.message] : args;
          method.apply(this, given.map((arg) => (typeof arg === 'string' ? withoutParams(arg) : arg)) as Parameters<typeof method>);
        },
      },
    },
    destination,
  );

/** The message of a failed query ends in the values that were sent with it. */
const withoutParams = (text: string): string => text.replace(/\nparams: .*$/s, '');

/** Deep enough for any chain of causes of ours. */
const MAX_CAUSES = 5;

/**
 * An error as it is logged: what went wrong and where, and none of the values that it was about. That of a failed query carries all of them,
 * the arguments of calls included, in its message, its stack and its own fields; PostgreSQL's `detail` and `where` cite rows.
 */
function withoutValues(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack = '', cause } = error;
  const { code } = error as { readonly code?: unknown };
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: name,
    message: withoutParams(message),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    stack: frames.join('\n'),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: withoutValues(cause, depth + 1) }),
  };
}
