import postgres from 'postgres';
import { systemClock } from '../clock.ts';
import type { Address } from './address.ts';
import { createGate } from './gate.ts';
import { KNOCK } from './knock.ts';
import { BEAT_MS, type Lease } from './lease.ts';
import type { FindPrimary } from './primary.ts';
import type { Unanswered } from './unanswered.ts';

/** Advisory lock of the one gateway of a database: (class, object). */
const lockClass = 0x6272_6f6b;
const lockObject = 1;
const pulseMs = 1_000;
/** No answer for this long counts as a dead connection; sooner where another server may have been promoted in its place. */
const patienceMs = 4_000;
const patienceWithOthersMs = 1_500;
/** A server that answers nothing for so long hangs: the limits of every statement and connection were over long before. */
export const HUNG_MS = 20_000;
/** A stop waits no longer for it. */
const givingMs = 500;
/** Between two looks at a former connection of ours that is being ended. */
const ghostPauseMs = 20;

/** So that a server that has not noticed our death notices, and lets the next one in. */
const keepAlives = { tcp_keepalives_idle: 10, tcp_keepalives_interval: 5, tcp_keepalives_count: 3 };

/** SQL: who holds the gateway lock of this database. */
export const holderQuery = `select l.pid, a.application_name from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.classid = ${lockClass} and l.objid = ${lockObject} and l.granted
  and l.database = (select oid from pg_database where datname = current_database())`;

interface Holder {
  pid: number;
  application_name: string | null;
}

/** Who takes the lock of which database. */
export interface Claim {
  address: Address;
  /** Finds the server to lead on, where the address names several. */
  primary: FindPrimary;
  /** Its name is ours alone: former connections of ours are known by it. */
  lease: Lease;
  /** What waits on the gateway's other connections. */
  unanswered: Unanswered;
  /** Somebody beside the gateway wrote something for it (knock.ts), or may have while nobody listened. */
  onKnock(): void;
}

/** Why a connection, and with it the lock, is gone, and how long the server had answered nothing by then. */
interface Loss {
  reason: string;
  silentMs: number;
}

export interface LockSession {
  /** The server that has the lock. */
  address: Address;
  /** The connection that has the lock; the lease is taken and renewed on it. */
  sql: postgres.Sql;
  ended: Promise<Loss>;
  end(): Promise<void>;
  /** Ends it after the lease was given back, so that the next gateway need not wait. */
  giveBack(): Promise<void>;
}

/** How long a server of this database may take for an answer. */
export function patienceFor({ others = [] }: Address): number {
  return others.length > 0 ? patienceWithOthersMs : patienceMs;
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

/** One connection with the lock, or null when another gateway has it. The connection is never reopened behind our back. */
export async function takeLock({ address: named, primary, lease, unanswered, onKnock }: Claim): Promise<LockSession | null> {
  const address = await primary();
  const limitMs = patienceFor(named);
  const gate = createGate(address, { application_name: lease.session, ...keepAlives });
  gate.open();
  const closed = Promise.withResolvers<Loss>();
  const over = new AbortController();
  function lose(reason: string, silentMs = 0): void {
    closed.resolve({ reason, silentMs });
    over.abort();
  }
  // `onnotify` is an option of postgres.js that its types leave out; its own way to listen would take a connection more.
  const hearing: object = { onnotify: onKnock };
  const sql = postgres({
    ...gate.options,
    ...hearing,
    max: 1,
    max_lifetime: null,
    idle_timeout: undefined,
    onclose: () => {
      gate.shut();
      lose('the connection was closed');
    },
  });
  async function end(): Promise<void> {
    lose('released');
    await sql.end({ timeout: 0 });
    gate.shut();
  }
  async function giveBack(): Promise<void> {
    if (!over.signal.aborted) await within(givingMs, lease.giveBack(sql)).catch(() => undefined);
    await end();
  }
  try {
    if (!(await within(limitMs, tryLock(sql, lease.session)))) {
      await end();
      return null;
    }
    await within(limitMs, sql`listen ${sql(KNOCK)}`);
  } catch (error) {
    await end();
    throw error;
  }
  void pulse({ sql, lease, unanswered, limitMs, over: over.signal, lose }).then(end);
  onKnock();
  return { address, sql, ended: closed.promise, end, giveBack };
}

interface Pulse extends Pick<Claim, 'lease' | 'unanswered'> {
  sql: postgres.Sql;
  limitMs: number;
  over: AbortSignal;
  lose(reason: string, silentMs?: number): void;
}

/**
 * Renews the lease, and so asks again and again whether the server is there, and whether it answers what others have asked. By pulses, not by the clock:
 * time in which we stood still ourselves is none of the server's. Resolves when the connection is lost or over.
 */
async function pulse({ sql, lease, unanswered, limitMs, over, lose }: Pulse): Promise<void> {
  const everyMs = lease.byTime ? BEAT_MS : pulseMs;
  let [stuck, pulses]: [object | null, number] = [null, 0];
  while (!over.aborted) {
    await systemClock.sleep(everyMs, over);
    if (over.aborted) return;
    const leads = await within(limitMs, lease.epoch === null ? sql`select 1`.then(() => true) : lease.renew(sql)).catch(() => null);
    if (leads === null) lose('the server does not answer', limitMs);
    if (leads === false) lose('another gateway leads');
    const oldest = unanswered.oldest();
    pulses = oldest !== null && oldest === stuck ? pulses + 1 : 0;
    stuck = oldest;
    if (pulses * everyMs >= HUNG_MS) lose('a statement has not been answered for 20 s', HUNG_MS);
  }
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

/** The server is there and serves nobody yet. */
export function isStartingUp(error: unknown): boolean {
  return error instanceof postgres.PostgresError && error.code === '57P03';
}

/** Rejects when `work` takes longer. */
export async function within<T>(limitMs: number, work: PromiseLike<T>): Promise<T> {
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
