import type { EndpointDeps, EndpointLimits, EndpointTiming } from './endpoint-deps.ts';
import type { ServerInfo } from './frame.ts';
import type { createToolLists } from './tool-list.ts';

/** What the parts of one endpoint have in common. */
export type Shared = {
  readonly deps: EndpointDeps;
  readonly limits: EndpointLimits;
  readonly timing: EndpointTiming;
  readonly info: ServerInfo;
  readonly lists: ReturnType<typeof createToolLists>;
  /** Called once when the endpoint closes: whoever waits here answers now. */
  readonly onClosing: Set<() => void>;
};
