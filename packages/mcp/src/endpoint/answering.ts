import type { ServerResponse } from 'node:http';
import type { JsonObject } from '@countersign/engine';
import type { EndpointTiming } from './endpoint-deps.ts';
import { createProgress, type ProgressToken } from './progress.ts';
import { type EventStream, isOpen, openStream, writeJson } from './write.ts';

/**
 * The answer to one call on its way out. It begins quiet and ends as one JSON body; where the call waits it becomes a stream, which carries
 * progress under the caller's token. Once finished or dropped, nothing more is written.
 */
export type Answering = {
  /** The call waits, and for what; said at once and again with every progress notice. */
  readonly waiting: (message: string) => void;
  /** Progress that the upstream reports. */
  readonly relay: (progress: JsonObject) => void;
  readonly finish: (message: object) => void;
  /** Finishes by another HTTP answer than a JSON-RPC message, or by `message` where the stream is open already. */
  readonly finishOtherwise: (write: () => void, message: object) => void;
  /** Ends the response without an answer: the caller wants none, or is gone. */
  readonly drop: () => void;
  readonly isDone: () => boolean;
};

export function startAnswering(options: {
  readonly response: ServerResponse;
  readonly token: ProgressToken | undefined;
  readonly acceptsStream: boolean;
  readonly timing: EndpointTiming;
}): Answering {
  const { response, token, acceptsStream, timing } = options;
  const progress = token === undefined ? undefined : createProgress(token);
  let stream: EventStream | undefined;
  let ticker: NodeJS.Timeout | undefined;
  let isDone = false;
  let waitsFor = 'The call is running.';

  function streaming(): EventStream | undefined {
    if (stream || isDone || !acceptsStream || !isOpen(response)) return stream;
    const opened = openStream(response, timing.keepalive);
    stream = opened;
    if (progress) ticker = setInterval(() => opened.send(progress.tick(waitsFor)), timing.progress);
    return opened;
  }
  const slow = setTimeout(streaming, token === undefined ? timing.slowWithoutToken : timing.slow);

  function stop(): boolean {
    if (isDone) return false;
    isDone = true;
    clearTimeout(slow);
    clearInterval(ticker);
    return true;
  }

  return {
    waiting(message) {
      if (isDone) return;
      waitsFor = message;
      if (progress) streaming()?.send(progress.tick(message));
      else streaming();
    },
    relay(reported) {
      const notice = isDone ? undefined : progress?.relay(reported);
      if (notice) streaming()?.send(notice);
    },
    finish(message) {
      this.finishOtherwise(() => writeJson(response, 200, message), message);
    },
    finishOtherwise(write, message) {
      if (!stop()) return;
      if (!stream) return write();
      stream.send(message);
      stream.end();
    },
    drop() {
      if (!stop() || !isOpen(response)) return;
      (stream ?? openStream(response, timing.keepalive)).end();
    },
    isDone: () => isDone,
  };
}
