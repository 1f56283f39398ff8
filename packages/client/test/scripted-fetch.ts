export type Sent = { readonly method: string; readonly url: string; readonly headers: Headers; readonly body: string | null };
type Scripted = Response | Error | ((sent: Sent) => Response | Promise<Response>);

export const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
export const problem = (status: number, code: string, context?: object): Response =>
  json(status, { code, detail: `failed with ${code}`, status, requestId: 'req_1', context });

/** A stream of server-sent events that ends after `text`, or stays open. */
export const events = (text: string, { staysOpen = false } = {}): Response => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      if (!staysOpen) controller.close();
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
};

/** Answers requests in order, and notes them and the waits between. An Error stands for a network that fails. */
export const scripted = (...answers: Scripted[]) => {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const fetch = async (input: unknown, init: RequestInit = {}): Promise<Response> => {
    const request: Sent = {
      method: init.method ?? 'GET',
      url: String(input),
      headers: new Headers(init.headers),
      body: (init.body as string | undefined) ?? null,
    };
    sent.push(request);
    init.signal?.throwIfAborted();
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`Nothing is scripted for request ${sent.length}: ${request.method} ${request.url}`);
    if (answer instanceof Error) throw answer;
    return typeof answer === 'function' ? answer(request) : answer;
  };
  const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
    signal?.throwIfAborted();
    waits.push(ms);
  };
  return { sent, waits, options: { url: 'http://host:7420/', fetch: fetch as typeof globalThis.fetch, wait } };
};
