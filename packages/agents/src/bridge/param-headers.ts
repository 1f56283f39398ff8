type Declaration = { readonly path: readonly string[]; readonly header: string };

/**
 * 2026-07-28 wants arguments that a tool marks with `x-mcp-header` repeated as `Mcp-Param-*` headers. A stdio client does not send headers,
 * so whoever carries its calls to HTTP learns the marks from the lists that pass by.
 */
export type ParamHeaders = {
  readonly learn: (listResult: unknown) => void;
  readonly headersFor: (params: unknown) => Readonly<Record<string, string>>;
};

export function paramHeaders(): ParamHeaders {
  const declared = new Map<string, readonly Declaration[]>();
  return {
    learn: (listResult) => {
      const tools = isRecord(listResult) && Array.isArray(listResult.tools) ? listResult.tools : [];
      for (const tool of tools) {
        if (isRecord(tool) && typeof tool.name === 'string') declared.set(tool.name, collect(tool.inputSchema, []));
      }
    },
    headersFor: (params) => {
      if (!isRecord(params) || typeof params.name !== 'string') return {};
      const pairs = (declared.get(params.name) ?? []).flatMap(({ path, header }) => {
        const value = path.reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), params.arguments);
        return isPrimitive(value) ? [[`Mcp-Param-${header}`, encoded(String(value))] as const] : [];
      });
      return Object.fromEntries(pairs);
    },
  };
}

/** Only properties that are reached through `properties` may carry the mark. */
function collect(schema: unknown, path: readonly string[]): Declaration[] {
  if (!isRecord(schema)) return [];
  const header = schema['x-mcp-header'];
  const own = path.length > 0 && typeof header === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(header) ? [{ path, header }] : [];
  const children = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  return [...own, ...children.flatMap(([key, child]) => collect(child, [...path, key]))];
}

/** Text that is no plain header value goes as Base64 between the revision's marks. */
function encoded(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/i.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

const isPrimitive = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
