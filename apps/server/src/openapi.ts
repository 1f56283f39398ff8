import {
  Agent,
  AgentPage,
  AuditEvent,
  AuditPage,
  BulkAnswerReport,
  Credential,
  CredentialPage,
  Decision,
  DecisionPage,
  DecisionRow,
  DecisionRowPage,
  Finding,
  Ground,
  HostFindings,
  HostState,
  IssuedCredential,
  Mandate,
  MandatePreview,
  Me,
  Principal,
  PrincipalPage,
  Problem,
  RuleTable,
  ServerEvent,
  Stats,
  Tally,
  ToolDetail,
  TryReport,
} from '@countersign/contracts';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod';
import * as z from 'zod';
import { PROBLEM_TYPE } from './problem.ts';

const NAMED = {
  Agent,
  AgentPage,
  AuditEvent,
  AuditPage,
  BulkAnswerReport,
  Credential,
  CredentialPage,
  Decision,
  DecisionPage,
  DecisionRow,
  DecisionRowPage,
  Finding,
  Ground,
  HostFindings,
  HostState,
  IssuedCredential,
  Mandate,
  MandatePreview,
  Me,
  Principal,
  PrincipalPage,
  Problem,
  RuleTable,
  ServerEvent,
  Stats,
  Tally,
  ToolDetail,
  TryReport,
} as const;

const registry = z.registry<{ id?: string | undefined }>();
for (const [id, schema] of Object.entries(NAMED)) registry.add(schema, { id });

type Described = { readonly summary: string; readonly tags: readonly string[]; readonly description?: string };

const PROBLEM = { description: 'A problem (RFC 9457); `code` is stable', content: { [PROBLEM_TYPE]: { schema: Problem } } };
const REPEATED = { '4xx': PROBLEM, '5xx': PROBLEM } as const;

/** The responses of a JSON route: what it sends when all is well, and the problems that any route may send. */
export const answers = <Ok extends Record<number, z.ZodType>>(ok: Ok): Ok & typeof REPEATED => ({ ...ok, ...REPEATED });

/** Headers that a write takes, for the description alone: the code that uses them checks them. */
const WRITE_HEADERS = z.looseObject({
  'idempotency-key': z.string().optional().describe('The same key and body get the same answer, once'),
  'x-csrf-token': z.string().optional().describe('From GET /api/v1/me; needed with a session cookie'),
});

/** Marks a schema as that of a write. */
export const write = <Schema extends FastifySchema>(
  schema: Schema & Described,
): Schema & Described & { readonly headers: typeof WRITE_HEADERS } => ({
  ...schema,
  headers: WRITE_HEADERS,
});

/** OpenAPI 3.1 from the routes' own schemas. Call it before the routes are registered. */
export const registerOpenApi = (app: FastifyInstance, version: string): void => {
  app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Countersign',
        version,
        description:
          'Decisions of people about calls of agents. Errors are application/problem+json with a stable `code`; lists are `{items, nextCursor}`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description:
              "A principal's token (csp_…); an agent's credential (csa_…) or the operator's secret (cso_…) where a route says so",
          },
          session: { type: 'apiKey', in: 'cookie', name: 'countersign_session', description: 'With https, its name begins with __Host-' },
        },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform: createJsonSchemaTransform({ schemaRegistry: registry }),
    transformObject: createJsonSchemaTransformObject({ schemaRegistry: registry }),
  });
};
