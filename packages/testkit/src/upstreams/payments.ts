import * as z from 'zod';
import { readJsonFile, replaceJsonFile } from './json-file.ts';

const SendMoney = z.strictObject({
  to: z.string().trim().min(1).max(120),
  amount: z.number().positive().max(1_000_000).describe('US dollars'),
  memo: z.string().max(200).optional(),
});
const ScheduleMoney = SendMoney.extend({ on: z.iso.date().describe('The day it leaves, YYYY-MM-DD') });

/** The arguments of the two tools that move money. */
export const ORDERS = { send_money: SendMoney, schedule_payment: ScheduleMoney } as const;
export type Order = z.infer<typeof SendMoney> & { on?: string };

export const Payment = z.strictObject({
  id: z.string(),
  kind: z.enum(['sent', 'scheduled']),
  ...ScheduleMoney.partial({ on: true }).shape,
  at: z.iso.datetime(),
  key: z.string().optional().describe('The idempotency key of the request that made it'),
});
export type Payment = z.infer<typeof Payment>;

export type PayOutcome =
  | { readonly made: 'now' | 'before'; readonly payment: Payment }
  | { readonly made: 'never'; readonly key: string; readonly payment: Payment };

export interface Payments {
  readonly list: () => readonly Payment[];
  /**
   * Makes a payment, at most one for each `key`: the same order under a known key was `made: 'before'`, another order under it is
   * `never` made and names the payment that has the key.
   */
  readonly pay: (kind: Payment['kind'], order: Order, key: string | undefined) => PayOutcome;
}

/** The payments that `file` keeps, or that memory keeps without one. */
export function openPayments(file: string | undefined): Payments {
  let payments = file === undefined ? [] : readJsonFile(file, z.array(Payment), []);
  return {
    list: () => payments,
    pay: (kind, order, key) => {
      const known = key === undefined ? undefined : payments.find((payment) => payment.key === key);
      if (known !== undefined && key !== undefined) {
        const same = known.kind === kind && known.to === order.to && known.amount === order.amount;
        const sameDetails = known.memo === order.memo && known.on === order.on;
        return same && sameDetails ? { made: 'before', payment: known } : { made: 'never', key, payment: known };
      }
      const identity = { id: `pay_${payments.length + 1}`, kind, at: new Date().toISOString() };
      const payment: Payment = { ...identity, ...order, ...(key === undefined ? {} : { key }) };
      const next = [...payments, payment];
      if (file !== undefined) replaceJsonFile(file, next);
      payments = next;
      return { made: 'now', payment };
    },
  };
}
