import type { JsonObject, UpstreamFailure } from '@countersign/engine';
import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** 2025-era servers have a handshake; from 2026-07-28 on each request says for itself what it speaks. */
export type Era = 'legacy' | 'modern';

export type Outgoing = {
  /** Ours, unique on the link; doubles as the progress token. */
  readonly id: number;
  readonly method: string;
  readonly params: JsonObject;
  /** Headers that only this request carries, over HTTP. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: JsonObject) => void;
};

/** Why a request is given up: the `reason` of the signal passed to `exchange`. */
export type GivenUp = { readonly code: 'upstream.timeout' | 'upstream.cancelled'; readonly message: string };

export type LinkFailure = UpstreamFailure & {
  /** The server no longer knows our session and refused the request for it: a new link may send it again. */
  readonly isSessionLost?: boolean;
};
/** The raw reply message, whose id is that of the request; nothing else in it was checked. */
export type Exchanged = { readonly ok: true; readonly value: Buffer } | { readonly ok: false; readonly error: LinkFailure };

/** A live connection to one upstream. It never comes back once it is down: the connection opens another. */
export interface Link {
  readonly era: Era;
  readonly transport: 'stdio' | 'http';
  /** What `_meta` of every request of ours must hold: in the modern era, who speaks which revision. */
  readonly requestMeta: JsonObject;
  /**
   * Sends one request and resolves with the reply or the failure; never rejects. When the signal fires, the upstream is told that nobody
   * waits any more. `sent: false` in a failure MUST mean that the upstream can't have acted on it.
   */
  exchange(request: Outgoing, signal: AbortSignal): Promise<Exchanged>;
  /** Ends it and all that belongs to it; what is still under way fails. */
  close(): Promise<void>;
}

/** What a link tells of its own accord. */
export type LinkEvents = {
  /** Called once, when it went down by itself. */
  readonly onDown: (reason: string) => void;
  readonly onToolsChanged: () => void;
};

export type LinkDeps = { readonly server: string; readonly log: Log; readonly clock: Clock };
export type OpenOptions = {
  /** `legacy` does not ask which era the server speaks. */
  readonly mode: 'auto' | 'legacy';
  readonly connectMs: number;
  /** How long a child may take to say which era it speaks; silence means legacy. */
  readonly probeMs: number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
};

export const givenUp = (sent: boolean, { code, message }: GivenUp): Exchanged => failed(sent, code, message);

export const failed = (sent: boolean, code: UpstreamFailure['code'], message: string): Exchanged => ({
  ok: false,
  error: { sent, code, message },
});
