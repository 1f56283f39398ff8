/** Editing the arguments of a call: what was typed, read back. */
export type JsonObject = Record<string, unknown>;
export type Edited = { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly reason: string };

export function readEdited(text: string): Edited {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ok: true, value: value as JsonObject };
    return { ok: false, reason: 'arguments are an object, { … }' };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

export const writeEdited = (value: JsonObject): string => JSON.stringify(value, null, 2);

/** Fields that a plain input can hold. Others are edited as JSON. */
export type FieldKind = 'text' | 'number' | 'yes or no' | 'json';

export const kindOf = (value: unknown): FieldKind => {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'yes or no' : 'json';
};

/** What was typed into a field of a kind; undefined where it is not one. A text stays a text: "5" never becomes 5. */
export function readField(kind: FieldKind, typed: string): unknown {
  if (kind === 'text') return typed;
  try {
    const value: unknown = JSON.parse(typed);
    return kind === 'number' && typeof value !== 'number' ? undefined : value;
  } catch {
    return undefined;
  }
}
