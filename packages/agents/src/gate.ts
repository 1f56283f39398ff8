import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, CallToolResultSchema, McpError } from '@modelcontextprotocol/sdk/types.js';

export type Reply =
  | { readonly kind: 'result'; readonly result: CallToolResult }
  /** A protocol error, such as a tool that does not exist for this agent. */
  | { readonly kind: 'error'; readonly message: string }
  /** No answer. `mayHaveLeft`: the call may have reached the host, so repeating it could do it twice. */
  | { readonly kind: 'lost'; readonly mayHaveLeft: boolean; readonly reason: string }
  /** 401 or 403: another credential is needed. */
  | { readonly kind: 'denied'; readonly message: string };

export type GateOptions = { readonly mcpUrl: string; readonly token: string; readonly agent: string; readonly signal: AbortSignal };

export type CallOptions = {
  /** Sends a progress token, with which the host holds a call longer before it answers as pending. */
  readonly isPatient?: boolean;
};

/** Milliseconds without a word after which a call counts as lost: longer than any hold of a host with its default settings. */
const CALL_LIMIT = 90_000;

/** One agent's connection to the MCP endpoint; opened on the first call, and anew on the next call after it was lost. */
export type Gate = {
  /** Calls a tool once. Never rejects, except with the signal's reason once that is aborted. */
  readonly call: (tool: string, args: Readonly<Record<string, unknown>>, options?: CallOptions) => Promise<Reply>;
  readonly close: () => Promise<void>;
};

export function openGate({ mcpUrl, token, agent, signal }: GateOptions): Gate {
  // A promise, so that calls side by side share one session.
  let current: Promise<Client> | null = null;

  function connected(): Promise<Client> {
    if (current === null) {
      const opening = connect(() => {
        if (current === opening) current = null;
      });
      current = opening;
    }
    return current;
  }

  async function connect(forget: () => void): Promise<Client> {
    const client = new Client({ name: `countersign-${agent}`, version: '1.0.0' });
    const transport = new StreamableHTTPClientTransport(new URL(mcpUrl), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    // A broken answer stream never answers: without this, the call would hang until its time limit.
    client.onerror = (error) => {
      if (error.message.includes('SSE stream disconnected')) void client.close();
    };
    client.onclose = forget;
    try {
      await client.connect(transport as Transport, { signal });
    } catch (error) {
      forget();
      throw error;
    }
    return client;
  }

  async function call(tool: string, args: Readonly<Record<string, unknown>>, { isPatient = false }: CallOptions = {}): Promise<Reply> {
    let client: Client;
    try {
      client = await connected();
    } catch (error) {
      signal.throwIfAborted();
      const reply = replyTo(error);
      return reply.kind === 'lost' ? { ...reply, mayHaveLeft: false } : reply;
    }
    try {
      // `request` and not `callTool`, which would turn a held result of a tool with an output schema into an exception.
      const request = { method: 'tools/call' as const, params: { name: tool, arguments: { ...args } } };
      const progress = isPatient ? { resetTimeoutOnProgress: true, onprogress: () => {} } : {};
      const options = { signal, timeout: CALL_LIMIT, ...progress };
      return { kind: 'result', result: await client.request(request, CallToolResultSchema, options) };
    } catch (error) {
      signal.throwIfAborted();
      const reply = replyTo(error);
      if (reply.kind === 'lost') await client.close().catch(() => {});
      return reply;
    }
  }

  return {
    call,
    close: async () => {
      const client = await current?.catch(() => null);
      await client?.close().catch(() => {});
    },
  };
}

/** What the SDK uses for its own failures: connection closed, time limit passed. */
const SDK_OWN_CODES: ReadonlySet<number> = new Set([-32000, -32001]);
/** Answers that come before a call is looked at: an unknown session (the host was restarted), too many requests, shutting down. */
const NOT_LOOKED_AT: ReadonlySet<number> = new Set([404, 429, 503]);

function replyTo(error: unknown): Reply {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof McpError && !SDK_OWN_CODES.has(error.code))
    return { kind: 'error', message: message.replace(/^MCP error -?\d+: /, '') };
  if (error instanceof StreamableHTTPError && error.code !== undefined) {
    if (error.code === 401 || error.code === 403) return { kind: 'denied', message };
    if (NOT_LOOKED_AT.has(error.code)) return { kind: 'lost', mayHaveLeft: false, reason: message };
    if (error.code < 500 && error.code >= 400) return { kind: 'error', message };
  }
  const refused = error instanceof TypeError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
  return { kind: 'lost', mayHaveLeft: !refused, reason: refused ? 'nothing listens there' : message };
}
