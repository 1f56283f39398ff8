/** How many tool keys an index remembers; beyond it the cache starts anew, so a caller that invents names can't fill the memory. */
const CACHED_KEYS = 10_000;

/**
 * Whether `pattern` names `toolKey` (`server__tool`). `*` stands for any run of characters, everything else for itself, case included.
 * Two pointers, no backtracking expression: at most length × length steps.
 * @example matchesPattern('files__*', 'files__read_file') === true
 */
export function matchesPattern(pattern: string, toolKey: string): boolean {
  let at = 0;
  let text = 0;
  let star = -1;
  let resume = 0;
  while (text < toolKey.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = text;
    } else if (at < pattern.length && pattern[at] === toolKey[text]) {
      at++;
      text++;
    } else if (star >= 0) {
      at = star + 1;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

/** Whether every tool that `narrow` names is surely named by `wide`. Answers false where it can't tell. */
export const isPatternWithin = (narrow: string, wide: string): boolean =>
  narrow === wide || wide === '*' || (!narrow.includes('*') && matchesPattern(wide, narrow)) || isPrefixWithin(narrow, wide);

function isPrefixWithin(narrow: string, wide: string): boolean {
  const star = wide.indexOf('*');
  if (star !== wide.length - 1) return false;
  const fixed = narrow.slice(0, narrow.indexOf('*'));
  return fixed.startsWith(wide.slice(0, star));
}

/**
 * Looks items up by the tool they name, in their own order. Exact names come from a map and patterns are matched once per tool key,
 * so the cost of a lookup does not grow with items for other tools.
 */
export function indexByTool<Item extends { readonly tool: string }>(items: readonly Item[]): (toolKey: string) => readonly Item[] {
  const exact = new Map<string, number[]>();
  const globs: number[] = [];
  items.forEach((item, place) => {
    const places = item.tool.includes('*') ? globs : exact.get(item.tool);
    if (places === undefined) exact.set(item.tool, [place]);
    else places.push(place);
  });
  const cache = new Map<string, readonly Item[]>();
  const pick = (places: readonly number[]): readonly Item[] => places.map((place) => items[place]).filter((item) => item !== undefined);
  return (toolKey) => {
    const known = cache.get(toolKey);
    if (known !== undefined) return known;
    const matching = globs.filter((place) => matchesPattern(items[place]?.tool ?? '', toolKey));
    const found = pick([...(exact.get(toolKey) ?? []), ...matching].sort((a, b) => a - b));
    if (cache.size >= CACHED_KEYS) cache.clear();
    cache.set(toolKey, found);
    return found;
  };
}
