import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { loadRecords } from '../../server/books/open-positions.ts';
import { readAddress } from '../../server/db/address.ts';
import { startCluster } from '../../server/db/embedded/cluster.ts';
import { createGate } from '../../server/db/gate.ts';
import { type Handle, handleOn } from '../../server/db/handle.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { types } from '../../server/db/open.ts';
import { silentLog } from '../../server/log.ts';

export interface Lane {
  db: Handle;
  /** The client of `db`. */
  sql: postgres.Sql;
  close(): Promise<void>;
}

/** A client of the books on a migrated database. */
export async function openLane(url: string): Promise<Lane> {
  const gate = createGate(readAddress(url));
  gate.open();
  const sql = postgres({ ...gate.options, max: 2, types });
  const db = handleOn(sql);
  await loadRecords(db);
  return {
    db,
    sql,
    async close() {
      await sql.end({ timeout: 1 });
      gate.shut();
    },
  };
}

/** A PostgreSQL for one run, quick because nothing in it must last, with a migrated database for each lane. */
export async function startLanes(count: number): Promise<{ lanes: Lane[]; stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), `gateway-books-${process.pid}-`));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum_naptime: '10s' };
  const cluster = await startCluster({ dataDir, name: 'postgres', log: silentLog(), settings });
  const { host, port, user, database } = cluster.address;
  const urlOf = (name: string) => `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`;
  const gate = createGate(readAddress(urlOf(database)));
  gate.open();
  const admin = postgres({ ...gate.options, max: 1 });
  const lanes: Lane[] = [];
  for (let index = 0; index < count; index += 1) {
    await admin.unsafe(`create database lane_${index}`);
    const own = createGate(readAddress(urlOf(`lane_${index}`)));
    own.open();
    await migrateDatabase(own.options);
    lanes.push(await openLane(urlOf(`lane_${index}`)));
  }
  return {
    lanes,
    async stop() {
      await Promise.all([admin.end({ timeout: 1 }), ...lanes.map((lane) => lane.close())]);
      await cluster.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
