import { Mutex, type PGlite, type QueryOptions, type Results } from '@electric-sql/pglite';
import { queryOnce } from './pglite-query.ts';

/**
 * One PGlite shared by several users with a schema each: drizzle for ours, BullMQ for its own.
 *
 * S1 Statements run in the order in which they were issued, and nothing runs between BEGIN and COMMIT or ROLLBACK but that
 *    transaction's own statements: everyone else waits.
 * S2 Every statement runs under the search path of the session that issued it.
 * S3 The event loop gets its turn between statements. PGlite runs in this thread and would otherwise starve it: under
 *    back-to-back queries a 5 ms timer fired 0 of 800 times.
 * S4 An engine that died (a PANIC: the disk is full and the log can't grow) gets no further statement, which would spin for
 *    ever. The next caller opens a new one, which recovers all that was acknowledged, or is told why it can't be opened.
 */
export type PgliteSession = {
  query<Row = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: PgliteOptions): Promise<Results<Row>>;
  /** One or more statements without parameters. */
  exec(sql: string, options?: PgliteOptions): Promise<Results[]>;
  /** Commits when `use` resolves, rolls back and rethrows when it rejects. Inside, only `tx` may be used: the session waits. */
  transaction<T>(use: (tx: PgliteTransaction) => Promise<T>): Promise<T>;
  /** Resolves once the database listens, with the function that ends it. A listener must not throw. */
  listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>>;
};

export type PgliteTransaction = Pick<PgliteSession, 'query' | 'exec'> & {
  /** Ends the transaction early; `use` may go on, but not through `tx`. */
  rollback(): Promise<void>;
};

export type PgliteOptions = Pick<QueryOptions, 'rowMode' | 'parsers'>;

/** Opens an engine; called again after one died. */
export type OpenEngine = () => Promise<PGlite>;

type Engine = { readonly pg: PGlite; readonly defaultParsers: PGlite['parsers']; searchPath: string; death?: Error };
type Statement<T> = (pg: PGlite) => Promise<T>;

/** PGlite's own default, set at its start. */
const DEFAULT_SEARCH_PATH = 'public';
/** Up to this long statements run without a turn for the event loop; a turn costs a few µs. */
const BREATHE_AFTER_MS = 1;
/** An attempt to open a dead database holds up the process for half a second, so not every caller makes one. */
const RESTART_EVERY_MS = 2_000;

/** Has the methods of PGlite that drizzle-orm/pglite calls, so it can stand in for one. */
export class SharedPglite implements PgliteSession {
  readonly #open: OpenEngine;
  readonly #onClosed: () => void;
  readonly #connection = new Mutex();
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  readonly #breathe = breather();
  readonly #session = this.withSearchPath(DEFAULT_SEARCH_PATH);
  #engine: Engine;
  #isClosed = false;
  #restart = { error: new Error('never restarted'), notBefore: 0 };

  private constructor(open: OpenEngine, onClosed: () => void, pg: PGlite) {
    this.#open = open;
    this.#onClosed = onClosed;
    this.#engine = this.#engineOf(pg);
  }

  static async start(open: OpenEngine, onClosed: () => void): Promise<SharedPglite> {
    return new SharedPglite(open, onClosed, await open());
  }

  query<Row = Record<string, unknown>>(sql: string, params?: readonly unknown[], options?: PgliteOptions): Promise<Results<Row>> {
    return this.#session.query<Row>(sql, params, options);
  }

  exec(sql: string, options?: PgliteOptions): Promise<Results[]> {
    return this.#session.exec(sql, options);
  }

  transaction<T>(use: (tx: PgliteTransaction) => Promise<T>): Promise<T> {
    return this.#session.transaction(use);
  }

  async listen(channel: string, listener: (payload: string) => void): Promise<() => Promise<void>> {
    if (!/^[a-z_][a-z0-9_]*$/.test(channel)) throw new Error(`not a plain channel name: ${channel}`);
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    await this.exec(`LISTEN ${channel}`);
    return async () => {
      if (!listeners.delete(listener) || listeners.size > 0 || this.#isClosed) return;
      this.#listeners.delete(channel);
      await this.exec(`UNLISTEN ${channel}`);
    };
  }

  /** The same database under another search path, such as `bullmq`. Don't set it by statement, other than by SET LOCAL. */
  withSearchPath(searchPath: string): PgliteSession {
    const alone = <T>(use: (engine: Engine) => Promise<T>) => this.#alone(searchPath, use);
    return {
      query: (sql, params, options) => alone((engine) => this.#run(engine, query(sql, params, options), options)),
      exec: (sql, options) => alone((engine) => this.#run(engine, exec(sql, options), options)),
      transaction: (use) => alone((engine) => this.#transact(engine, use)),
      listen: (channel, listener) => this.listen(channel, listener),
    };
  }

  /** Waits for what was issued before, then closes with a checkpoint. Later statements reject. */
  close(): Promise<void> {
    return this.#connection.runExclusive(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      try {
        if (this.#engine.death === undefined) await this.#engine.pg.close();
      } finally {
        this.#onClosed();
      }
    });
  }

  #engineOf(pg: PGlite): Engine {
    pg.onNotification((channel, payload) => {
      for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
    });
    return { pg, defaultParsers: pg.parsers, searchPath: DEFAULT_SEARCH_PATH };
  }

  /** Holds the connection while `use` runs, under `searchPath`. */
  #alone<T>(searchPath: string, use: (engine: Engine) => Promise<T>): Promise<T> {
    return this.#connection.runExclusive(async () => {
      if (this.#isClosed) throw new Error('the database is closed');
      const engine = await this.#living();
      if (engine.searchPath !== searchPath) {
        await this.#run(engine, exec(`SET search_path TO ${searchPath}`));
        engine.searchPath = searchPath;
      }
      return use(engine);
    });
  }

  async #living(): Promise<Engine> {
    const { pg, death } = this.#engine;
    if (death === undefined) return this.#engine;
    if (performance.now() < this.#restart.notBefore) throw this.#restart.error;
    try {
      await discard(pg);
      const engine = this.#engineOf(await this.#open());
      for (const channel of this.#listeners.keys()) await this.#run(engine, exec(`LISTEN ${channel}`));
      this.#engine = engine;
      return engine;
    } catch (cause) {
      const message = `the database stopped (${death.message}) and could not be opened again`;
      const error = Object.assign(new Error(message, { cause }), 'code' in death ? { code: death.code } : {});
      this.#restart = { error, notBefore: performance.now() + RESTART_EVERY_MS };
      throw error;
    }
  }

  async #run<T>(engine: Engine, statement: Statement<T>, options?: PgliteOptions): Promise<T> {
    if (engine.death !== undefined) throw engine.death;
    await this.#breathe();
    // Given as an option, PGlite would copy its table of 500 parsers on every query, which takes longer than the query.
    engine.pg.parsers = Object.assign(Object.create(engine.defaultParsers), options?.parsers);
    try {
      return await statement(engine.pg);
    } catch (error) {
      if (isFatal(error)) engine.death = error;
      throw error;
    }
  }

  /** Not by PGlite's own transaction(), which would send a ROLLBACK to a dead engine (S4). */
  async #transact<T>(engine: Engine, use: (tx: PgliteTransaction) => Promise<T>): Promise<T> {
    const turns = new Mutex(); // parsers are set on the engine, so even statements of one transaction take turns
    let isOpen = true;
    const run = <R>(statement: Statement<R>, options?: PgliteOptions): Promise<R> =>
      turns.runExclusive(() => {
        if (!isOpen) throw new Error('the transaction is closed');
        return this.#run(engine, statement, options);
      });
    const end = (statement: 'COMMIT' | 'ROLLBACK'): Promise<Results[]> => {
      const ended = run(exec(statement));
      return ended.finally(() => {
        isOpen = false;
      });
    };
    await run(exec('BEGIN'));
    try {
      const value = await use({
        query: (sql, params, options) => run(query(sql, params, options), options),
        exec: (sql, options) => run(exec(sql, options), options),
        rollback: async () => void (await end('ROLLBACK')),
      });
      if (!isOpen) return value;
      const [commit] = await end('COMMIT');
      // PostgreSQL answers COMMIT of a failed transaction by a rollback, without an error.
      if (commit?.command !== 'ROLLBACK') return value;
    } catch (error) {
      if (isOpen) await end('ROLLBACK');
      throw error;
    }
    throw Object.assign(new Error('the transaction had failed, so COMMIT rolled it back'), { code: '25P02' });
  }
}

const query =
  <Row>(sql: string, params: readonly unknown[] = [], options: PgliteOptions = {}): Statement<Results<Row>> =>
  (pg) =>
    queryOnce<Row>(pg, sql, params, rowMode(options));

const exec =
  (sql: string, options: PgliteOptions = {}): Statement<Results[]> =>
  (pg) =>
    pg.exec(sql, rowMode(options));

const rowMode = ({ rowMode }: PgliteOptions): QueryOptions => (rowMode === undefined ? {} : { rowMode });

/** Gives back what an engine that died or never came up still holds, without a word to PostgreSQL. */
export async function discard(pg: PGlite): Promise<void> {
  try {
    await pg.fs?.closeFs();
    // Its timers would go on, call into it, and keep this process alive. Always throws, having stopped it.
    pg.Module._emscripten_force_exit(0);
  } catch {
    // What can't be given back costs a few descriptors and is no reason to stay down.
  }
}

/** Lets timers and sockets run when they have waited for BREATHE_AFTER_MS. */
function breather(): () => Promise<void> | undefined {
  let lastTurn = performance.now();
  let turn: Promise<void> | undefined;
  return () => {
    if (performance.now() - lastTurn < BREATHE_AFTER_MS) return undefined;
    turn ??= new Promise((resolve) => {
      setImmediate(() => {
        lastTurn = performance.now();
        turn = undefined;
        resolve();
      });
    });
    return turn;
  };
}

function isFatal(error: unknown): error is Error {
  const severity = error instanceof Error && 'severity' in error ? error.severity : undefined;
  return severity === 'PANIC' || severity === 'FATAL';
}
