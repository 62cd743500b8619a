import { eq, sql } from 'drizzle-orm';
import postgres from 'postgres';
import { settings } from '../../drizzle/schema.ts';
import type { Log } from '../log.ts';
import { type Address, readAddress, refused } from './address.ts';
import { findRunningCluster } from './embedded/cluster.ts';
import { DatabaseError } from './error.ts';
import { createGate } from './gate.ts';
import { type Handle, handleOn } from './handle.ts';
import { isGatewayLockHeld } from './lock-session.ts';
import { types } from './open.ts';
import { primaryOf } from './primary.ts';

export interface Beside {
  db: Handle;
  close(): Promise<void>;
}

export interface BesideOptions {
  mode: 'practice' | 'live';
  /** Home of the embedded database; absolute. */
  dataDir: string;
  databaseUrl?: string | undefined;
  log: Log;
}

/** Connects to the database of a running gateway, and starts and changes nothing. Throws DatabaseError where no gateway runs, or one that does not fit. */
export async function openBeside({ mode, dataDir, databaseUrl, log }: BesideOptions): Promise<Beside> {
  const address = databaseUrl === undefined ? await embedded(mode, dataDir, log) : await primaryAt(databaseUrl);
  if (!address || !(await isHeld(address)))
    throw new DatabaseError('No gateway runs on this database: start it first. Nothing was changed');
  const gate = createGate(address);
  gate.open();
  const db = handleOn(postgres({ ...gate.options, max: 1, types }));
  async function close(): Promise<void> {
    await db.$client.end({ timeout: 1 });
    gate.shut();
  }
  try {
    await refuseOther(db, mode);
    return { db, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function primaryAt(databaseUrl: string): Promise<Address> {
  const address = readAddress(databaseUrl);
  try {
    return await primaryOf(address)();
  } catch (error) {
    throw refused(address, error);
  }
}

async function embedded(mode: string, dataDir: string, log: Log): Promise<Address | null> {
  const running = await findRunningCluster({ dataDir, name: `postgres-${mode}`, log });
  return running?.address ?? null;
}

async function isHeld(address: Address): Promise<boolean> {
  try {
    return await isGatewayLockHeld(address);
  } catch (error) {
    throw refused(address, error);
  }
}

async function refuseOther(db: Handle, mode: string): Promise<void> {
  const known = sql<boolean>`to_regclass('order_requests') is not null`;
  const [row] = await db.select({ value: settings.value, known }).from(settings).where(eq(settings.name, 'mode'));
  if (row?.value !== mode)
    throw new DatabaseError(`The gateway that runs is in ${row?.value ?? 'another'} mode and GATEWAY_MODE is ${mode}`);
  if (!row.known) throw new DatabaseError('The gateway that runs is of an earlier version, which does not know this command');
}
