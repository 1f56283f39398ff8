const STEP_MS = 20;

/**
 * Resolves with the first value of `look` that is neither false nor null nor undefined. Rejects after `withinMs`, saying what it waited for
 * and what was seen last.
 */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  withinMs = 20_000,
): Promise<Exclude<Value, false | null | undefined>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== false && seen !== null && seen !== undefined) return seen as Exclude<Value, false | null | undefined>;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
