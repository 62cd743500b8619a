import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import postgres from 'postgres';
import { Bell, systemClock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Address, readAddress } from './address.ts';
import { type Cluster, findRunningCluster, hasCluster, startCluster } from './embedded/cluster.ts';
import { DatabaseError } from './error.ts';
import { createGate, type Gate } from './gate.ts';
import { type Handle, handleOn } from './handle.ts';
import { lanesOf } from './lanes.ts';
import { Lease } from './lease.ts';
import { holdGatewayLock } from './lock.ts';
import { migrateDatabase } from './migrate.ts';
import { primaryOf } from './primary.ts';
import type { Reachable } from './reachable.ts';
import type { Ask } from './statement.ts';
import { Unanswered } from './unanswered.ts';

export { DatabaseError };

export interface OpenOptions {
  mode: 'practice' | 'live';
  /** Home of the embedded database; absolute. */
  dataDir: string;
  databaseUrl?: string | undefined;
  log: Log;
  /** Called once when another gateway took the database over: this one must stop. */
  onLost?: (reason: string) => void;
  /** This gateway is one of several: it leads by time, and waits while another one leads. Hears who that is, null where nobody is known. */
  onWaiting?: ((leader: string | null) => void) | undefined;
  /** What the others call this gateway. */
  name?: string;
  /** For command line tools: work beside a running gateway, without being the one gateway of the database. */
  beside?: boolean;
}

export interface Database {
  /** numeric, date and timestamptz come as text (`2026-11-21 01:39:00.123456+00`), bigint as a number while that is exact. Array parameters are not known. */
  db: Handle;
  /** What every order runs, on connections of its own: no other read stands in front of it. */
  orders: Ask;
  /** What reports read, on connections of their own, closed while nobody asks: whatever they take, no order waits for it. */
  reports: Handle;
  /** Rings when somebody beside the gateway wrote something for it, or may have (knock.ts). */
  knocked: Bell;
  /** Options for further clients; they fail at once while the gateway does not hold the database. */
  connection: postgres.Options<Record<string, never>>;
  where: 'server' | 'embedded';
  /** How it stands now. */
  state(): DatabaseState;
  /** The right to send; of a tool beside a gateway it is never taken. */
  lease: Lease;
  /** Where a worker of ours finds it. */
  reachable: Reachable;
  close(): Promise<void>;
}

export interface DatabaseState {
  /** It is held and statements are let through. */
  up: boolean;
  /** How often it was lost since the start. */
  losses: number;
  /** Statements without an answer, and how long the oldest has waited, ms. */
  waiting: number;
  oldestMs: number;
}

/** Each that is used costs PostgreSQL some 8 MB, most of it for the plans of its statements. */
export const sqlConnections = 3;
/** One is enough for hundreds of orders a second; the others are opened when it is slow. */
const orderConnections = 3;
const reportConnections = 3;
/** Whoever looks every few seconds keeps them open. */
const reportIdleS = 60;
const reportTimeoutMs = 4_000;
const closeTimeoutS = 1;

/** Parsers of the raw client. */
export const types = {
  int8: { to: 20, from: [20], serialize: (value: unknown) => String(value), parse: exactInteger },
  date: { to: 1184, from: [1082, 1114, 1184], serialize: timeText, parse: (text: string) => text },
};

function exactInteger(text: string): number | string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : text;
}

function timeText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/**
 * Opens the database of one gateway: DATABASE_URL, else an embedded PostgreSQL of its own under `dataDir`, one for each mode.
 * Migrates it, and holds it alone until closed. Throws DatabaseError when that is not possible; the message says what to do.
 */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  if (options.databaseUrl !== undefined) return openAt(readAddress(options.databaseUrl), options, null);
  const place = { dataDir: options.dataDir, name: `postgres-${options.mode}`, log: options.log };
  const running = options.beside ? await findRunningCluster(place) : null;
  if (running) return openAt(running.address, options, running);
  if (options.beside && !hasCluster(place)) {
    throw new DatabaseError(
      `No gateway of ${options.mode} mode has its database in ${options.dataDir}. Start the gateway first, or give the settings it runs with (GATEWAY_MODE, and DATA_DIR or DATABASE_URL) in the environment or a .env here. Nothing was made`,
    );
  }
  const cluster = await startCluster(place);
  try {
    // Whoever starts the server is alone with it, or a gateway would take it for one left behind.
    return await openAt(cluster.address, { ...options, beside: false }, cluster);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

async function openAt(address: Address, options: OpenOptions, cluster: Cluster | null): Promise<Database> {
  const { mode, log, onLost = () => undefined, onWaiting, beside = false } = options;
  const session = beside ? 'broker-gateway-tool' : `broker-gateway ${randomUUID()}`;
  const lease = new Lease({ byTime: onWaiting !== undefined, holder: options.name ?? hostname(), session });
  const primary = primaryOf(address);
  const gate = createGate(address, { application_name: session });
  const unanswered = new Unanswered();
  const knocked = new Bell();
  const onKnock = () => knocked.ring();
  const { sql, lanes, reports, onBack } = clientsOf(gate);
  function onHung(): void {
    log.error('The database answers nothing; a PostgreSQL of our own is ended now and started again');
    cluster?.kill();
  }
  const lock = beside
    ? gate.open(await primary())
    : await holdGatewayLock({ address, primary, lease, unanswered, gate, log, onWaiting, onKnock, onHung, onBack, onLost });
  try {
    // A command makes no database: only the gateway does.
    await migrateDatabase(gate.options, mode, !beside);
    await lock?.lead();
  } catch (error) {
    await lock?.release();
    throw error;
  }
  async function close(): Promise<void> {
    await Promise.all([sql, reports, ...lanes].map((one) => one.end({ timeout: closeTimeoutS })));
    await lock?.release();
    gate.shut();
    await cluster?.stop();
  }
  let closed: Promise<void> | undefined;
  return {
    db: handleOn(sql, unanswered),
    orders: lanesOf(lanes, systemClock, unanswered),
    // Counted by itself: a report that hangs is no reason to end the server.
    reports: handleOn(reports),
    knocked,
    connection: gate.options,
    lease,
    where: cluster ? 'embedded' : 'server',
    state() {
      const { isOpen, shut } = gate.state();
      return { up: isOpen, losses: shut, ...unanswered.state() };
    },
    reachable: options.databaseUrl ?? address,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** The clients of a gateway, all through one gate. */
function clientsOf({ options }: Gate) {
  const sql: postgres.Sql = postgres({ ...options, max: sqlConnections, types });
  // Not renewed after a while, as postgres.js would: the next order would wait for it.
  const lanes = Array.from({ length: orderConnections }, () => postgres({ ...options, max: 1, max_lifetime: null, types }));
  const reading = { ...options.connection, plan_cache_mode: 'auto', statement_timeout: reportTimeoutMs };
  const reports: postgres.Sql = postgres({
    ...options,
    connection: { ...reading, default_transaction_read_only: true },
    max: reportConnections,
    idle_timeout: reportIdleS,
    types,
  });
  function onBack(): void {
    void touchAll(sql, sqlConnections);
    for (const lane of lanes) void touchAll(lane, 1);
    void touchAll(reports, reportConnections);
  }
  return { sql, lanes, reports, onBack };
}

/**
 * A query for every connection. Where an error of the server ended a connection in the middle of a query, postgres.js answers the
 * first query of the next one with that error again; these take it upon them.
 */
async function touchAll(sql: postgres.Sql, connections: number): Promise<void> {
  await Promise.allSettled(Array.from({ length: connections }, () => sql`select 1`));
}
