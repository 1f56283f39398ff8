export { type ExamineOptions, examine } from './doctor/examine.ts';
export type { DoctorReport, EraReport, MissingTool } from './doctor/report.ts';
export { createAgentEndpoint } from './endpoint/agent-endpoint.ts';
export type { AgentEndpoint, EndpointDeps, EndpointLimits, EndpointRequest, EndpointTiming } from './endpoint/endpoint-deps.ts';
export { type Bounds, scanJson } from './ingress/scan.ts';
export { createUpstreams, type UpstreamsDeps } from './upstream/upstreams.ts';
