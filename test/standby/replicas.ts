import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { systemClock } from '../../server/clock.ts';
import { type Cluster, startCluster } from '../../server/db/embedded/cluster.ts';
import { descendants } from '../../server/db/embedded/descendants.ts';
import { createGate } from '../../server/db/gate.ts';
import { silentLog } from '../../server/log.ts';
import type { PairDatabase } from './database.ts';

const NAME = 'pg';
const REPLICA = 'twin';
/** Between the loss of the primary and the promotion. */
const NOTICED_MS = [100, 1200] as const;
/** A former primary that stood still runs on for so long after the promotion. */
const GHOST_MS = 3000;
const REPLICATES_MS = 30_000;

/** One server of the two. */
class Server {
  readonly dataDir: string;
  #cluster: Cluster | null = null;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  get socket(): string {
    return this.#cluster?.address.host ?? '';
  }

  async start(): Promise<void> {
    this.#cluster = await startCluster({
      dataDir: this.dataDir,
      name: NAME,
      log: silentLog(),
      settings: { wal_keep_size: '256MB', max_wal_senders: '5' },
    });
  }

  /** What one session answers to each statement; `between` runs after the first. */
  async query<Row extends object>(statement: string): Promise<Row[]> {
    return await this.session((ask) => ask<Row>(statement));
  }

  async session<Result>(work: (ask: <Row extends object>(statement: string) => Promise<Row[]>) => Promise<Result>): Promise<Result> {
    if (!this.#cluster) throw new Error('the server does not run');
    const gate = createGate(this.#cluster.address);
    gate.open();
    const sql = postgres({ ...gate.options, max: 1 });
    try {
      return await work(async <Row extends object>(statement: string) => [...(await sql.unsafe<Row[]>(statement))]);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  signal(name: NodeJS.Signals): void {
    const postmaster = Number(readFileSync(join(this.dataDir, NAME, 'postmaster.pid'), 'utf8').split('\n')[0]);
    for (const pid of [postmaster, ...descendants(postmaster)])
      try {
        process.kill(pid, name);
      } catch {
        // A backend that has ended.
      }
  }

  /** kill -9; it stays away. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.stop();
  }

  async stop(): Promise<void> {
    await this.#cluster?.stop();
    this.#cluster = null;
  }

  /** Begins anew as a replica of another: a copy of its files, made while it runs, and the stream from there on. */
  async follow(primary: Server): Promise<void> {
    const directory = join(this.dataDir, NAME);
    rmSync(directory, { recursive: true, force: true });
    execFileSync('mkdir', ['-p', this.dataDir]);
    const label = await primary.session(async (ask) => {
      await ask("select pg_backup_start('copy', true)");
      // Files that vanish meanwhile are no harm: the log has them.
      execFileSync('sh', ['-c', 'cp -a "$1" "$2" 2>/dev/null || true', 'copy', join(primary.dataDir, NAME), directory]);
      const [row] = await ask<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
      return row?.labelfile ?? '';
    });
    for (const file of ['postmaster.pid', 'postmaster.opts', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
      rmSync(join(directory, file), { force: true });
    writeFileSync(join(directory, 'backup_label'), label);
    writeFileSync(join(directory, 'standby.signal'), '');
    appendFileSync(
      join(directory, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${primary.socket} user=gateway application_name=${REPLICA}'\nsynchronous_standby_names = ''\n`,
    );
    await this.start();
    await primary.query(`alter system set synchronous_standby_names = '${REPLICA}'`);
    await primary.query('select pg_reload_conf()');
    for (const until = systemClock.mono() + REPLICATES_MS; systemClock.mono() < until; await systemClock.sleep(50)) {
      const [row] = await primary.query<{ state: string }>('select sync_state as state from pg_stat_replication');
      if (row?.state === 'sync') return;
    }
    throw new Error('the replica does not become synchronous');
  }
}

/** Two servers on sockets of this machine: a primary and its synchronous replica, both named in each gateway's DATABASE_URL. */
export async function replicatedDatabase(dataDir: string): Promise<PairDatabase> {
  let [primary, replica] = [new Server(join(dataDir, 's1')), new Server(join(dataDir, 's2'))];
  await primary.start();
  await replica.follow(primary);
  const hosts = [primary, replica].map(({ socket }) => encodeURIComponent(socket)).join(',');
  const url = `postgres://gateway@localhost/postgres?host=${hosts}&target_session_attrs=read-write`;
  const nothing = { port: 0, cut: () => undefined, heal: () => undefined, close: () => undefined };

  async function failOver(draw: () => number): Promise<void> {
    const [lost, next] = [primary, replica];
    const stands = draw() < 0.5;
    if (stands) lost.signal('SIGSTOP');
    else await lost.kill();
    const [least, most] = NOTICED_MS;
    await systemClock.sleep(least + draw() * (most - least));
    await next.query('select pg_promote(true)');
    [primary, replica] = [next, lost];
    if (stands) {
      // Wakes, and does not know that it is no primary any more.
      await systemClock.sleep(draw() * GHOST_MS);
      lost.signal('SIGCONT');
      await systemClock.sleep(GHOST_MS);
      await lost.kill();
    }
    await lost.follow(next);
  }

  return {
    ways: [nothing, nothing].map((line) => ({ url, line })),
    query: (statement) => primary.query(statement),
    failOver: (draw) => ({ over: failOver(draw) }),
    close: async () => void (await Promise.all([primary.stop(), replica.stop()])),
  };
}
