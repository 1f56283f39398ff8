/** Runs the ledger on LEDGER_PORT (default 9001), its payments kept in LEDGER_FILE if that is set. */
import { startLedger } from './ledger.ts';

const file = process.env.LEDGER_FILE;
const ledger = await startLedger({ port: Number(process.env.LEDGER_PORT ?? 9001), ...(file ? { file } : {}) });
console.error(`ledger: ${ledger.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void ledger.close());
