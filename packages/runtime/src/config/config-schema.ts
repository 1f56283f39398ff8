import { Config } from '@countersign/contracts';
import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** JSON Schema 2020-12 of `countersign.yaml` as people write it, for completion and checks in editors. */
export const configJsonSchema = (): JsonSchema => ({
  ...z.toJSONSchema(Config, { io: 'input', target: 'draft-2020-12', unrepresentable: 'any' }),
  title: 'countersign.yaml',
});

const step = (schema: JsonSchema, part: string | number): JsonSchema[] => {
  const found: unknown[] = [];
  if (typeof part === 'string') {
    found.push(schema.properties?.[part] ?? schema.additionalProperties);
  } else if (!Array.isArray(schema.items)) {
    found.push(schema.items);
  }
  return found.filter((next): next is JsonSchema => typeof next === 'object' && next !== null);
};

const branches = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) => branches(one as JsonSchema)),
];

/** The keys that the file may have at `path`, over every shape that may stand there. */
export const knownKeys = (schema: JsonSchema, path: readonly (string | number)[]): string[] => {
  let here = branches(schema);
  for (const part of path) here = here.flatMap((one) => step(one, part)).flatMap(branches);
  return [...new Set(here.flatMap((one) => Object.keys(one.properties ?? {})))];
};
