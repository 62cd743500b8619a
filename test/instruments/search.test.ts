import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InstrumentQuery } from '../../contract/instruments.ts';
import { type FileServer, packedRows, serveFile, startInstruments, type TestInstruments, zerodha } from './parts.ts';

let server: FileServer;
let here: TestInstruments;
const option = (underlying: string, code: string, expiry: string, strike: number, kind: string, exchange = 'NFO') =>
  `${underlying}${code}${strike}${kind},${underlying},0,${expiry},${strike},0.05,50,${kind},${exchange}-OPT,${exchange}`;
const future = (underlying: string, code: string, expiry: string) =>
  `${underlying}${code}FUT,${underlying},0,${expiry},0,0.05,50,FUT,NFO-FUT,NFO`;
const share = (symbol: string, name: string, exchange = 'NSE') => `${symbol},${name},0,,0,0.05,1,EQ,${exchange},${exchange}`;

beforeAll(async () => {
  server = await serveFile(
    packedRows([
      ...['NIFTY 50', 'NIFTY NEXT 50'].map((name) => `${name},${name},0,,0,0,1,EQ,INDICES,NSE`),
      ...[share('SBIN', 'STATE BANK OF INDIA'), share('SBIN', 'STATE BANK OF INDIA', 'BSE'), share('SBICARD', 'SBI CARDS')],
      ...[
        share('CEATLTD', 'CEAT'),
        share('M&M', 'MAHINDRA & MAHINDRA'),
        share('BAJAJ-AUTO', '"BAJAJ AUTO, LTD"'),
        share('360ONE', '360 ONE WAM'),
      ],
      ...[future('NIFTY', '99NOV', '2099-11-24'), future('NIFTY', '99DEC', '2099-12-29'), future('SBIN', '99DEC', '2099-12-29')],
      ...[25500, 26000, 26500].flatMap((strike) => ['CE', 'PE'].map((kind) => option('NIFTY', '99DEC', '2099-12-29', strike, kind))),
      option('NIFTY', '99D01', '2099-12-01', 26000, 'CE'),
      option('NIFTYNXT50', '99DEC', '2099-12-29', 26000, 'CE'),
      ...[option('BANKEX', '99DEC', '2099-12-29', 26000, 'CE', 'BFO'), option('360ONE', '99DEC', '2099-12-29', 1000, 'CE')],
    ]),
  );
  here = await startInstruments(server.address);
  here.instruments.follow(zerodha);
  await here.loaded();
});
afterAll(async () => {
  await here.close();
  await server.close();
});

async function found(query: InstrumentQuery): Promise<string[]> {
  const answer = await here.instruments.of('zerodha')?.search(query);
  return (answer?.rows ?? []).map((row) => row.instrument);
}

it.each<[InstrumentQuery, string[]]>([
  [{ q: 'sbin' }, ['BSE:SBIN', 'NSE:SBIN', 'NFO:SBIN29DEC99FUT']],
  [{ q: 'sbi' }, ['NSE:SBICARD', 'BSE:SBIN', 'NSE:SBIN', 'NFO:SBIN29DEC99FUT']],
  [{ q: 'bank state' }, ['BSE:SBIN', 'NSE:SBIN']],
  [{ q: 'ban ind', exchange: 'NSE' }, ['NSE:SBIN']],
  [{ q: 'm&m' }, ['NSE:M&M']],
  [{ q: 'bajaj-a' }, ['NSE:BAJAJ-AUTO']],
  [{ q: 'auto ltd' }, ['NSE:BAJAJ-AUTO']],
  [{ q: '360' }, ['NSE:360ONE', 'NFO:360ONE29DEC991000CE']],
  [{ q: 'cea' }, ['NSE:CEATLTD']],
  [{ q: 'nifty fut' }, ['NFO:NIFTY24NOV99FUT', 'NFO:NIFTY29DEC99FUT']],
  [{ q: 'nifty 26000 ce dec' }, ['NFO:NIFTY01DEC9926000CE', 'NFO:NIFTY29DEC9926000CE', 'NFO:NIFTYNXT5029DEC9926000CE']],
  [{ q: '26000 ce 29dec99 nifty', underlying: 'NIFTY' }, ['NFO:NIFTY29DEC9926000CE']],
  [{ q: 'nifty29dec9926' }, ['NFO:NIFTY29DEC9926000CE', 'NFO:NIFTY29DEC9926000PE', 'NFO:NIFTY29DEC9926500CE', 'NFO:NIFTY29DEC9926500PE']],
  [{ q: 'nifty 2099-12-01' }, ['NFO:NIFTY01DEC9926000CE']],
  [{ q: 'nifty index' }, ['NSE_INDEX:NIFTY', 'NSE_INDEX:NIFTYNXT50']],
  [{ q: '26000', exchange: 'BFO' }, ['BFO:BANKEX29DEC9926000CE']],
  [{ q: 'ce pe' }, []],
  [{ q: "sbin' or 1=1" }, []],
  [{ q: 'nosuch' }, []],
  [{ kind: 'INDEX' }, ['NSE_INDEX:NIFTY', 'NSE_INDEX:NIFTYNXT50']],
  [{ underlying: 'nifty', kind: 'CE', strike_from: '25750', strike_to: '26250' }, ['NFO:NIFTY01DEC9926000CE', 'NFO:NIFTY29DEC9926000CE']],
  [{ underlying: 'NIFTY', expiry: '2099-12-29', strike_to: '25500.0' }, ['NFO:NIFTY29DEC9925500CE', 'NFO:NIFTY29DEC9925500PE']],
])('finds %j', async (query, names) => {
  expect(await found(query)).toEqual(names);
});

it.each<[InstrumentQuery, RegExp]>([
  [{ kind: 'WARRANT' }, /^kind: "WARRANT" is not one of EQ/],
  [{ exchange: 'NYSE' }, /^exchange: /],
  [{ expiry: '2026-02-30' }, /^expiry: /],
  [{ expiry: '29DEC26' }, /^expiry: /],
  [{ strike_from: 'low' }, /^strike_from: /],
  [{ strike_to: '-1' }, /^strike_to: /],
  [{ after: 'bm90aGluZw' }, /^after: /],
])('names what it cannot read in %j', async (query, message) => {
  await expect(found(query)).rejects.toThrow(message);
});

it.each<InstrumentQuery>([{}, { q: 'nifty' }, { q: 's' }, { kind: 'CE' }])('pages through %j without gap or repeat', async (query) => {
  const whole = await found({ ...query, limit: '500' });
  expect(whole.length).toBeGreaterThan(3);
  for (const limit of ['1', '2', '3']) {
    const paged: string[] = [];
    for (let after: string | null | undefined; after !== null; ) {
      const page = await here.instruments.of('zerodha')?.search({ ...query, limit, ...(after && { after }) });
      expect(page?.rows.length).toBeLessThanOrEqual(Number(limit));
      paged.push(...(page?.rows ?? []).map((row) => row.instrument));
      after = page?.next ?? null;
    }
    expect(paged).toEqual(whole);
  }
});
