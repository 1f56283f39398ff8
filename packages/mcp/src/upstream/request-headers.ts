import type { JsonObject } from '@countersign/engine';
import { isObject } from './message.ts';

/** A property whose value a 2026-07-28 server wants repeated in the header `Mcp-Param-<name>`. */
export type ParamHeader = { readonly path: readonly string[]; readonly name: string };

const MARK = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/**
 * The headers that an input schema asks for, or why it may not: a mark stands on a primitive property that is reached through `properties`
 * alone, and no two share a name. The revision makes a definition that breaks this invalid, since no call to it could be right.
 */
export function paramHeadersOf(inputSchema: JsonObject): { readonly headers: readonly ParamHeader[] } | { readonly fault: string } {
  const headers: ParamHeader[] = [];
  const names = new Set<string>();
  const allowed = new Set<unknown>();
  const open: { readonly schema: JsonObject; readonly path: readonly string[] }[] = [{ schema: inputSchema, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, path } = next;
    const name = schema[MARK];
    if (name !== undefined) {
      allowed.add(schema);
      if (path.length === 0 || typeof name !== 'string' || !TOKEN.test(name))
        return { fault: `Its schema has an ${MARK} that is no header name.` };
      if (!PRIMITIVES.has(schema.type))
        return { fault: `Its schema has an ${MARK} on what is neither a string, an integer nor a boolean.` };
      if (names.has(name.toLowerCase())) return { fault: `Its schema has the ${MARK} ${name} twice.` };
      names.add(name.toLowerCase());
      headers.push({ path, name });
    }
    if (!isObject(schema.properties)) continue;
    for (const [key, child] of Object.entries(schema.properties)) if (isObject(child)) open.push({ schema: child, path: [...path, key] });
  }
  return hasOtherMark(inputSchema, allowed) ? { fault: `Its schema has an ${MARK} where no call can carry it.` } : { headers };
}

/** The headers of a 2026-07-28 request: they repeat what the body says, for those who route by headers. */
export function standardHeaders(method: string, params: JsonObject, paramHeaders: readonly ParamHeader[] = []): Record<string, string> {
  const headers: Record<string, string> = { 'mcp-method': method };
  if (typeof params.name === 'string') headers['mcp-name'] = headerValue(params.name);
  for (const { path, name } of paramHeaders) {
    const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), params.arguments);
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value))
      headers[`mcp-param-${name}`] = headerValue(String(value));
  }
  return headers;
}

/** As it is where HTTP carries it unchanged, else in the revision's Base64 form. */
function headerValue(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(value) && !(value.startsWith('=?base64?') && value.endsWith('?='));
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}

/** Whether a subschema other than those already seen holds the mark; a property that is merely named so is none. */
function hasOtherMark(inputSchema: JsonObject, allowed: ReadonlySet<unknown>): boolean {
  const open: { readonly value: unknown; readonly isMap: boolean }[] = [{ value: inputSchema, isMap: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, isMap } = next;
    if (Array.isArray(value)) open.push(...value.map((item: unknown) => ({ value: item, isMap: false })));
    if (!isObject(value)) continue;
    if (!isMap && value[MARK] !== undefined && !allowed.has(value)) return true;
    for (const [key, child] of Object.entries(value)) {
      if (!isMap && LITERALS.has(key)) continue;
      open.push({ value: child, isMap: !isMap && MAPS.has(key) });
    }
  }
  return false;
}

/** Keywords whose value maps names to schemas, and those whose value is data. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const LITERALS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
