import type { JsonObject } from '@countersign/engine';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from '@modelcontextprotocol/client';
import { visible } from '../ingress/visible.ts';
import type { Era } from './link.ts';
import type { Log } from './log.ts';

const CLIENT_INFO = { name: 'countersign', version: '0.1.0' } as const;

export type SdkSession = { readonly client: Client; readonly era: Era; readonly protocolVersion: string };

export type SdkOptions = {
  readonly server: string;
  readonly log: Log;
  /** `legacy` skips the question which era the server speaks: for one that died of being asked. */
  readonly mode: 'auto' | 'legacy';
  readonly connectMs: number;
  readonly probeMs: number;
  readonly onToolsChanged: () => void;
  /** Progress that came outside the reply's own stream; `params` as sent. */
  readonly onProgress: (params: Readonly<Record<string, unknown>>) => void;
};

/**
 * Lets the SDK agree with the server on a protocol revision, and then hear what it says unasked. We declare no capability, so a server may
 * ask nothing of us: requests from it are answered with -32601 by the SDK. Rejects when there is no agreement.
 */
export async function openSdkSession(transport: Transport, options: SdkOptions): Promise<SdkSession> {
  const { server, log } = options;
  const client = new Client(CLIENT_INFO, {
    capabilities: {},
    versionNegotiation: { mode: options.mode, probe: { timeoutMs: options.probeMs } },
  });
  // Its text may hold a whole message of the server's.
  client.onerror = (error) => log.debug({ server, error: visible(error.message, 300) }, 'upstream protocol noise');
  client.setNotificationHandler('notifications/tools/list_changed', options.onToolsChanged);
  // Ours in place of the SDK's, which would call every token of ours unknown.
  client.setNotificationHandler('notifications/progress', ({ params }) => options.onProgress(params));
  await client.connect(transport, { timeout: options.connectMs });
  const era = client.getProtocolEra();
  const protocolVersion = client.getNegotiatedProtocolVersion();
  if (era === undefined || protocolVersion === undefined) throw new Error('The connection was made without a protocol version.');
  if (era === 'modern' && client.getServerCapabilities()?.tools?.listChanged === true) {
    // Without it changes are still found, by the next refresh.
    client.listen({ toolsListChanged: true }, { timeout: options.connectMs }).catch((error: unknown) => {
      log.debug({ server, error: String(error) }, 'upstream would not announce changes');
    });
  }
  return { client, era, protocolVersion };
}

/** The `_meta` that each request of ours repeats in the modern era, as the SDK does for its own. */
export function requestMetaOf({ era, protocolVersion }: SdkSession): JsonObject {
  if (era === 'legacy') return {};
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: CLIENT_INFO,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
}
