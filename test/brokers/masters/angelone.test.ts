import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/angelone/master.ts';
import { entry, jsonRows, misreadsNothing, readAll } from './rows.ts';

const rows = jsonRows('angelone');
const share = (root: string, series: string, token: string) =>
  ({ exchange: 'NSE', kind: 'EQ', root, series, name: root, brokerSymbol: `${root}-${series}`, token, tickSize: '0.05' }) as const;
const index = (root: string, token: string) => ({ kind: 'INDEX', root, name: root, brokerSymbol: root, token }) as const;
const sensex = { exchange: 'BFO', root: 'SENSEX', name: 'SENSEX', expiry: '2026-10-29', lotSize: 20, tickSize: '0.05' } as const;
const crude = { exchange: 'MCX', root: 'CRUDEOIL', name: 'CRUDEOIL', lotSize: 100 } as const;
const usd = { exchange: 'CDS', root: 'USDINR', name: 'USDINR', expiry: '2026-10-28', lotSize: 1000, tickSize: '0.0025' } as const;

test('lists what trades, and says why it leaves a row out', () => {
  expect(readAll(master, rows)).toEqual([
    entry('RELIANCE', { ...share('RELIANCE', 'EQ', '2885'), tickSize: '0.1' }),
    entry('NIFTY29SEP2629200CE', {
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      name: 'NIFTY',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      brokerSymbol: 'NIFTY29SEP2629200CE',
      token: '35086',
    }),
    entry('CRUDEOIL19OCT26FUT', {
      ...crude,
      kind: 'FUT',
      expiry: '2026-10-19',
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL19OCT26FUT',
      token: '569900',
    }),
    entry('BAJAJ-AUTO', { ...share('BAJAJ-AUTO', 'EQ', '16669'), tickSize: '1' }),
    entry('KRITI-BE', { ...share('KRITI', 'BE', '9012'), tickSize: '0.01' }),
    entry('SMECO-SM', { ...share('SMECO', 'SM', '9999'), lotSize: 1200 }),
    'bond',
    entry('RELIANCE', { ...share('RELIANCE', 'EQ', '500325'), exchange: 'BSE', series: null, brokerSymbol: 'RELIANCE' }),
    entry('SENSEX29OCT2685000CE', { ...sensex, kind: 'CE', strike: '85000', brokerSymbol: 'SENSEX26OCT85000CE', token: '861221' }),
    entry('SENSEX29OCT26FUT', { ...sensex, kind: 'FUT', brokerSymbol: 'SENSEX26OCTFUT', token: '861201' }),
    entry('VEDL27OCT26292.5PE', {
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      name: 'VEDL',
      expiry: '2026-10-27',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      brokerSymbol: 'VEDL27OCT26292.5PE',
      token: '60001',
    }),
    entry('CRUDEOIL15OCT266750CE', {
      ...crude,
      kind: 'CE',
      expiry: '2026-10-15',
      strike: '6750',
      tickSize: '0.1',
      brokerSymbol: 'CRUDEOIL15OCT266750CE',
      token: '569950',
    }),
    entry('USDINR28OCT26FUT', { ...usd, kind: 'FUT', brokerSymbol: 'USDINR28OCT26FUT', token: '1091' }),
    entry('USDINR28OCT2689.25CE', { ...usd, kind: 'CE', strike: '89.25', brokerSymbol: 'USDINR28OCT2689.25CE', token: '1099' }),
    entry('NIFTY', { ...index('Nifty 50', '99926000'), exchange: 'NSE_INDEX', name: 'NIFTY' }),
    entry('INDIAVIX', { ...index('India VIX', '99926017'), exchange: 'NSE_INDEX', name: 'INDIA VIX' }),
    entry('SENSEX', { ...index('SENSEX', '99919000'), exchange: 'BSE_INDEX' }),
    entry('MCXBULLDEX', { ...index('MCXBULLDEX', '99920000'), exchange: 'MCX_INDEX' }),
    'bond',
    'bond',
    'dummy',
    'no series',
    'no symbol',
    'expired',
    'spread',
    'unreadable strike',
    'unreadable strike',
    'unreadable expiry',
    'unreadable expiry',
    'unreadable lot',
    'unreadable tick',
    'unreadable token',
    'other kind',
    'other kind',
    'other exchange',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, rows));
