import type { JsonObject } from '@countersign/engine';

export type ProgressToken = string | number;

/** Builds progress notifications under the caller's own token whose values only ever grow, whoever reports them. */
export type Progress = {
  /** From upstream: its own values, moved up by what was already counted. */
  readonly relay: (progress: JsonObject) => object | undefined;
  /** From us: still waiting, and for what. */
  readonly tick: (message: string) => object;
};

export function createProgress(token: ProgressToken): Progress {
  let last: number | undefined;
  let base = 0;
  const notice = (params: JsonObject) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: token, ...params },
  });
  return {
    relay({ progress, total, message }) {
      if (typeof progress !== 'number' || (last !== undefined && base + progress <= last)) return undefined;
      last = base + progress;
      return notice({
        progress: last,
        ...(typeof total === 'number' && { total: base + total }),
        ...(typeof message === 'string' && { message }),
      });
    },
    tick(message) {
      last = (last ?? 0) + 1;
      base = last;
      return notice({ progress: last, message });
    },
  };
}

/** The caller's token, where it gave one that the protocol allows. */
export function progressTokenOf(meta: unknown): ProgressToken | undefined {
  const token = (meta as { progressToken?: unknown } | undefined)?.progressToken;
  return typeof token === 'string' || (typeof token === 'number' && Number.isInteger(token)) ? token : undefined;
}
