import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ok, type Result } from '@countersign/contracts';
import { createLogger, type Host, openHost, scanJson, TOPIC } from '@countersign/runtime';
import { buildServer, type ServerDeps } from '@countersign/server';
import { startWorker } from '@countersign/worker';

export type StartOptions = {
  readonly configPath: string;
  readonly dataDir: string;
  /** Instead of the config's. */
  readonly port?: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly logLevel: string;
  /** Called when the database has to be made first, which takes seconds. */
  readonly onFirstStart: () => void;
};

/** Server and worker in this process, answering. */
export type RunningHost = {
  readonly host: Host;
  readonly url: string;
  readonly mcpUrl: string;
  /** Answers what is held as pending, finishes what runs or hands it back, then ends. What is held stays in the tables. */
  readonly close: () => Promise<void>;
};

/**
 * Opens the data directory and puts server and worker on it. Fails with `config.invalid` or `data.locked`; rejects with the system's error
 * when it can't listen, such as EADDRINUSE, with everything closed again.
 */
export async function startHost(options: StartOptions): Promise<Result<RunningHost, 'config.invalid' | 'data.locked'>> {
  const log = createLogger(options.logLevel);
  const opened = await openHost({ ...options, log });
  if (!opened.ok) return opened;
  const host = opened.value;
  const { server } = host.config();
  const port = options.port ?? server.port;
  const app = buildServer(serverDeps(host, options.version, { host: server.host, port }));
  try {
    const address = await app.listen({ host: server.host, port });
    host.announceUrl(address);
  } catch (error) {
    await host.close();
    throw error;
  }
  const worker = await startWorker(host);
  const url = host.deps.config().publicUrl;
  return ok({
    host,
    url,
    mcpUrl: `${url}/mcp`,
    close: async () => {
      // First the endpoint: held calls keep sockets open that the server would wait for.
      await host.endpoint.close();
      await app.close();
      await worker.close();
      await host.close();
    },
  });
}

function serverDeps(host: Host, version: string, bound: { readonly host: string; readonly port: number }): ServerDeps {
  const { limits } = host.config();
  return {
    // The engine's doers are one more kind than those that come in by HTTP: parts of the host itself.
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
      ...bound,
      requestsPerMinute: limits.requests_per_minute,
      bodyBytes: limits.call_bytes,
    },
    staticDir: pageFolder(),
    version,
  };
}

/** The inbox as it was built; without a build, the plain page that the server's package carries. */
function pageFolder(): string | null {
  const folders = ['../../../inbox/dist', '../../../server/public'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  return folders.find((folder) => existsSync(join(folder, 'index.html'))) ?? null;
}
