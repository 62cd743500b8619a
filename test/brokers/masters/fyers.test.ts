import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/fyers/master.ts';
import { csvRows, entry, fileOf, misreadsNothing, readAll } from './rows.ts';

const rows = csvRows('fyers', 'master.csv', fileOf(master).columns);
const share = (root: string, series: string, token: string) =>
  ({ exchange: 'NSE', kind: 'EQ', root, series, brokerSymbol: `NSE:${root}-${series}`, token, tickSize: '0.05' }) as const;
const reliance = { name: 'RELIANCE INDUSTRIES LTD', isin: 'INE002A01018' };
const sensex = { exchange: 'BFO', root: 'SENSEX', expiry: '2026-10-29', lotSize: 20, tickSize: '0.05' } as const;
const usd = { exchange: 'CDS', root: 'USDINR', expiry: '2026-10-28', tickSize: '0.0025' } as const;

test('a file without a header for each segment', () => {
  expect(master.files?.map(({ path }) => path).join()).toBe(
    'NSE_CM.csv,NSE_FO.csv,NSE_CD.csv,NSE_COM.csv,BSE_CM.csv,BSE_FO.csv,MCX_COM.csv',
  );
  expect(new Set(master.files?.map(({ columns }) => new Set(columns).size))).toEqual(new Set([21]));
});

test('lists what trades, and says why it leaves a row out', () => {
  expect(readAll(master, rows)).toEqual([
    entry('RELIANCE', { ...share('RELIANCE', 'EQ', '10100000002885'), ...reliance, tickSize: '0.1' }),
    entry('NIFTY29SEP2629200CE', {
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      name: 'NIFTY 29 Sep 26 29200 CE',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      brokerSymbol: 'NSE:NIFTY26SEP29200CE',
      token: '101126092935086',
    }),
    entry('CRUDEOIL19OCT26FUT', {
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      name: 'CRUDEOIL 19 Oct 26 FUT',
      expiry: '2026-10-19',
      tickSize: '1',
      brokerSymbol: 'MCX:CRUDEOIL26OCTFUT',
      token: '1120261019569900',
    }),
    entry('BAJAJ-AUTO', {
      ...share('BAJAJ-AUTO', 'EQ', '101000000016669'),
      name: 'BAJAJ AUTO LIMITED',
      isin: 'INE917I01010',
      tickSize: '1',
    }),
    entry('KRITI-BE', {
      ...share('KRITI', 'BE', '10100000009012'),
      name: 'KRITI INDUSTRIES, INDIA',
      isin: 'INE479D01038',
      tickSize: '0.01',
    }),
    entry('SMECO-SM', { ...share('SMECO', 'SM', '10100000009999'), name: 'SME CO', lotSize: 1200 }),
    entry('GOLDBEES', {
      ...share('GOLDBEES', 'EQ', '101000000014428'),
      name: 'NIP IND ETF GOLD BEES',
      isin: 'INF204KB17I5',
      tickSize: '0.01',
    }),
    'bond',
    entry('RELIANCE', {
      ...share('RELIANCE', 'EQ', '1210000000500325'),
      ...reliance,
      exchange: 'BSE',
      series: null,
      brokerSymbol: 'BSE:RELIANCE-A',
    }),
    entry('SENSEX29OCT2685000CE', {
      ...sensex,
      kind: 'CE',
      name: 'SENSEX 29 Oct 26 85000 CE',
      strike: '85000',
      brokerSymbol: 'BSE:SENSEX26OCT85000CE',
      token: '1211261029861221',
    }),
    entry('SENSEX29OCT26FUT', {
      ...sensex,
      kind: 'FUT',
      name: 'SENSEX 29 Oct 26 FUT',
      brokerSymbol: 'BSE:SENSEX26OCTFUT',
      token: '1211261029861201',
    }),
    entry('VEDL27OCT26292.5PE', {
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      name: 'VEDL 27 Oct 26 292.5 PE',
      expiry: '2026-10-27',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      brokerSymbol: 'NSE:VEDL26OCT292.5PE',
      token: '101126102760001',
    }),
    entry('CRUDEOIL15OCT266750CE', {
      exchange: 'MCX',
      kind: 'CE',
      root: 'CRUDEOIL',
      name: 'CRUDEOIL 15 Oct 26 6750 CE',
      expiry: '2026-10-15',
      strike: '6750',
      tickSize: '0.1',
      brokerSymbol: 'MCX:CRUDEOIL26OCT6750CE',
      token: '1120261015569950',
    }),
    entry('USDINR28OCT26FUT', {
      ...usd,
      kind: 'FUT',
      name: 'USDINR 28 Oct 26 FUT',
      brokerSymbol: 'NSE:USDINR26OCTFUT',
      token: '10122610281091',
    }),
    // Orders count lots, whatever the file says of their size.
    entry('USDINR28OCT2689.25CE', {
      ...usd,
      kind: 'CE',
      name: 'USDINR 28 Oct 26 89.25 CE',
      strike: '89.25',
      brokerSymbol: 'NSE:USDINR26OCT89.25CE',
      token: '10122610281099',
    }),
    // Five past midnight in India is the day before in UTC.
    entry('GOLD31OCT26FUT', {
      exchange: 'NCO',
      kind: 'FUT',
      root: 'GOLD',
      name: 'GOLD 31 Oct 26 FUT',
      expiry: '2026-10-31',
      tickSize: '1',
      brokerSymbol: 'NSE:GOLD26OCTFUT',
      token: '102026103144001',
    }),
    entry('NIFTY', {
      exchange: 'NSE_INDEX',
      kind: 'INDEX',
      root: 'NIFTY50',
      name: 'NIFTY50-INDEX',
      brokerSymbol: 'NSE:NIFTY50-INDEX',
      token: '101000000026000',
    }),
    entry('SENSEX', {
      exchange: 'BSE_INDEX',
      kind: 'INDEX',
      root: 'SENSEX',
      name: 'SENSEX-INDEX',
      brokerSymbol: 'BSE:SENSEX-INDEX',
      token: '121000000001',
    }),
    entry('MCXBULLDEX', {
      exchange: 'MCX_INDEX',
      kind: 'INDEX',
      root: 'MCXBULLDEX',
      name: 'MCXBULLDEX-INDEX',
      brokerSymbol: 'MCX:MCXBULLDEX-INDEX',
      token: '1120000000600',
    }),
    'bond',
    'dummy',
    'other kind',
    'no symbol',
    'expired',
    'spread',
    'unreadable strike',
    'unreadable strike',
    'unreadable expiry',
    'unreadable lot',
    'unreadable tick',
    'unreadable lot',
    'unreadable token',
    'unreadable token',
    'other kind',
    'other kind',
    'other exchange',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, rows));
