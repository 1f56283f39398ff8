import { EventEmitter } from 'node:events';
import type { PgPool, PgPoolClient, PgQueryResult } from 'bullmq';

/** What the adapter needs of PGlite. Statements run in the order of the calls; a transaction has the connection to itself. */
export type PgliteConnection = PgliteStatements & {
  transaction<T>(use: (tx: PgliteStatements) => Promise<T>): Promise<T>;
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
};

type PgliteStatements = {
  query<Row>(sql: string, params?: readonly unknown[]): Promise<{ rows: Row[]; affectedRows?: number }>;
  exec(sql: string): Promise<readonly { rows: unknown[]; affectedRows?: number }[]>;
};

/** A transaction that a client holds open: `end` says how it shall end and resolves when it has. */
type OpenTransaction = { readonly tx: PgliteStatements; end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> };

/**
 * PGlite in the shape of node-postgres' Pool, as far as BullMQ uses it.
 *
 * PGlite has one connection, so the clients are views of it: a client takes it for itself at BEGIN and gives it back at
 * COMMIT, ROLLBACK or release, and in between everyone else waits, drizzle included. Session state (search_path) is shared,
 * so the connection that is passed in must already be under BullMQ's schema. `end()` ends subscriptions, never PGlite.
 *
 * It claims no TCP keep-alive, though no connection can be lost here: with it BullMQ sleeps until the next delayed job is
 * due, and a laptop that slept in between would wake late by as much; without, it looks every 10 s.
 */
export function pglitePool(connection: PgliteConnection): PgPool {
  const clients = new Set<PgPoolClient>();
  const connect = async (): Promise<PgPoolClient> => {
    const client = openClient(connection, () => clients.delete(client));
    clients.add(client);
    return client;
  };
  return Object.assign(new EventEmitter(), {
    connect,
    query: async <Row>(text: string, params?: readonly unknown[]) => {
      const { kind } = parse(text);
      if (kind !== 'other') throw new Error(`${kind} needs a client of its own: the pool has no session`);
      return run<Row>(connection, text, params);
    },
    end: async () => {
      for (const client of clients) client.release(true);
    },
  });
}

function openClient(connection: PgliteConnection, onReleased: () => void): PgPoolClient {
  const subscriptions = new Map<string, () => Promise<void>>();
  let transaction: OpenTransaction | undefined;
  let isReleased = false;

  const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
    const ending = transaction;
    transaction = undefined;
    await ending?.end(how); // like PostgreSQL, which only warns when there is none
  };
  const unlisten = async (channels: readonly string[]): Promise<void> => {
    for (const channel of channels) {
      await subscriptions.get(channel)?.();
      subscriptions.delete(channel);
    }
  };

  async function query<Row>(text: string, params?: readonly unknown[]): Promise<PgQueryResult<Row>> {
    const statement = parse(text);
    const noRows = { rows: [], rowCount: 0 };
    switch (statement.kind) {
      case 'BEGIN':
        if (transaction !== undefined) throw new Error('this client is in a transaction already');
        transaction = await begin(connection);
        return noRows;
      case 'COMMIT':
      case 'ROLLBACK':
        await end(statement.kind);
        return noRows;
      case 'LISTEN': {
        const { channel } = statement;
        const deliver = (payload: string) => client.emit('notification', { channel, payload });
        if (!subscriptions.has(channel)) subscriptions.set(channel, await connection.listen(channel, deliver));
        if (isReleased) await unlisten([channel]);
        return noRows;
      }
      case 'UNLISTEN':
        await unlisten(statement.channel === '*' ? [...subscriptions.keys()] : [statement.channel]);
        return noRows;
      case 'other':
        return run<Row>(transaction?.tx ?? connection, text, params);
    }
  }

  const release = (): void => {
    isReleased = true;
    onReleased();
    client.removeAllListeners();
    // Nobody waits for a release; both fail only when the database is closed, and then there is nothing left to end.
    end('ROLLBACK').catch(() => {});
    unlisten([...subscriptions.keys()]).catch(() => {});
  };

  const client = Object.assign(new EventEmitter().setMaxListeners(0), { query, release });
  return client;
}

/** Resolves when the transaction has begun, that is, when it has the connection to itself. */
function begin(connection: PgliteConnection): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    const rolledBack = new Error('rolled back');
    const ended = connection.transaction(
      (tx) =>
        new Promise<void>((commit, rollBack) => {
          const end = async (how: 'COMMIT' | 'ROLLBACK'): Promise<void> => {
            if (how === 'COMMIT') commit();
            else rollBack(rolledBack);
            await ended.catch((error: unknown) => {
              if (error !== rolledBack) throw error;
            });
          };
          resolve({ tx, end });
        }),
    );
    ended.catch(reject);
  });
}

async function run<Row>(on: PgliteStatements, text: string, params: readonly unknown[] = []): Promise<PgQueryResult<Row>> {
  // Without parameters a text may hold several statements, as migrations do; the last one's answer is the answer.
  const result = params.length === 0 ? (await on.exec(text)).at(-1) : await on.query<Row>(text, params);
  const rows = (result?.rows ?? []) as Row[];
  return { rows, rowCount: rows.length || (result?.affectedRows ?? 0) };
}

type Statement =
  | { readonly kind: 'BEGIN' | 'COMMIT' | 'ROLLBACK' | 'other' }
  | { readonly kind: 'LISTEN' | 'UNLISTEN'; readonly channel: string };

/** BullMQ's own statements open with comments, LISTEN among them: missed, its workers would poll every 5 s. */
const COMMENTS = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

function parse(text: string): Statement {
  const statement = text.replace(COMMENTS, '');
  const [, verb, channel] = /^(LISTEN|UNLISTEN)\s+(\w+|\*)\s*;?\s*$/i.exec(statement) ?? [];
  if (verb !== undefined && channel !== undefined) {
    return { kind: verb.toUpperCase() === 'LISTEN' ? 'LISTEN' : 'UNLISTEN', channel: channel.toLowerCase() };
  }
  const word = /^[a-z]+(?:\s+(?:WORK|TRANSACTION))?\s*;?\s*$/i.exec(statement)?.[0].toUpperCase().split(/[\s;]/)[0];
  if (word === 'BEGIN' || word === 'COMMIT' || word === 'ROLLBACK') return { kind: word };
  return { kind: 'other' };
}
