import * as z from 'zod';

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `500ms`, `3s`, `30m`, `4h`, `7d`; parsed to milliseconds. */
export const Duration = z
  .string()
  .regex(/^\d+(ms|s|m|h|d)$/, 'write a whole number and a unit: 500ms, 3s, 30m, 4h or 7d')
  .transform((text) => {
    const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
    return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  })
  .refine((ms) => ms <= 366 * UNIT_MS.d, 'at most 366d');
