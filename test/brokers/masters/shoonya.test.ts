import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/shoonya/master.ts';
import { csvRows, entry, misreadsNothing, readAll } from './rows.ts';

const shares = csvRows('shoonya');
const contracts = csvRows('shoonya', 'master-contracts.csv');

test('a zip of one file for each exchange', () => {
  expect(master.files).toHaveLength(6);
  expect(master.files?.[2]).toEqual({ path: 'NFO_symbols.txt.zip', pack: 'zip', form: 'csv' });
});

test('every row of the cash files, whole, or why it is left out', () => {
  expect(readAll(master, shares)).toEqual([
    entry('RELIANCE', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'RELIANCE',
      series: 'EQ',
      tickSize: '0.1',
      brokerSymbol: 'RELIANCE-EQ',
      token: '2885',
    }),
    entry('NIFTY', { exchange: 'NSE_INDEX', kind: 'INDEX', root: 'Nifty 50', brokerSymbol: 'NIFTY INDEX', token: '26000' }),
    entry('BAJAJ-AUTO', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'BAJAJ-AUTO',
      series: 'EQ',
      tickSize: '0.5',
      brokerSymbol: 'BAJAJ-AUTO-EQ',
      token: '16669',
    }),
    entry('M&M', { exchange: 'NSE', kind: 'EQ', root: 'M&M', series: 'EQ', tickSize: '0.1', brokerSymbol: 'M&M-EQ', token: '2031' }),
    entry('CENTRALBK-BE', {
      exchange: 'NSE',
      kind: 'EQ',
      root: 'CENTRALBK',
      series: 'BE',
      tickSize: '0.01',
      brokerSymbol: 'CENTRALBK-BE',
      token: '14894',
    }),
    entry('RELIANCE', { exchange: 'BSE', kind: 'EQ', root: 'RELIANCE', tickSize: '0.05', brokerSymbol: 'RELIANCE', token: '500325' }),
    'bond',
    'dummy',
    'no series',
    'unreadable lot',
    'unreadable token',
    'unreadable tick',
    'no symbol',
    'other exchange',
  ]);
});

test('every row of the files of contracts, whole, or why it is left out', () => {
  const rupee = { exchange: 'CDS', root: 'USDINR', expiry: '2026-09-28', lotSize: 1000, tickSize: '0.0025' } as const;
  const fifty = { exchange: 'BFO', kind: 'CE', root: 'SENSEX50', strike: '26000', lotSize: 25, tickSize: '0.05' } as const;
  expect(readAll(master, contracts)).toEqual([
    entry('NIFTY29SEP2629200CE', {
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      brokerSymbol: 'NIFTY29SEP26C29200',
      token: '35086',
    }),
    entry('CRUDEOIL19OCT26FUT', {
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      expiry: '2026-10-19',
      lotSize: 100,
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL19OCT26',
      token: '569900',
    }),
    entry('NIFTY27OCT26FUT', {
      exchange: 'NFO',
      kind: 'FUT',
      root: 'NIFTY',
      expiry: '2026-10-27',
      lotSize: 65,
      tickSize: '0.1',
      brokerSymbol: 'NIFTY27OCT26F',
      token: '53001',
    }),
    entry('VEDL29SEP26292.5PE', {
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      expiry: '2026-09-29',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      brokerSymbol: 'VEDL29SEP26P292.5',
      token: '46545',
    }),
    entry('SENSEX01OCT2682000PE', {
      exchange: 'BFO',
      kind: 'PE',
      root: 'SENSEX',
      expiry: '2026-10-01',
      strike: '82000',
      lotSize: 20,
      tickSize: '0.05',
      brokerSymbol: 'SENSEX26O0182000PE',
      token: '1143901',
    }),
    'expired',
    entry('SENSEX5029OCT2626000CE', { ...fifty, expiry: '2026-10-29', brokerSymbol: 'SENSEX5026OCT26000CE', token: '1143904' }),
    entry('BANKEX29SEP26FUT', {
      exchange: 'BFO',
      kind: 'FUT',
      root: 'BANKEX',
      expiry: '2026-09-29',
      lotSize: 30,
      tickSize: '0.05',
      brokerSymbol: 'BANKEX26SEPFUT',
      token: '1143902',
    }),
    entry('USDINR28SEP26FUT', { ...rupee, kind: 'FUT', brokerSymbol: 'USDINR28SEP26F', token: '1612' }),
    entry('USDINR28SEP2686.25CE', { ...rupee, kind: 'CE', strike: '86.25', brokerSymbol: 'USDINR28SEP26C86.25', token: '1619' }),
    'dummy',
    'spread',
    'other kind',
    'expired',
    'unreadable expiry',
    'unreadable strike',
    'other kind',
    'no symbol',
    'no symbol',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, [...shares, ...contracts]));
