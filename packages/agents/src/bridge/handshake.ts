import type { JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Initialize = { readonly jsonrpc: '2.0'; readonly id: string | number; readonly method: 'initialize'; readonly params: unknown };

/** The opening of a 2025-era session, remembered so that it can be played again after the host was restarted. */
export type Handshake = {
  /** To be told of every message that the client sent. */
  readonly noteSent: (message: object) => void;
  /** To be told of every message of the host. True: it belongs to a repeated opening and is not the client's business. */
  readonly hears: (message: JSONRPCMessage) => boolean;
  /** Opens a new session as the client opened its first; several callers share one opening. Rejects if it never opened one. */
  readonly repeat: () => Promise<void>;
};

export function newHandshake(transport: StreamableHTTPClientTransport): Handshake {
  let opened: Initialize | null = null;
  let repeating: Promise<void> | null = null;
  let repeats = 0;
  let expected: { readonly id: string; readonly resolve: () => void; readonly reject: (error: Error) => void } | null = null;

  function settle(message: JSONRPCMessage): void {
    if ('error' in message) expected?.reject(new Error(message.error.message));
    else expected?.resolve();
    expected = null;
  }

  async function open(): Promise<void> {
    if (opened === null) throw new Error('The host does not know this session, and the client never opened one.');
    repeats += 1;
    const id = `countersign-reopened-${repeats}`;
    const answer = new Promise<void>((resolve, reject) => {
      expected = { id, resolve, reject };
    });
    await transport.send({ ...opened, id } as JSONRPCMessage);
    await answer;
    await transport.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  return {
    noteSent: (message) => {
      if ('method' in message && message.method === 'initialize') opened = message as Initialize;
    },
    hears: (message) => {
      const version = negotiatedVersion(message);
      const isOurs = expected !== null && 'id' in message && message.id === expected.id;
      if (version !== null && (isOurs || ('id' in message && message.id === opened?.id))) transport.setProtocolVersion(version);
      if (isOurs) settle(message);
      return isOurs;
    },
    repeat: () => {
      repeating ??= open().finally(() => {
        repeating = null;
      });
      return repeating;
    },
  };
}

function negotiatedVersion(message: JSONRPCMessage): string | null {
  const version = 'result' in message ? (message.result as { readonly protocolVersion?: unknown }).protocolVersion : null;
  return typeof version === 'string' ? version : null;
}
