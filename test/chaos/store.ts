import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { systemClock } from '../../server/clock.ts';
import type { Address } from '../../server/db/address.ts';
import { type Cluster, findRunningCluster, startCluster } from '../../server/db/embedded/cluster.ts';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { createGate } from '../../server/db/gate.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { silentLog } from '../../server/log.ts';

const NAME = 'postgres-chaos';
const MOST_TRIES = 150;
const TRY_EVERY_MS = 200;
const TEMPLATE = 'chaos_template';
const RECORDS = 'select key, state, tag from idempotency_records';

/** What the judge reads of an attempt in the journal. */
export interface KeyRecord {
  key: string;
  state: string;
  tag: string;
}

/** A PostgreSQL that belongs to the harness, for gateways with DATABASE_URL: so that it can die alone. */
export interface Store {
  version: string;
  /** A new database with today's tables; its DATABASE_URL. */
  create(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  /** Where it listens. */
  socket: string;
  query<Row extends object>(name: string, statement: string): Promise<Row[]>;
  records(name: string): Promise<KeyRecord[]>;
  /** kill -9 of the postmaster, or SIGQUIT for an immediate stop; its backends die with it, and it stays away until `revive`. */
  kill(signal?: 'SIGKILL' | 'SIGQUIT'): void;
  /** The server and everything below it stand still (SIGSTOP) until what is returned is called. */
  freeze(): () => void;
  /** Starts it again after `kill`; resolves when it takes connections. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL of its own below `dataDir`, with the settings of the embedded one. */
export async function startStore(dataDir: string): Promise<Store> {
  const start = () => startCluster({ dataDir, name: NAME, log: silentLog() });
  let cluster: Cluster = await start();
  let stopped = Promise.resolve();
  const { address } = cluster;
  /** While one history is judged the next one may kill the server. */
  async function run<Row extends object>(database: string, statement: string): Promise<Row[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await query<Row>({ ...address, database }, statement);
      } catch (error) {
        // Class 57: it is starting, or being stopped.
        const refused = error instanceof postgres.PostgresError && !error.code.startsWith('57');
        if (tries === MOST_TRIES || refused) throw error;
        await systemClock.sleep(TRY_EVERY_MS);
      }
    }
  }

  await run('postgres', `create database ${TEMPLATE}`);
  const gate = createGate({ ...address, database: TEMPLATE });
  gate.open();
  await migrateDatabase(gate.options);
  const [version] = await run<{ server_version: string }>('postgres', 'show server_version');
  const postmaster = () => Number(readFileSync(join(dataDir, NAME, 'postmaster.pid'), 'utf8').split('\n')[0]);

  return {
    version: version?.server_version ?? 'unknown',
    async create(name) {
      await run('postgres', `create database ${name} template ${TEMPLATE}`);
      const { user, port, host } = address;
      return `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
    },
    drop: async (name) => {
      await run('postgres', `drop database if exists ${name} with (force)`);
    },
    socket: address.path ?? '',
    query: run,
    records: (name) => run<KeyRecord>(name, RECORDS),
    freeze() {
      const pids = [postmaster(), ...descendants(postmaster())];
      signalAll(pids, 'SIGSTOP');
      return () => signalAll(pids, 'SIGCONT');
    },
    kill(signal = 'SIGKILL') {
      process.kill(postmaster(), signal);
      // Ends the cluster's own watch, which would start it again.
      stopped = cluster.stop();
    },
    async revive() {
      await stopped;
      cluster = await start();
    },
    stop: () => cluster.stop(),
  };
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // A backend that has ended.
    }
  }
}

/** The gateway starts its database again by itself: until then it is waited for. */
const BACK_WITHIN_MS = 30_000;

/** The journal of a running gateway that keeps its database in `dataDir`. */
export async function embeddedRecords(dataDir: string): Promise<KeyRecord[]> {
  for (const until = Date.now() + BACK_WITHIN_MS; ; ) {
    try {
      return await embeddedQuery<KeyRecord>(dataDir, RECORDS);
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

/** One statement in the database of a running gateway that keeps it in `dataDir`. */
export async function embeddedQuery<Row extends object>(dataDir: string, statement: string): Promise<Row[]> {
  const cluster = await findRunningCluster({ dataDir, name: 'postgres-practice', log: silentLog() });
  if (!cluster) throw new Error('the embedded database does not run');
  return await query<Row>(cluster.address, statement);
}

async function query<Row extends object>(address: Address, statement: string): Promise<Row[]> {
  const gate = createGate(address);
  gate.open();
  const sql = postgres({ ...gate.options, max: 1 });
  try {
    return [...(await sql.unsafe<Row[]>(statement))];
  } finally {
    await sql.end({ timeout: 1 });
  }
}
