/** What a tool's own JSON Schema says of its arguments, as far as a form can use it. The server checks all of it. */
export type Properties = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

export const propertiesOf = (definition: Readonly<Record<string, unknown>> | undefined): Properties => {
  const schema = definition?.inputSchema;
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
};

/** The texts that a property may have, where they are counted out. */
export const choicesIn = (property: unknown): readonly string[] | null =>
  isRecord(property) && Array.isArray(property.enum) && property.enum.every((each) => typeof each === 'string') ? property.enum : null;

/** What a property begins with when it is added; nothing is guessed beyond its type. */
export function emptyOf(property: unknown): unknown {
  if (!isRecord(property)) return null;
  if (Array.isArray(property.enum) && property.enum.length > 0) return property.enum[0];
  switch (property.type) {
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
      return emptyArguments(property);
    default:
      return null;
  }
}

/** Arguments to begin with: what a schema requires, empty. */
export function emptyArguments(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(schema) || !isRecord(schema.properties)) return {};
  const { properties } = schema;
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(required.map((name) => [name, emptyOf(properties[name])]));
}
