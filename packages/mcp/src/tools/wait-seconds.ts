import * as z from 'zod';

export const waitSecondsInput = z.number().min(0).max(3600).optional().describe('How long to wait at most; 0 looks once');

/** Never longer than the budget that whoami says, whatever the agent asks for. */
export const waitMsOf = (seconds: number | undefined, budgetMs: number): number =>
  seconds === undefined ? budgetMs : Math.min(budgetMs, seconds * 1000);
