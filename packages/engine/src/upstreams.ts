import type { Digest } from '@countersign/contracts';

export type JsonObject = { readonly [key: string]: unknown };

/** A tool of an upstream server, its definition pinned from the raw message. `key` is `server__tool`, as agents see it. */
export type PinnedTool = {
  readonly key: string;
  readonly server: string;
  /** The upstream's own name for it. */
  readonly name: string;
  readonly digest: Digest;
  readonly definition: JsonObject;
  readonly inputSchema: JsonObject;
  readonly hasOutputSchema: boolean;
};

export type UpstreamReply =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** `sent: false`: it certainly never left, so nothing was executed. `sent: true`: nobody knows. */
export type UpstreamFailure = {
  readonly sent: boolean;
  readonly code: 'upstream.down' | 'upstream.timeout' | 'upstream.bad_reply' | 'upstream.too_large' | 'upstream.cancelled';
  readonly message: string;
};

export type UpstreamStatus = {
  readonly server: string;
  readonly state: 'connecting' | 'ready' | 'down';
  readonly since: string;
  readonly error?: string;
  readonly tools: number;
  /** Tools of this server that were not registered, each with the reason. */
  readonly refused: readonly { readonly name: string; readonly reason: string }[];
};

export type ToolChange = {
  readonly added: readonly PinnedTool[];
  readonly changed: readonly { readonly before: PinnedTool; readonly after: PinnedTool }[];
  readonly removed: readonly PinnedTool[];
};

/** The upstream servers, as operations need them. Lookups answer from cache and never wait. */
export interface Upstreams {
  tools(): readonly PinnedTool[];
  tool(key: string): PinnedTool | undefined;
  status(): readonly UpstreamStatus[];
  call(
    key: string,
    args: JsonObject,
    options: {
      readonly timeoutMs?: number;
      readonly idempotencyKey: string;
      /** The definition that the call was judged by: a tool that has another one by now is not sent to. */
      readonly digest?: Digest;
      readonly signal?: AbortSignal;
      readonly meta?: JsonObject;
      readonly onProgress?: (progress: JsonObject) => void;
    },
  ): Promise<{ readonly ok: true; readonly value: UpstreamReply } | { readonly ok: false; readonly error: UpstreamFailure }>;
  onChange(listener: (change: ToolChange) => void): () => void;
  start(): Promise<void>;
  close(): Promise<void>;
}
