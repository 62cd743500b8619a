import { gunzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { sweep } from '../../server/instruments/store.ts';
import {
  type FileServer,
  packedMaster,
  packedRows,
  serveFile,
  startInstruments,
  type TestInstruments,
  tablesOf,
  zerodha,
} from './parts.ts';

const ROWS = 1000;
let server: FileServer | undefined;
let here: TestInstruments | undefined;
afterEach(async () => {
  await here?.close();
  await server?.close();
  [here, server] = [undefined, undefined];
});

async function loadedWith(body: Buffer): Promise<{ server: FileServer; here: TestInstruments }> {
  server = await serveFile(body);
  here = await startInstruments(server.address);
  here.instruments.follow(zerodha);
  await here.loaded();
  return { server, here };
}

const rowsInTable = async ({ database }: TestInstruments) => (await tablesOf(database.db)).rows;
const masterRow = async ({ database }: TestInstruments) => (await database.db.$client`select * from instrument_masters`)[0];

it('reads a packed file into the table, and finds by name, by broker symbol and by token', async () => {
  const { here } = await loadedWith(packedMaster(ROWS));
  const directory = here.instruments.of('zerodha');
  expect(directory?.isToday()).toBe(true);
  expect(directory?.message).toBeNull();
  const [share] = (await directory?.named('BSE', 'saaaa')) ?? [];
  expect(share).toMatchObject({ instrument: 'BSE:SAAAA', kind: 'EQ', lotSize: 1, tickSize: '0.05', strike: null, expiry: null });
  expect(await directory?.withToken('BSE', share?.token ?? '')).toEqual([share]);
  const [index] = (await directory?.named('NSE_INDEX', 'NIFTY 50')) ?? [];
  expect(index).toMatchObject({ instrument: 'NSE_INDEX:NIFTY', brokerSymbol: 'NIFTY 50' });
  expect(await directory?.named('NSE', 'NOSUCH')).toEqual([]);
  const own = { exchange: 'NSE_INDEX', symbol: 'NIFTY 50', token: index?.token ?? null };
  expect(await directory?.rowsOf([own, { ...own, token: null }, { ...own, token: '1' }, { ...own, symbol: 'NIFTY BANK' }])).toEqual([
    index,
    index,
    index,
    null,
  ]);
  const [event] = await here.database.db.$client`select broker, detail from tsm_events where kind = 'notice.instruments'`;
  expect(event).toMatchObject({ broker: 'zerodha' });
  expect(await masterRow(here)).toMatchObject({ rows: ROWS, message: null });
});

it('asks for nothing that was seen', async () => {
  const { here } = await loadedWith(packedMaster(ROWS));
  const directory = here.instruments.of('zerodha');
  expect(directory?.known('BSE', 'SAAAA')).toBeUndefined();
  const [share] = (await directory?.named('BSE', 'SAAAA')) ?? [];
  expect(await directory?.rowsOf([{ exchange: 'BSE', symbol: 'SAAAA', token: null }])).toEqual([share]);
  await directory?.named('BSE', 'NOSUCH');
  await here.database.db.$client`alter table instruments_1 rename to elsewhere`;
  expect(await directory?.named('BSE', 'SAAAA')).toEqual([share]);
  expect(directory?.known('BSE', 'SAAAA')).toEqual(share);
  expect(await directory?.named('BSE', 'NOSUCH')).toEqual([]);
  expect(await directory?.rowsOf([{ exchange: 'BSE', symbol: 'SAAAA', token: null }])).toEqual([share]);
  await expect(directory?.named('BSE', 'SAAAB')).rejects.toThrow(/instruments/);
});

it('takes a file of a tenth less, and keeps the last one when a larger part is gone', async () => {
  const { server, here } = await loadedWith(packedMaster(ROWS));
  server.answer = (response) => response.end(packedMaster(ROWS * 0.89));
  here.instruments.refresh();
  await here.loaded();
  expect(await masterRow(here)).toMatchObject({ rows: ROWS, message: expect.stringContaining('it lists 890 instruments') });
  expect(here.instruments.messageOf('zerodha')).toContain('is kept');
  await expect.poll(() => rowsInTable(here), { timeout: 20_000 }).toBe(ROWS);
  server.answer = (response) => response.end(packedMaster(ROWS * 0.9));
  here.instruments.refresh();
  await here.loaded();
  expect(await masterRow(here)).toMatchObject({ rows: ROWS * 0.9, message: null });
});

it.each<[string, (body: Buffer) => FileServer['answer'], RegExp]>([
  [
    'breaks in the middle',
    (body) => (response) =>
      void response.writeHead(200, { 'content-length': body.length }).write(body.subarray(0, 2000), () => response.destroy()),
    /broke off/,
  ],
  ['is cut short', (body) => (response) => response.end(body.subarray(0, body.length - 500)), /unexpected end of file/],
  ['is packed garbage', () => (response) => response.end(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])), /./],
  ['is a web page', () => (response) => response.end('<!DOCTYPE html><html>Maintenance</html>'), /web page/],
  ['is refused', () => (response) => response.writeHead(503).end(), /HTTP 503/],
  ['is empty', () => (response) => response.end(), /empty/],
  ['is another file', () => (response) => response.end('a,b\n1,2\n'), /lists no instrument/],
])('keeps the last good file when the next one %s', async (_, answerWith, reason) => {
  const body = packedMaster(ROWS);
  const { server, here } = await loadedWith(body);
  const before = here.instruments.of('zerodha');
  server.answer = answerWith(body);
  here.instruments.refresh();
  await here.loaded();
  expect(await masterRow(here)).toMatchObject({ rows: ROWS, message: expect.stringMatching(reason) });
  expect(here.instruments.of('zerodha')).toBe(before);
  expect(await before?.named('BSE', 'SAAAA')).toHaveLength(1);
  await expect.poll(() => rowsInTable(here), { timeout: 20_000 }).toBe(ROWS);
});

it('reads a plain file where a packed one was promised, and one that the transfer packed', async () => {
  const body = packedMaster(ROWS);
  const { server, here } = await loadedWith(gunzipSync(body));
  expect(await masterRow(here)).toMatchObject({ rows: ROWS });
  server.answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  here.instruments.refresh();
  await here.loaded();
  expect(await masterRow(here)).toMatchObject({ rows: ROWS, message: null, generation: 2 });
});

it('keeps neither of two rows with one name, gives the bare symbol to the only series, and counts what it leaves out', async () => {
  const share = (symbol: string, name = '') => `${symbol},${name},0,,0,0.05,1,EQ,NSE,NSE`;
  const { here } = await loadedWith(
    packedRows([
      ...[share('PLAIN'), share('PLAIN-BE'), share('ONLY-SM'), share('TWO-BE'), share('TWO-BZ'), share('BOND-SG')],
      ...[share('TWICE'), share('TWICE'), share('ODD', 'THROW'), share('')],
      'NIFTY26DEC,NIFTY,0,2026-13-40,100,0.05,50,CE,NFO-OPT,NFO',
      'NIFTY20JAN,NIFTY,0,2020-01-30,100,0.05,50,CE,NFO-OPT,NFO',
      'NIFTY99DEC,"NIFTY",0,2099-12-29,26000.50,0.05,50,PE,NFO-OPT,NFO',
    ]),
  );
  const rows = await here.database.db.$client`select exchange || ':' || symbol as name, broker_symbol from instruments_1 order by 1`;
  expect(rows.map(({ name, broker_symbol }) => `${name} ${broker_symbol}`)).toEqual([
    'NFO:NIFTY29DEC9926000.5PE NIFTY99DEC',
    'NSE:BOND-SG BOND-SG',
    'NSE:ONLY ONLY-SM',
    'NSE:PLAIN PLAIN',
    'NSE:PLAIN-BE PLAIN-BE',
    'NSE:TWO-BE TWO-BE',
    'NSE:TWO-BZ TWO-BZ',
  ]);
  expect((await masterRow(here))?.skipped).toEqual({ 'a name twice': 2, unreadable: 2, 'no symbol': 1, expired: 1 });
});

it('shows one file whole to each look-up while another takes its place', async () => {
  const lot = (size: number) => packedRows(Array.from({ length: ROWS }, (_, at) => `S${at},S,0,,0,0.05,${size},EQ,BSE,BSE`));
  const { server, here } = await loadedWith(lot(1));
  let swapped = 0;
  here.instruments.onSwap(() => {
    swapped += 1;
  });
  const seen = new Set<string>();
  for (let round = 2; round <= 4; round += 1) {
    server.answer = (response) => response.end(lot(round));
    here.instruments.refresh();
    for (let at = 0; swapped < round - 1; at += 1) {
      const directory = here.instruments.of('zerodha');
      await systemClock.sleep(1);
      const names = Array.from({ length: 20 }, (_, step) => ({ exchange: 'BSE', symbol: `S${(at * 20 + step) % ROWS}`, token: null }));
      const sizes = new Set((await directory?.rowsOf(names))?.map((row) => row?.lotSize));
      expect(sizes.size).toBe(1);
      seen.add([...sizes].join());
    }
    await here.loaded();
  }
  expect(await here.instruments.of('zerodha')?.named('BSE', 'S1')).toMatchObject([{ lotSize: 4 }]);
  expect(seen.size).toBeGreaterThan(1);
});

it('uses what is stored at once after a restart, and reads no file of today twice', async () => {
  const { server, here } = await loadedWith(packedMaster(ROWS));
  await here.instruments.stop();
  await here.database.close();
  const again = await startInstruments(server.address, {}, here.databaseUrl);
  try {
    again.instruments.follow(zerodha);
    expect(again.instruments.of('zerodha')?.isToday()).toBe(true);
    expect(await again.instruments.of('zerodha')?.named('BSE', 'SAAAA')).toHaveLength(1);
    expect(server.requests).toBe(1);
  } finally {
    await again.close();
  }
});

it('has the indexes of instruments on each load', async () => {
  const { here } = await loadedWith(packedMaster(ROWS));
  const indexes = async (table: string) => {
    const rows = await here.database.db.$client`select indexdef from pg_indexes where tablename = ${table} order by 1`;
    return rows.map(({ indexdef }) => String(indexdef).replaceAll(table, 'instruments'));
  };
  expect(await indexes('instruments_1')).toEqual(await indexes('instruments'));
  expect(await indexes('instruments_1')).toHaveLength(6);
});

it('reads what an earlier version wrote, among the rows of all, until its own file stands in its place', async () => {
  const { server, here } = await loadedWith(packedMaster(ROWS));
  const { $client: sql } = here.database.db;
  await sql`insert into instruments select * from instruments_1`;
  await sql`drop table instruments_1`;
  await here.instruments.stop();
  await here.database.close();
  const again = await startInstruments(server.address, {}, here.databaseUrl);
  try {
    const directory = again.instruments.of('zerodha');
    expect(await directory?.named('BSE', 'SAAAA')).toHaveLength(1);
    expect((await directory?.search({ q: 'saaaa' }))?.rows).toMatchObject([{ instrument: 'BSE:SAAAA' }, { instrument: 'NSE:SAAAA' }]);
    again.instruments.follow(zerodha);
    again.instruments.refresh();
    await again.loaded();
    expect(await again.instruments.of('zerodha')?.named('BSE', 'SAAAA')).toHaveLength(1);
    // Whoever looks up in them has a minute.
    expect(await directory?.named('BSE', 'SAAAB')).toHaveLength(1);
    expect(await tablesOf(again.database.db)).toEqual({ names: ['instruments_2'], rows: ROWS });
    const count = async () => Number((await again.database.db.$client`select count(*) from instruments`)[0]?.count);
    expect(await count()).toBe(ROWS);
    await sweep(again.database.db, new Set(), new AbortController().signal);
    expect(await count()).toBe(0);
  } finally {
    await again.close();
  }
});
