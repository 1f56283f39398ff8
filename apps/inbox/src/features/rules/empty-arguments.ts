/** Arguments to begin with: what the tool's schema requires, empty. Nothing is guessed beyond that. */
export function emptyArguments(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(schema) || !isRecord(schema.properties)) return {};
  const { properties } = schema;
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(required.map((name) => [name, emptyOf(properties[name])]));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function emptyOf(schema: unknown): unknown {
  if (!isRecord(schema)) return null;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return emptyArguments(schema);
    default:
      return null;
  }
}
