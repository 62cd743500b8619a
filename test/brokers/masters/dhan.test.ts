import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/dhan/master.ts';
import { csvRows, entry, misreadsNothing, readAll } from './rows.ts';

const rows = csvRows('dhan');
const share = (root: string, series: string, token: string) =>
  ({ exchange: 'NSE', kind: 'EQ', root, series, brokerSymbol: root, token, tickSize: '0.05' }) as const;
const index = (root: string, token: string) => ({ kind: 'INDEX', root, brokerSymbol: root, token }) as const;
const sensex = { exchange: 'BFO', root: 'SENSEX', expiry: '2026-10-29', lotSize: 20, tickSize: '0.05' } as const;
const crude = { exchange: 'MCX', root: 'CRUDEOIL', lotSize: 1 } as const;
const currency = { exchange: 'CDS', expiry: '2026-10-28', tickSize: '0.0025' } as const;

test('lists what trades, and says why it leaves a row out', () => {
  expect(readAll(master, rows)).toEqual([
    entry('RELIANCE', { ...share('RELIANCE', 'EQ', '2885'), name: 'Reliance Industries', tickSize: '0.1' }),
    entry('NIFTY29SEP2629200CE', {
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      name: 'NIFTY 29 SEP 29200 CALL',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      brokerSymbol: 'NIFTY-Sep2026-29200-CE',
      token: '35086',
    }),
    entry('CRUDEOIL19OCT26FUT', {
      ...crude,
      kind: 'FUT',
      name: 'CRUDEOIL OCT FUT',
      expiry: '2026-10-19',
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL-19Oct2026-FUT',
      token: '569900',
    }),
    entry('BAJAJ-AUTO', { ...share('BAJAJ-AUTO', 'EQ', '16669'), name: 'BAJAJ AUTO LIMITED', tickSize: '1' }),
    entry('KRITI-BE', { ...share('KRITI', 'BE', '9012'), name: 'Kriti Industries, India', tickSize: '0.01' }),
    entry('SMECO-SM', { ...share('SMECO', 'SM', '9999'), name: 'SME Co', lotSize: 1200 }),
    'bond',
    entry('RELIANCE', { ...share('RELIANCE', '', '500325'), exchange: 'BSE', series: null, name: 'Reliance Industries' }),
    entry('SENSEX29OCT2685000CE', {
      ...sensex,
      kind: 'CE',
      name: 'SENSEX 29 OCT 85000 CALL',
      strike: '85000',
      brokerSymbol: 'SENSEX-Oct2026-85000-CE',
      token: '861221',
    }),
    entry('SENSEX29OCT26FUT', { ...sensex, kind: 'FUT', name: 'SENSEX OCT FUT', brokerSymbol: 'SENSEX-Oct2026-FUT', token: '861201' }),
    entry('BAJAJ-AUTO27OCT269292.5PE', {
      exchange: 'NFO',
      kind: 'PE',
      root: 'BAJAJ-AUTO',
      expiry: '2026-10-27',
      strike: '9292.5',
      lotSize: 75,
      tickSize: '0.05',
      brokerSymbol: 'BAJAJ-AUTO-Oct2026-9292.5-PE',
      token: '60001',
    }),
    entry('CRUDEOIL15OCT266750CE', {
      ...crude,
      kind: 'CE',
      name: 'CRUDEOIL 15 OCT 6750 CALL',
      expiry: '2026-10-15',
      strike: '6750',
      tickSize: '0.1',
      brokerSymbol: 'CRUDEOIL-15Oct2026-6750-CE',
      token: '569950',
    }),
    entry('USDINR28OCT26FUT', {
      ...currency,
      kind: 'FUT',
      root: 'USDINR',
      name: 'USDINR OCT FUT',
      brokerSymbol: 'USDINR-28Oct2026-FUT',
      token: '1091',
    }),
    entry('EURINR28OCT26103.25CE', {
      ...currency,
      kind: 'CE',
      root: 'EURINR',
      name: 'EURINR 28 OCT 103.25 CALL',
      strike: '103.25',
      brokerSymbol: 'EURINR-28Oct2026-103.25-CE',
      token: '2885',
    }),
    entry('NIFTY', { ...index('NIFTY', '13'), exchange: 'NSE_INDEX', name: 'Nifty 50' }),
    entry('INDIAVIX', { ...index('INDIA VIX', '21'), exchange: 'NSE_INDEX', name: 'India VIX' }),
    entry('SENSEX', { ...index('SENSEX', '51'), exchange: 'BSE_INDEX', name: 'Sensex' }),
    entry('MCXBULLDEX', { ...index('MCXBULLDEX', '600'), exchange: 'MCX_INDEX' }),
    'told elsewhere',
    'bond',
    'dummy',
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
    'other kind',
    'no symbol',
    'other exchange',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, rows));
