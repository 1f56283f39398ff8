/** The whole product in this process, on a port and a data directory of its own: server, worker, database, queue and upstreams. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@countersign/client';
import type { CredentialInput } from '@countersign/contracts';
import { createLogger, type Host, openHost, scanJson, TOPIC } from '@countersign/runtime';
import { buildServer, type ServerDeps } from '@countersign/server';
import { startWorker } from '@countersign/worker';

export type WholeHost = {
  readonly host: Host;
  readonly url: string;
  readonly mcp: URL;
  /** The HTTP API with a credential. */
  readonly as: (token: string) => Client;
  readonly agentToken: (name: string, input?: Partial<CredentialInput>) => Promise<string>;
  readonly principalToken: (name: string) => Promise<string>;
  readonly close: () => Promise<void>;
};

/** `config`: what countersign.yaml says, as a value. */
export async function openWholeHost(config: object): Promise<WholeHost> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-whole-'));
  const configPath = join(dataDir, 'countersign.yaml');
  writeFileSync(configPath, JSON.stringify(config));
  const opened = await openHost({ configPath, dataDir: join(dataDir, 'data'), env: {}, log: createLogger('error'), version: '0.0.0' });
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  const host = opened.value;
  const app = buildServer(serverDeps(host));
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  host.announceUrl(url);
  const worker = await startWorker(host);
  const operator = createClient({ url, token: host.operatorSecret });
  return {
    host,
    url,
    mcp: new URL(`${url}/mcp`),
    as: (token) => createClient({ url, token }),
    agentToken: async (name, input = {}) => must(await operator.agents.issueCredential(name, input)).token,
    principalToken: async (name) => must(await operator.principals.issueToken(name)).token,
    close: async () => {
      await host.endpoint.close();
      await app.close();
      await worker.close();
      await host.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const serverDeps = (host: Host): ServerDeps => ({
  operations: host.operations as unknown as ServerDeps['operations'],
  mcp: {
    handle: (request, response, body) => host.endpoint.handle({ method: request.method ?? '', headers: request.headers, body }, response),
  },
  changes: { subscribe: (listener) => host.deps.signals.subscribe(TOPIC.changes, (notice) => listener(JSON.parse(notice))) },
  readJson: (bytes) => scanJson(bytes),
  log: host.log,
  config: {
    get publicUrl() {
      return host.deps.config().publicUrl;
    },
    host: '127.0.0.1',
    port: 0,
    requestsPerMinute: 1_000_000,
    bodyBytes: host.config().limits.call_bytes,
  },
  staticDir: null,
  version: '0.0.0',
});

/** The value of an answer that must not fail. */
export function must<Value>(answer: { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: object }): Value {
  if (!answer.ok) throw new Error(`Refused: ${JSON.stringify(answer.error)}`);
  return answer.value;
}
