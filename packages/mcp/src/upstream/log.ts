/** Where the upstreams write: the four levels of a pino logger. */
export type Log = Readonly<
  Record<'debug' | 'info' | 'warn' | 'error', (fields: Readonly<Record<string, unknown>>, message: string) => void>
>;
