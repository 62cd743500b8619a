import { randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Address, describeAddress } from './address.ts';
import { DatabaseError, reasonOf } from './error.ts';
import { createGate, type Gate } from './gate.ts';

/** Advisory lock of the one gateway of a database: (class, object). */
const lockClass = 0x6272_6f6b;
const lockObject = 1;
const pulseMs = 1_000;
/** No answer for this long counts as a dead connection. */
const patienceMs = 4_000;
/** A gateway that is just stopping gets this long to let go. */
const graceMs = 1_500;
/** Between two looks at a former connection of ours that is being ended. */
const ghostPauseMs = 20;
/** How long a server that is starting up or recovering is waited for. */
const startUpMs = 30_000;

/** So that a server that has not noticed our death notices, and lets the next one in. */
const keepAlives = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/** SQL: who holds the gateway lock of this database. */
const holderQuery = `select l.pid, a.application_name from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = ${lockClass} and l.objid = ${lockObject} and l.granted
  and l.database = (select oid from pg_database where datname = current_database())`;

export interface GatewayLock {
  /** Lets the lock go, for good. */
  release(): Promise<void>;
}

interface LockOptions {
  address: Address;
  /** Opened while the lock is held, shut while it is not. */
  gate: Gate;
  log: Log;
  /** The database was lost and is ours again. */
  onBack(): void;
  /** Another gateway has the lock: this one must stop. */
  onLost(reason: string): void;
}

interface Holder {
  pid: number;
  application_name: string | null;
}

interface Session {
  /** Resolves with the reason when the connection, and with it the lock, is gone. */
  ended: Promise<string>;
  end(): Promise<void>;
}

/**
 * Takes the lock that makes this the one gateway of its database and holds it until released, over restarts of the server.
 * Throws DatabaseError when another gateway has it or the database cannot be reached.
 */
export async function holdGatewayLock({ address, gate, log, onBack, onLost }: LockOptions): Promise<GatewayLock> {
  const stop = new AbortController();
  const name = `broker-gateway ${randomUUID()}`;
  let session = await firstSession(address, name);
  gate.open();

  async function keep(): Promise<void> {
    while (!stop.signal.aborted) {
      const reason = await session.ended;
      gate.shut();
      if (stop.signal.aborted) return;
      log.error({ reason }, 'Lost the database; nothing is written until it is back');
      const next = await nextSession(address, name, stop.signal);
      if (next === 'stopped') return;
      if (next === 'taken') return onLost('Another gateway took over the database while the connection to it was lost');
      session = next;
      gate.open();
      log.info('The database is back');
      onBack();
    }
  }
  const kept = keep();
  return {
    release: async () => {
      stop.abort();
      gate.shut();
      await session.end();
      await kept;
    },
  };
}

/** Whether some gateway holds the lock of the database at `address`. Throws when the database does not answer. */
export async function isGatewayLockHeld(address: Address): Promise<boolean> {
  const gate = createGate(address);
  gate.open();
  const sql = postgres({ ...gate.options, max: 1, connect_timeout: 2 });
  try {
    return (await within(patienceMs, sql.unsafe(holderQuery))).length > 0;
  } finally {
    await sql.end({ timeout: 0 });
    gate.shut();
  }
}

async function firstSession(address: Address, name: string): Promise<Session> {
  const began = systemClock.mono();
  for (;;) {
    const waited = systemClock.mono() - began;
    try {
      const session = await takeLock(address, name);
      if (session) return session;
      if (waited > graceMs)
        throw new DatabaseError(
          `Another gateway is running on this database (${describeAddress(address)}); stop it first or use another database`,
        );
    } catch (error) {
      if (error instanceof DatabaseError) throw error;
      const startingUp = error instanceof postgres.PostgresError && error.code === '57P03';
      if (!startingUp || waited > startUpMs)
        throw new DatabaseError(`The database at ${describeAddress(address)} cannot be used: ${reasonOf(error)}`);
    }
    await systemClock.sleep(100);
  }
}

/** Tries until the lock is ours again, or another gateway's. */
async function nextSession(address: Address, name: string, signal: AbortSignal): Promise<Session | 'taken' | 'stopped'> {
  for (let pauseMs = 20; !signal.aborted; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    try {
      const session = await takeLock(address, name);
      if (!session) return 'taken';
      if (!signal.aborted) return session;
      await session.end();
    } catch {
      await systemClock.sleep(pauseMs, signal);
    }
  }
  return 'stopped';
}

/** One connection with the lock, or null when another gateway has it. The connection is never reopened behind our back. */
async function takeLock(address: Address, name: string): Promise<Session | null> {
  const gate = createGate(address, { application_name: name, ...keepAlives });
  gate.open();
  const closed = Promise.withResolvers<string>();
  const sql = postgres({
    ...gate.options,
    max: 1,
    max_lifetime: null,
    idle_timeout: undefined,
    onclose: () => {
      gate.shut();
      closed.resolve('the connection was closed');
    },
  });
  async function end(): Promise<void> {
    await sql.end({ timeout: 0 });
    gate.shut();
    closed.resolve('released');
  }
  try {
    if (!(await within(patienceMs, tryLock(sql, name)))) {
      await end();
      return null;
    }
  } catch (error) {
    await end();
    throw error;
  }
  void pulse(sql, closed.promise, end);
  return { ended: closed.promise, end };
}

/**
 * False when another gateway holds the lock. After a cut line the server may still see our former connection, holding it: only
 * that one is ended, and waited for, because the server ends it in its own time.
 */
async function tryLock(sql: postgres.Sql, name: string): Promise<boolean> {
  for (;;) {
    const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${lockClass}::int, ${lockObject}::int) as taken`;
    if (row?.taken) return true;
    const holders = await sql.unsafe<Holder[]>(holderQuery);
    // Whoever has no name any more is just going.
    if (holders.some(({ application_name: holder }) => holder !== null && holder !== name)) return false;
    for (const { pid, application_name: holder } of holders) if (holder === name) await sql`select pg_terminate_backend(${pid}::int)`;
    await systemClock.sleep(ghostPauseMs);
  }
}

async function pulse(sql: postgres.Sql, closed: Promise<string>, end: () => Promise<void>): Promise<void> {
  const stop = new AbortController();
  void closed.then(() => stop.abort());
  while (!stop.signal.aborted) {
    await systemClock.sleep(pulseMs, stop.signal);
    try {
      if (!stop.signal.aborted) await within(patienceMs, sql`select 1`);
    } catch {
      await end();
    }
  }
}

async function within<T>(limitMs: number, work: PromiseLike<T>): Promise<T> {
  const stop = new AbortController();
  const late = systemClock.sleep(limitMs, stop.signal).then(() => {
    throw new Error('the database does not answer');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    stop.abort();
  }
}
