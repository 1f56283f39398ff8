import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { ORDERS, type Order, openPayments, Payment, type Payments } from './payments.ts';
import { type OnRequest, serveHttp } from './serve-http.ts';

const KEY = 'io.countersign/idempotency-key';
const Key = z.string().min(1).max(200).optional();

export interface LedgerOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Keeps the payments over a restart; without it they live in memory. */
  readonly file?: string;
  readonly onRequest?: OnRequest;
}

export interface Ledger {
  readonly url: string;
  readonly close: () => Promise<void>;
  readonly payments: () => readonly Payment[];
}

/**
 * Starts the ledger, an MCP server on 127.0.0.1 whose `send_money` and `schedule_payment` honour an idempotency key in the request's
 * `_meta["io.countersign/idempotency-key"]`. Rejects if the port is taken or the file is not a ledger's.
 */
export async function startLedger({ port, file, onRequest }: LedgerOptions): Promise<Ledger> {
  const payments = openPayments(file);
  const http = await serveHttp(port, () => newLedgerServer(payments), onRequest);
  return { ...http, payments: payments.list };
}

function newLedgerServer(payments: Payments): McpServer {
  const server = new McpServer({ name: 'ledger', version: '1.0.0' });
  server.registerTool(
    'list_payments',
    {
      description: 'All payments, oldest first.',
      inputSchema: z.strictObject({}),
      outputSchema: { payments: z.array(Payment) },
      annotations: { readOnlyHint: true },
    },
    () => {
      const list = payments.list();
      const text = list.map(describe).join('\n') || 'No payments yet.';
      return { content: [{ type: 'text', text }], structuredContent: { payments: list } };
    },
  );
  server.registerTool(
    'send_money',
    { description: 'Send US dollars to somebody, now.', inputSchema: ORDERS.send_money },
    (order, { _meta }) => pay(payments, 'sent', order, _meta?.[KEY]),
  );
  server.registerTool(
    'schedule_payment',
    { description: 'Send US dollars to somebody on a later day.', inputSchema: ORDERS.schedule_payment },
    (order, { _meta }) => pay(payments, 'scheduled', order, _meta?.[KEY]),
  );
  return server;
}

function pay(payments: Payments, kind: Payment['kind'], order: Order, rawKey: unknown): CallToolResult {
  const key = Key.safeParse(rawKey);
  if (!key.success) return refusal(`The idempotency key must be a string of 1 to 200 characters. Nothing was ${kind}.`);
  const outcome = payments.pay(kind, order, key.data);
  if (outcome.made === 'never') {
    return refusal(`The key ${outcome.key} belongs to another payment: ${describe(outcome.payment)}. Nothing was ${kind}.`);
  }
  const replayed = outcome.made === 'before';
  const text = replayed ? `This key was seen before, nothing was ${kind} again: ` : '';
  return {
    content: [{ type: 'text', text: text + describe(outcome.payment) }],
    structuredContent: { payment: outcome.payment, replayed },
  };
}

function describe({ id, kind, to, amount, on, memo }: Payment): string {
  return `${id}: ${kind} $${amount.toFixed(2)} to ${to}${on === undefined ? '' : ` on ${on}`}${memo === undefined ? '' : ` (${memo})`}`;
}

const refusal = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });
