/**
 * Freezes a freshly parsed JSON value to its leaves, without recursion, and counts its object members. -0 becomes 0 on the way. Frozen
 * parts are not entered again, so the value must be a tree that nobody froze before.
 */
export function freezeJson(value: unknown): { readonly value: unknown; readonly members: number } {
  let members = 0;
  const open: object[] = [];
  const root = settle(value, open);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) {
      for (let i = 0; i < next.length; i++) {
        const item: unknown = next[i];
        if (typeof item === 'object' && item !== null) open.push(item);
        else if (item === 0) next[i] = 0;
      }
    } else {
      const record = next as Record<string, unknown>;
      const keys = Object.keys(record);
      members += keys.length;
      for (const key of keys) {
        const item = record[key];
        if (typeof item === 'object' && item !== null) open.push(item);
        else if (item === 0) record[key] = 0;
      }
    }
    Object.freeze(next);
  }
  return { value: root, members };
}

function settle(value: unknown, open: object[]): unknown {
  if (typeof value === 'object' && value !== null) open.push(value);
  return value === 0 ? 0 : value;
}
