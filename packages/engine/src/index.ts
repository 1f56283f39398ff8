export type { CallEnd, HeldDecision, IncomingCall } from './call-end.ts';
export type { Caller } from './caller.ts';
export type { JsonObject, PinnedTool, ToolChange, UpstreamFailure, UpstreamReply, Upstreams, UpstreamStatus } from './upstreams.ts';
