import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import type { TestProject } from 'vitest/node';
import { readAddress } from '../../server/db/address.ts';
import { startCluster } from '../../server/db/embedded/cluster.ts';
import { createGate } from '../../server/db/gate.ts';
import { migrateDatabase } from '../../server/db/migrate.ts';
import { silentLog } from '../../server/log.ts';
import { flags, main } from './process.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a database from which others can be made and dropped. */
    databaseAdmin: string;
    /** Name of a migrated database without connections; names of test databases begin with it. */
    databaseTemplate: string;
  }
}

const prefix = 'gateway-test-';

/** One PostgreSQL for the whole run: DATABASE_URL's, else an embedded one in a temporary directory, quick because nothing in it must last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const filled = fillCache();
  const server = process.env.DATABASE_URL ? { url: process.env.DATABASE_URL, stop: async () => undefined } : await startServer();
  const template = `gateway_test_${randomBytes(4).toString('hex')}`;
  const admin = postgres(adminOptions(server.url));
  await admin.unsafe(`create database ${template}`);
  const gate = createGate({ ...readAddress(server.url), database: template });
  gate.open();
  await migrateDatabase(gate.options);
  await filled;
  project.provide('databaseAdmin', server.url);
  project.provide('databaseTemplate', template);

  return async () => {
    await dropAll(admin, template).finally(server.stop);
  };
}

/** On a fresh checkout all gateways of the first minute would compile everything, each for itself: one does it for them. */
async function fillCache(): Promise<void> {
  if (existsSync(new URL('../../node_modules/.cache/broker-gateway', import.meta.url))) return;
  const child = spawn(process.execPath, [...flags, main, '--load-only'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
}

/** A server of somebody's own keeps nothing of ours. */
async function dropAll(admin: postgres.Sql, template: string): Promise<void> {
  try {
    const left = await admin<{ datname: string }[]>`select datname from pg_database where datname like ${`${template}%`}`;
    for (const { datname } of left) await admin.unsafe(`drop database ${datname} with (force)`);
  } finally {
    await admin.end({ timeout: 1 });
  }
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  removeAbandoned();
  const dataDir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const settings = {
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200', shared_buffers: '64MB' },
    // Hundreds of databases that live for seconds: nobody need look after them.
    ...{ autovacuum: 'off', max_wal_size: '4GB', checkpoint_timeout: '1h' },
  };
  const cluster = await startCluster({ dataDir, name: 'postgres', log: silentLog(), settings });
  const { host, port, user, database } = cluster.address;
  return {
    url: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    stop: async () => {
      await cluster.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Directories of runs that were killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isLiving(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isLiving(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Options of one connection for making and dropping databases. */
export function adminOptions(url: string): postgres.Options<Record<string, never>> {
  const gate = createGate(readAddress(url));
  gate.open();
  return { ...gate.options, max: 1 };
}
