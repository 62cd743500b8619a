import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../log.ts';
import { type Address, readAddress } from './address.ts';
import { findRunningCluster, startCluster } from './embedded/cluster.ts';
import { clusterDirectory } from './embedded/place.ts';
import { DatabaseError } from './error.ts';
import { createGate } from './gate.ts';
import { Lease } from './lease.ts';
import { holdGatewayLock } from './lock.ts';
import { primaryOf } from './primary.ts';
import { Unanswered } from './unanswered.ts';

export interface AtRestOptions {
  mode: 'practice' | 'live';
  /** Home of the embedded database; absolute. */
  dataDir: string;
  databaseUrl?: string | undefined;
  log: Log;
}

/** A database as it stands, for a command: nothing is migrated or stamped. */
export interface AtRest {
  address: Address;
  close(): Promise<void>;
}

/** The database to be read: beside a gateway that runs, else started for it alone. Throws DatabaseError where there is none: nothing is made. */
export async function openToRead(options: AtRestOptions): Promise<AtRest> {
  const { mode, dataDir, databaseUrl, log } = options;
  if (databaseUrl !== undefined) return { address: readAddress(databaseUrl), close: async () => undefined };
  const running = await findRunningCluster({ dataDir, name: `postgres-${mode}`, log });
  if (running) return { address: running.address, close: async () => undefined };
  if (!hasCluster(options)) throw new DatabaseError(`There is no database of ${mode} mode in ${dataDir} (DATA_DIR, GATEWAY_MODE)`);
  return await startAlone(options);
}

/** The database to be filled, held alone: no gateway can start on it meanwhile. Made where there is none. Throws DatabaseError where a gateway runs on it. */
export async function openToFill(options: AtRestOptions): Promise<AtRest> {
  if (options.databaseUrl === undefined) return await startAlone(options);
  return await held(readAddress(options.databaseUrl), options, async () => undefined);
}

/** Whether DATA_DIR holds an embedded database of the mode. */
export function hasCluster({ mode, dataDir }: AtRestOptions): boolean {
  return existsSync(dataDir) && existsSync(join(clusterDirectory(realpathSync(dataDir), `postgres-${mode}`), 'PG_VERSION'));
}

/** Whoever starts the server holds the lock, or a gateway would take it for one left behind. */
async function startAlone(options: AtRestOptions): Promise<AtRest> {
  const { mode, dataDir, log } = options;
  const cluster = await startCluster({ dataDir, name: `postgres-${mode}`, log });
  return await held(cluster.address, options, () => cluster.stop());
}

async function held(address: Address, { log }: AtRestOptions, stop: () => Promise<void>): Promise<AtRest> {
  const nothing = () => undefined;
  const session = `broker-gateway ${randomUUID()}`;
  const gate = createGate(address, { application_name: session });
  const lease = new Lease({ byTime: false, holder: hostname(), session });
  try {
    const claim = {
      address,
      primary: primaryOf(address),
      lease,
      unanswered: new Unanswered(),
      gate,
      log,
      onKnock: nothing,
      onHung: nothing,
      onBack: nothing,
      onLost: nothing,
    };
    const lock = await holdGatewayLock(claim);
    return {
      address,
      async close() {
        await lock.release();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
