import { createParser } from 'eventsource-parser';

export type EventStream = {
  readonly feed: (chunk: Buffer) => void;
  /** The id of the last event, from which a broken stream can be resumed. */
  readonly lastId: () => string | undefined;
  /** How long the server asks to wait before that, in milliseconds. */
  readonly retryMs: () => number | undefined;
};

/**
 * Reads server-sent events byte for byte: the parser gets Latin-1, in which every byte is a character of its own, because decoding UTF-8 first
 * would repair what the scan must refuse. Events larger than `maxBytes` end in `onTooLarge`.
 */
export function readEventStream(maxBytes: number, onMessage: (data: Buffer) => void, onTooLarge: () => void): EventStream {
  let lastId: string | undefined;
  let retryMs: number | undefined;
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: ({ event, id, data }) => {
      if (id !== undefined) lastId = id;
      if (data !== '' && (event === undefined || event === 'message')) onMessage(Buffer.from(data, 'latin1'));
    },
    onRetry: (ms) => {
      retryMs = ms;
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') onTooLarge();
    },
  });
  return {
    feed: (chunk) => parser.feed(chunk.toString('latin1')),
    lastId: () => lastId,
    retryMs: () => retryMs,
  };
}
