import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { type FixtureHost, type FixtureMode, type FixtureSettings, type FixtureTool, MODES } from './fixture-modes.ts';
import { type OnRequest, type ServedHttp, serveHttp } from './serve-http.ts';

/** A server with the tools of one mode. The SDK's low-level Server, because it sends tool definitions as they are, wrong ones too. */
export function newFixtureServer(mode: FixtureMode, settings: FixtureSettings, host: FixtureHost): Server {
  const server = new Server({ name: `misbehaving-${mode}`, version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const tools = (): readonly FixtureTool[] => MODES[mode](settings, host);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools().map(({ definition }) => ({ ...definition })) }) as never);
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }): Promise<CallToolResult> => {
    const tool = tools().find(({ definition }) => definition.name === params.name);
    if (tool === undefined) return { content: [{ type: 'text', text: `Unknown tool ${params.name}` }], isError: true };
    const meta = params._meta ?? {};
    const progress = async (done: number, total: number) => {
      if (meta.progressToken === undefined) return;
      await sendNotification({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress: done, total } });
    };
    return tool.run({ args: params.arguments ?? {}, meta, signal, progress });
  });
  return server;
}

export interface FixtureOptions extends FixtureSettings {
  /** `garbage` and `child` need a process of their own: run `misbehaving` over stdio. */
  readonly mode: Exclude<FixtureMode, 'garbage' | 'child'>;
  /** 0, the default, for any free port. */
  readonly port?: number;
  readonly onRequest?: OnRequest;
}

/** Starts one mode in this process over Streamable HTTP; where the stdio server would die, the connection breaks. */
export function startFixture({ mode, port = 0, onRequest, ...settings }: FixtureOptions): Promise<ServedHttp> {
  return serveHttp(
    port,
    (response) => newFixtureServer(mode, settings, { die: () => void response.destroy(), write: () => undefined }),
    onRequest,
  );
}
