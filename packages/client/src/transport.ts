import { type ClientFailure, type ClientResult, failureOf } from './client-result.ts';

export type ClientOptions = {
  /** Where the server is, such as `http://127.0.0.1:7420`; empty for the page's own. */
  readonly url: string;
  /** A principal's token, an agent's credential or the operator's secret. Without one, the browser's session cookie is used. */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** Further attempts after one that got no answer, or an answer of 429 or 5xx that says "try again". */
  readonly retries?: number;
  /** How the time between attempts passes; tests pass it by. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;
export type RequestOptions = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Given by callers that repeat a write themselves; otherwise made anew for each write and kept over its retries. */
  readonly idempotencyKey?: string;
};

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Transport = {
  request<Value>(method: Method, path: string, options?: RequestOptions): Promise<ClientResult<Value>>;
  /** A plain request with the credential on it, for streams. */
  open(path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Response>;
  readonly wait: (ms: number, signal?: AbortSignal) => Promise<void>;
};

const RETRIES = 2;
const TRY_AGAIN = [429, 502, 503, 504];
/** A server that asks for more patience than this gets none: the caller should know. */
const MAX_WAIT_MS = 10_000;

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });

/** 128 random bits; `crypto.randomUUID` is missing in pages without TLS. */
const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

const spellQuery = (query: Query = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
};

const readAnswer = async (response: Response): Promise<ClientResult<unknown>> => {
  if (response.status === 204) return { ok: true, value: undefined };
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (response.ok && body !== undefined) return { ok: true, value: body };
  return { ok: false, error: failureOf(response.status, body) };
};

/** Doubles from 200 ms with up to as much again at random, so that many clients do not come back at once. */
const backoffMs = (attempt: number): number => 200 * 2 ** attempt * (1 + Math.random());
const askedToWaitMs = ({ detail }: ClientFailure): number | undefined =>
  typeof detail?.retryAfterSeconds === 'number' ? detail.retryAfterSeconds * 1000 : undefined;

export const createTransport = (options: ClientOptions): Transport => {
  const send = options.fetch ?? fetch.bind(globalThis);
  const wait = options.wait ?? pause;
  const base = options.url.replace(/\/+$/, '');
  const credential: Record<string, string> = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
  let csrf: string | undefined;

  const attempt = async (
    method: Method,
    path: string,
    { query, body, headers, signal }: RequestOptions,
  ): Promise<ClientResult<unknown>> => {
    try {
      const response = await send(`${base}${path}${spellQuery(query)}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...credential,
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return await readAnswer(response);
    } catch (cause) {
      if (signal?.aborted) throw cause;
      return { ok: false, error: { code: 'client.unreachable', message: `${base === '' ? 'The server' : base} does not answer.` } };
    }
  };

  const withRetries = async (method: Method, path: string, request: RequestOptions): Promise<ClientResult<unknown>> => {
    for (let n = 0; ; n += 1) {
      const result = await attempt(method, path, request);
      if (result.ok || n >= (options.retries ?? RETRIES)) return result;
      const { code, status = 0 } = result.error;
      const asked = askedToWaitMs(result.error);
      if (!(code === 'client.unreachable' || TRY_AGAIN.includes(status)) || (asked ?? 0) > MAX_WAIT_MS) return result;
      await wait(asked ?? backoffMs(n), request.signal);
    }
  };

  /** A session's writes carry the token of GET me; a page that has none asks for it, and once more if the server does not know it. */
  const writeHeaders = async (path: string, signal: AbortSignal | undefined): Promise<Record<string, string>> => {
    if (options.token !== undefined || path === '/api/v1/login') return {};
    if (csrf === undefined) {
      const me = await withRetries('GET', '/api/v1/me', { signal });
      csrf = me.ok ? ((me.value as { csrf: string | null }).csrf ?? undefined) : undefined;
    }
    return csrf === undefined ? {} : { 'x-csrf-token': csrf };
  };

  const write = async (method: Method, path: string, request: RequestOptions): Promise<ClientResult<unknown>> => {
    const headers = { ...request.headers, 'idempotency-key': request.idempotencyKey ?? newKey() };
    const result = await withRetries(method, path, { ...request, headers: { ...headers, ...(await writeHeaders(path, request.signal)) } });
    if (result.ok || result.error.code !== 'csrf.missing' || options.token !== undefined) return result;
    csrf = undefined;
    return withRetries(method, path, { ...request, headers: { ...headers, ...(await writeHeaders(path, request.signal)) } });
  };

  return {
    request: async <Value>(method: Method, path: string, request: RequestOptions = {}) =>
      (method === 'GET' ? withRetries(method, path, request) : write(method, path, request)) as Promise<ClientResult<Value>>,
    open: (path, headers, signal) =>
      send(`${base}${path}`, { headers: { ...credential, ...headers }, ...(signal === undefined ? {} : { signal }) }),
    wait,
  };
};
