import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/aliceblue/master.ts';
import { csvRows, entry, fileOf, misreadsNothing, readAll } from './rows.ts';

const rows = csvRows('aliceblue');
const indexRows = csvRows('aliceblue', 'master-indices.csv');
const indices = fileOf(master, 'INDICES.csv');
const reliance = { root: 'RELIANCE', name: 'RELIANCE INDUSTRIES LTD' };
const nifty = { root: 'NIFTY', lotSize: 65, tickSize: '0.05' };
const sensex = { exchange: 'BFO', root: 'SENSEX', expiry: '2026-10-29', lotSize: 20, tickSize: '0.05' } as const;
const usd = { exchange: 'CDS', root: 'USDINR', expiry: '2026-10-28', tickSize: '0.0025' } as const;

test('a file for each exchange, and one of the indices', () => {
  expect(master.files?.map(({ path }) => path).join()).toBe('NSE.csv,BSE.csv,NFO.csv,BFO.csv,CDS.csv,BCD.csv,MCX.csv,INDICES.csv');
});

test('lists what trades, and says why it leaves a row out', () => {
  expect(readAll(master, rows)).toEqual([
    entry('RELIANCE', {
      ...reliance,
      exchange: 'NSE',
      kind: 'EQ',
      series: 'EQ',
      tickSize: '0.1',
      brokerSymbol: 'RELIANCE',
      token: '2885',
    }),
    entry('NIFTY29SEP2629200CE', {
      ...nifty,
      exchange: 'NFO',
      kind: 'CE',
      name: 'NIFTY 29 SEP 26 C 29200',
      expiry: '2026-09-29',
      strike: '29200',
      brokerSymbol: 'NIFTY29SEP26C29200',
      token: '35086',
    }),
    entry('CRUDEOIL19OCT26FUT', {
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      name: 'CRUDEOIL 19 OCT 26 FUT',
      expiry: '2026-10-19',
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL19OCT26',
      token: '569900',
    }),
    entry('BAJAJ-AUTO', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'BAJAJ-AUTO',
      series: 'EQ',
      name: 'BAJAJ AUTO LIMITED',
      tickSize: '1',
      brokerSymbol: 'BAJAJ-AUTO',
      token: '16669',
    }),
    entry('KRITI-BE', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'KRITI',
      series: 'BE',
      name: 'KRITI INDUSTRIES, INDIA',
      tickSize: '0.01',
      brokerSymbol: 'KRITI',
      token: '9012',
    }),
    entry('SMECO-SM', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'SMECO',
      series: 'SM',
      name: 'SME CO',
      lotSize: 1200,
      tickSize: '0.05',
      brokerSymbol: 'SMECO',
      token: '9999',
    }),
    'bond',
    'bond',
    'dummy',
    entry('RELIANCE', { ...reliance, exchange: 'BSE', kind: 'EQ', tickSize: '0.05', brokerSymbol: 'RELIANCE', token: '500325' }),
    entry('VEDL27OCT26292.5PE', {
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      name: 'VEDL 27 OCT 26 P 292.5',
      expiry: '2026-10-27',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      brokerSymbol: 'VEDL27OCT26P292.5',
      token: '60001',
    }),
    entry('SENSEX29OCT2685000CE', {
      ...sensex,
      kind: 'CE',
      name: 'SENSEX 29 OCT 26 C 85000',
      strike: '85000',
      brokerSymbol: 'SENSEX26OCT85000CE',
      token: '861221',
    }),
    entry('SENSEX29OCT26FUT', { ...sensex, kind: 'FUT', name: 'SENSEX 29 OCT 26 FUT', brokerSymbol: 'SENSEX26OCTFUT', token: '861201' }),
    entry('USDINR28OCT26FUT', { ...usd, kind: 'FUT', name: 'USDINR 28 OCT 26 FUT', brokerSymbol: 'USDINR28OCT26F', token: '1091' }),
    entry('USDINR28OCT2689.25CE', {
      ...usd,
      kind: 'CE',
      name: 'USDINR 28 OCT 26 C 89.25',
      strike: '89.25',
      brokerSymbol: 'USDINR28OCT26C89.25',
      token: '1099',
    }),
    'told elsewhere',
    'expired',
    'spread',
    'unreadable strike',
    'unreadable strike',
    'unreadable expiry',
    'unreadable lot',
    'unreadable tick',
    'unreadable token',
    'no symbol',
    'other exchange',
    'other kind',
  ]);
});

test('lists the indices of their own file', () => {
  const index = (told: { root: string; token: string }) => ({ ...told, kind: 'INDEX', name: told.root, brokerSymbol: told.root }) as const;
  expect(readAll(master, indexRows, indices)).toEqual([
    entry('NIFTY', { ...index({ root: 'NIFTY 50', token: '26000' }), exchange: 'NSE_INDEX' }),
    entry('SENSEX', { ...index({ root: 'SENSEX', token: '1' }), exchange: 'BSE_INDEX' }),
    entry('MCXBULLDEX', { ...index({ root: 'MCXBULLDEX', token: '600' }), exchange: 'MCX_INDEX' }),
    'other exchange',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, [...rows, ...indexRows], [fileOf(master), indices]));
