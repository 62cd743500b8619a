import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { masterLines } from '../../bench/master-file.ts';
import { systemClock } from '../../server/clock.ts';
import { type Database, openDatabase } from '../../server/db/open.ts';
import { Instruments, type InstrumentsParts } from '../../server/instruments/instruments.ts';
import { fileDay } from '../../server/instruments/trading-day.ts';
import { silentLog } from '../../server/log.ts';
import { createTestDatabase } from '../support/database.ts';

export const today = () => fileDay(systemClock.now());
export const reader = new URL('./kite-reader.ts', import.meta.url).href;

/** A file of so many rows, packed. */
export function packedMaster(rows: number): Buffer {
  return gzipSync([...masterLines({ rows, today: today() })].join('\n'));
}

/** Rows in Kite's columns, packed; `token,exchange_token` come by themselves. */
export function packedRows(rows: readonly string[]): Buffer {
  const [header = ''] = masterLines({ rows: 0, today: today() });
  return gzipSync([header, ...rows.map((row, number) => `${(number + 1) * 256},${number + 1},${row}`)].join('\n'));
}

export interface FileServer {
  address: string;
  /** What every request is answered with from now on. */
  answer: (response: ServerResponse) => void;
  requests: number;
  close(): Promise<void>;
}

/** A real HTTP server with one file. */
export async function serveFile(body: Buffer): Promise<FileServer> {
  const server = createServer((_, response) => {
    served.requests += 1;
    served.answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const served: FileServer = {
    address: `http://127.0.0.1:${port}`,
    answer: (response) => response.end(body),
    requests: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return served;
}

export interface TestInstruments {
  instruments: Instruments;
  database: Database;
  databaseUrl: string;
  /** Resolves when the running or next load came to an end, with what is there then. */
  loaded(): Promise<void>;
  close(): Promise<void>;
}

/** The real instruments over a database of their own, or one that was used before. */
export async function startInstruments(address: string, change: Partial<InstrumentsParts> = {}, from?: string): Promise<TestInstruments> {
  const made = from === undefined ? await createTestDatabase() : null;
  const databaseUrl = from ?? made?.url ?? '';
  const database = await openDatabase({ mode: 'practice', dataDir: '/nowhere', databaseUrl, log: silentLog() });
  const instruments = new Instruments({
    db: database.db,
    clock: systemClock,
    log: silentLog(),
    reachable: databaseUrl,
    practice: true,
    reader: () => reader,
    address: () => address,
    localAddress: () => undefined,
    ...change,
  });
  await instruments.start();
  const count = async () =>
    Number((await database.db.$client`select count(*) from tsm_events where kind = 'notice.instruments'`)[0]?.count);
  let told = await count();
  return {
    instruments,
    database,
    databaseUrl,
    async loaded() {
      while ((await count()) <= told) await systemClock.sleep(10);
      told += 1;
    },
    async close() {
      await instruments.stop();
      await database.close();
      await made?.drop();
    },
  };
}

/** The tables of loads, and how many rows stand in them. */
export async function tablesOf({ $client: sql }: Pick<Database['db'], '$client'>): Promise<{ names: string[]; rows: number }> {
  const found = await sql<
    { name: string }[]
  >`select relname as name from pg_class where relkind = 'r' and relname ~ '^instruments_' order by 1`;
  const names = found.map(({ name }) => name);
  const counts = await Promise.all(names.map(async (name) => Number((await sql`select count(*) from ${sql(name)}`)[0]?.count)));
  return { names, rows: counts.reduce((sum, count) => sum + count, 0) };
}

export const zerodha = { id: 'zerodha' } as const;
