import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROUTES, testServer } from './requests.ts';

type Operation = {
  readonly summary?: string;
  readonly security?: unknown[];
  readonly responses: Record<string, { readonly content?: Record<string, { schema: unknown }> }>;
  readonly requestBody?: unknown;
};
type Document = {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, unknown> };
};

let document: Document;
beforeAll(async () => {
  const response = await testServer().send('GET', '/api/openapi.json');
  document = response.json();
});

const operations = (): [string, Operation][] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method.toUpperCase()} ${path}`, operation]),
  );

describe('/api/openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document) as never)).toMatchObject({ valid: true });
    expect([document.openapi, validator.version]).toEqual(['3.1.0', '3.1']);
  });

  it('covers every route', () => {
    const expected = [...ROUTES.map(({ method, pattern }) => `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}`), 'GET /events'];
    expect(
      operations()
        .map(([name]) => name)
        .sort(),
    ).toEqual(expected.sort());
  });

  it('says what each route is for, what it takes and what it sends, problems included', () => {
    for (const [name, operation] of operations()) {
      expect([name, operation.summary]).toEqual([name, expect.stringMatching(/^[A-Z]/)]);
      const takes = ROUTES.find(({ method, pattern }) => `${method} ${pattern.replace(/:(\w+)/g, '{$1}')}` === name)?.body !== undefined;
      if (takes) expect([name, operation.requestBody]).toEqual([name, expect.anything()]);
      if (operation.security?.length === 0 && name !== 'POST /api/v1/login') continue;
      expect([name, Object.keys(operation.responses['4XX']?.content ?? {})]).toEqual([name, ['application/problem+json']]);
    }
  });

  it('names its shapes once', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Decision', 'Problem', 'Agent', 'AuditEvent', 'Mandate', 'ServerEvent']),
    );
    expect(document.paths['/api/v1/decisions/{id}']?.get?.responses['200']?.content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/Decision' } },
    });
  });
});
