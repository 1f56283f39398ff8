import { fileURLToPath } from 'node:url';
import type { Database, Transaction } from './database.ts';
import { groupCommit } from './group-commit.ts';
import { type CallOutcome, type Intent, type IntentAnswer, recordIntents, recordOutcomes } from './intents.ts';

/** Where the SQL migrations lie, from source and from a build alike. */
export const MIGRATIONS = fileURLToPath(new URL('../migrations', import.meta.url));

/** The database with the two writes of the hot path grouped: callers of one moment share a statement and a commit. */
export type Store = {
  readonly db: Database;
  /** Runs `work` in one transaction; what it throws rolls everything back. */
  transact<Value>(work: (tx: Transaction) => Promise<Value>): Promise<Value>;
  /** Durable when it resolves, and only if the call's authority is still the current one. Rejects when nothing could be written. */
  recordIntent(intent: Intent): Promise<IntentAnswer>;
  /** Durable when it resolves. False: the call was no longer running at that version. */
  recordOutcome(outcome: CallOutcome): Promise<boolean>;
  close(): Promise<void>;
};

/** Puts a store on an open, migrated database. `close` ends the driver's connections. */
export function openStore(db: Database, close: () => Promise<void>): Store {
  return {
    db,
    transact: (work) => db.transaction(work),
    recordIntent: groupCommit({ flush: (intents: readonly Intent[]) => recordIntents(db, intents), maxBatch: 256 }),
    recordOutcome: groupCommit({ flush: (outcomes: readonly CallOutcome[]) => recordOutcomes(db, outcomes), maxBatch: 256 }),
    close,
  };
}
