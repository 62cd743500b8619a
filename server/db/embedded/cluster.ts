import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../clock.ts';
import { prepareDataDir } from '../../config/data-dir.ts';
import type { Log } from '../../log.ts';
import type { Address } from '../address.ts';
import { DatabaseError, reasonOf } from '../error.ts';
import { isGatewayLockHeld } from '../lock-session.ts';
import { clusterDirectory, type Place, preparePlace, socketDirectory } from './place.ts';
import { findPostmaster, socketAddress } from './postmaster.ts';
import { runPostgres, type Server } from './process.ts';

/** A PostgreSQL of our own. */
export interface Cluster {
  address: Address;
  /** Ends it at once, frozen processes too, because it hangs; it is started again then. Nothing where it is just being started, or is another process's. */
  kill(): void;
  /** Stops it, unless it belongs to another process. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  dataDir: string;
  /** Directory name of the cluster below dataDir. */
  name: string;
  log: Log;
  /** Server settings beside our own. */
  settings?: Readonly<Record<string, string>>;
}

const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // What PostgreSQL does not keep itself comes from the operating system's cache; nothing is replicated.
  shared_buffers: '8MB',
  // Else 256 kB, with buffers so small: what an instrument file writes would fill them, and commits wait while they are emptied.
  wal_buffers: '1MB',
  // The less is written, the seldomer an order waits until the next piece of WAL is made ready.
  wal_compression: 'on',
  // As they are by themselves where the pieces of WAL are 16 MB; ours are smaller: place.ts.
  min_wal_size: '80MB',
  max_wal_size: '1GB',
  max_logical_replication_workers: '0',
  max_connections: '64',
  jit: 'off',
  lc_messages: 'C',
  log_line_prefix: '',
  log_min_messages: 'log',
  // Statements carry orders and tokens; they stay out of logs.
  log_min_error_statement: 'panic',
};

/** How long a server that is already there may take to stop, or its gateway to let go, before it counts as orphan or as in use. */
const graceMs = 1_000;
const clearTimeoutMs = 15_000;
const steadyMs = 10_000;
const longestPauseMs = 5_000;

/**
 * Starts the cluster, making it the first time, and keeps it running until stopped: when PostgreSQL dies it is started again, with
 * growing pauses. Throws DatabaseError when it cannot start or another gateway uses it.
 */
export async function startCluster({ dataDir, name, log, settings: extra = {} }: ClusterOptions): Promise<Cluster> {
  refusePlatform();
  prepareDataDir(dataDir);
  const place = await preparePlace(realpathSync(dataDir), name);
  const directory = socketDirectory(place);
  const wanted = Object.entries({ ...settings, unix_socket_directories: directory, ...extra });
  const command = [
    join(place.programs.bin, 'postgres'),
    '-D',
    place.cluster,
    ...wanted.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  ];
  const start = () => startAlone(command, place, log);
  let server = await start();
  const stopping = new AbortController();
  const kept = keepRunning();

  async function keepRunning(): Promise<void> {
    let pauseMs = 50;
    while (!stopping.signal.aborted) {
      const began = systemClock.mono();
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      log.error({ reason }, 'PostgreSQL ended by itself; starting it again');
      if (systemClock.mono() - began > steadyMs) pauseMs = 50;
      const next = await restart();
      if (!next) return;
      server = next;
    }
    async function restart(): Promise<Server | null> {
      while (!stopping.signal.aborted) {
        await systemClock.sleep(pauseMs, stopping.signal);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
        if (stopping.signal.aborted) break;
        try {
          return await start();
        } catch (error) {
          log.error({ reason: reasonOf(error), pauseMs }, 'PostgreSQL could not be started again');
        }
      }
      return null;
    }
  }
  return {
    address: socketAddress(directory),
    kill: () => server.kill(),
    stop: async () => {
      stopping.abort();
      await server.stop();
      await kept;
      await server.stop();
      if (directory !== place.cluster) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The cluster as another process runs it; null when none does. Stopping it is that process's business. */
export async function findRunningCluster({ dataDir, name }: ClusterOptions): Promise<Cluster | null> {
  const found = existsSync(dataDir) ? findPostmaster(clusterDirectory(realpathSync(dataDir), name)) : null;
  if (found?.state !== 'running') return null;
  try {
    await isGatewayLockHeld(found.address);
  } catch {
    return null;
  }
  return { address: found.address, kill: () => undefined, stop: async () => undefined };
}

/** Whether a cluster was made, running or not. */
export function hasCluster({ dataDir, name }: Pick<ClusterOptions, 'dataDir' | 'name'>): boolean {
  return existsSync(dataDir) && existsSync(join(clusterDirectory(realpathSync(dataDir), name), 'PG_VERSION'));
}

function refusePlatform(): void {
  if (process.platform === 'win32')
    throw new DatabaseError(
      'The built-in database runs on Linux and macOS: set DATABASE_URL to a PostgreSQL (postgres://user:password@host:5432/database)',
    );
}

async function startAlone(command: readonly string[], place: Place, log: Log): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const deadPid = await clearTheWay(place.cluster, log);
    takeOwnership(place);
    try {
      return await runPostgres(command, place.runner, deadPid, log);
    } catch (error) {
      // Another start took the directory a moment earlier, or a dead server's last backends are still ending.
      if (attempt > 20 || !/postmaster\.pid" already exists|pre-existing shared memory/.test(reasonOf(error))) throw error;
      await systemClock.sleep(100);
    }
  }
}

/**
 * Waits until no server runs on the directory: one that is stopping ends by itself, an orphan is stopped, one with a gateway is refused.
 * Resolves with the process number of a dead server that left its mark.
 */
async function clearTheWay(cluster: string, log: Log): Promise<number | null> {
  const began = systemClock.mono();
  for (let told = false; ; ) {
    const found = findPostmaster(cluster);
    if (found?.state !== 'running') return found?.pid ?? null;
    const waited = systemClock.mono() - began;
    const held = await isGatewayLockHeld(found.address).catch(() => null);
    if (held && waited > graceMs)
      throw new DatabaseError(`Another gateway is running on ${cluster}; stop it first or set another DATA_DIR`);
    if (held === false && waited > graceMs && !told) {
      log.warn({ pid: found.pid }, 'Stopping a PostgreSQL that an earlier gateway left behind');
      process.kill(found.pid, 'SIGINT');
      told = true;
    }
    if (waited > clearTimeoutMs)
      throw new DatabaseError(
        `PostgreSQL (process ${found.pid}) holds ${cluster} and neither answers nor ends; stop it: kill -QUIT ${found.pid}`,
      );
    await systemClock.sleep(20);
  }
}

/** A cluster that another user made, as before the gateway was run as root or in a namespace. */
function takeOwnership({ cluster, runner }: Place): void {
  if (!runner.owner || statSync(cluster).uid === runner.owner.uid) return;
  execFileSync('chown', ['-R', `${runner.owner.uid}:${runner.owner.gid}`, cluster]);
}
