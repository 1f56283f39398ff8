/** The doctor's own HTTP: every request goes through here, so that what came over the wire can be looked at whoever asked for it. */
import { LANE_HEADER } from '@countersign/contracts';
import { visibleLine } from '@countersign/core';
import type { FetchLike } from '@modelcontextprotocol/client';

export type Exchange = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

/** When a request left and its answer came by our clock, and what the server's clock said. In milliseconds since 1970. */
export type ClockSample = { readonly sentAt: number; readonly receivedAt: number; readonly serverAt: number };

export type Wire = {
  /** For a client library: redirects are not followed, and each answer's head is noted. */
  readonly fetch: FetchLike;
  /** One request with the credential on it, its answer read to the end. Rejects where nothing answers. */
  readonly send: (
    url: URL,
    request: { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: object },
  ) => Promise<Exchange>;
  readonly clock: () => ClockSample | null;
  /** The lane that the last answer named; null where it named none. */
  readonly lane: () => string | null;
};

type WireOptions = {
  readonly token: string | undefined;
  readonly timeoutMs: number;
  readonly now: () => number;
  readonly fetch: FetchLike;
};

export function createWire({ token, timeoutMs, now, fetch: send }: WireOptions): Wire {
  let clock: ClockSample | null = null;
  let lane: string | null = null;

  const watched: FetchLike = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    // The stream of a session stays open as long as its client does.
    const isStream = (init.method ?? 'GET') === 'GET' && (headers.get('accept') ?? '').includes('text/event-stream');
    const limits = [...(init.signal ? [init.signal] : []), ...(isStream ? [] : [AbortSignal.timeout(timeoutMs)])];
    const sentAt = now();
    const response = await send(input, { ...init, headers, redirect: 'manual', signal: AbortSignal.any(limits) });
    const serverAt = Date.parse(response.headers.get('date') ?? '');
    // The quickest answer tells the time best.
    const receivedAt = now();
    const isBetter = clock === null || receivedAt - sentAt < clock.receivedAt - clock.sentAt;
    if (!Number.isNaN(serverAt) && isBetter) clock = { sentAt, receivedAt, serverAt };
    lane = response.headers.get(LANE_HEADER);
    return response;
  };

  return {
    fetch: watched,
    async send(url, { method = 'POST', headers = {}, body }) {
      const response = await watched(url, {
        method,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    clock: () => clock,
    lane: () => lane,
  };
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON-RPC message of an answer, plain or as the last event of a stream; undefined where there is none. */
export function messageOf({ headers, text }: Exchange): Readonly<Record<string, unknown>> | undefined {
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const last = isStream ? (text.match(/^data: ?(.*)$/gm) ?? []).at(-1)?.replace(/^data: ?/, '') : text;
  const message = jsonOf(last ?? '');
  const isMessage = typeof message === 'object' && message !== null && (message as { jsonrpc?: unknown }).jsonrpc === '2.0';
  return isMessage ? (message as Readonly<Record<string, unknown>>) : undefined;
}

/** What the other side wrote, on one line, made visible and cut: it may be anybody. */
export function said(text: unknown, max = 300): string {
  const line = visibleLine(String(text).slice(0, max + 1));
  return line.length > max ? `${line.slice(0, max)}…` : line;
}
