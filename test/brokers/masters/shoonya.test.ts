import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/shoonya/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';
import { csvRows, isListed, listing, readAll, skipped, standsAnyText } from './rows.ts';

const shares = csvRows('shoonya');
const contracts = csvRows('shoonya', 'master-contracts.csv');

test('a zip of one file for each exchange', () => {
  expect(master.files).toHaveLength(6);
  expect(master.files?.[2]).toEqual({ path: 'NFO_symbols.txt.zip', pack: 'zip', form: 'csv' });
});

test('every row of the cash files, whole, or why it is left out', () => {
  expect(readAll(master, shares)).toEqual([
    listing({ exchange: 'NSE', kind: 'EQ', root: 'RELIANCE', series: 'EQ', tickSize: '0.1', brokerSymbol: 'RELIANCE-EQ', token: '2885' }),
    listing({ exchange: 'NSE_INDEX', kind: 'INDEX', root: 'Nifty 50', brokerSymbol: 'NIFTY INDEX', token: '26000' }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'BAJAJ-AUTO',
      series: 'EQ',
      tickSize: '0.5',
      brokerSymbol: 'BAJAJ-AUTO-EQ',
      token: '16669',
    }),
    listing({ exchange: 'NSE', kind: 'EQ', root: 'M&M', series: 'EQ', tickSize: '0.1', brokerSymbol: 'M&M-EQ', token: '2031' }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'CENTRALBK',
      series: 'BE',
      tickSize: '0.01',
      brokerSymbol: 'CENTRALBK-BE',
      token: '14894',
    }),
    listing({ exchange: 'BSE', kind: 'EQ', root: 'RELIANCE', tickSize: '0.05', brokerSymbol: 'RELIANCE', token: '500325' }),
    ...['bond', 'dummy', 'no series', 'unreadable lot', 'unreadable token', 'unreadable tick', 'no symbol', 'other exchange'].map(skipped),
  ]);
});

test('every row of the files of contracts, whole, or why it is left out', () => {
  const rupee = { exchange: 'CDS', root: 'USDINR', expiry: '2026-09-28', lotSize: 1000, tickSize: '0.0025' } as const;
  const fifty = { exchange: 'BFO', kind: 'CE', root: 'SENSEX50', strike: '26000', lotSize: 25, tickSize: '0.05' } as const;
  expect(readAll(master, contracts)).toEqual([
    listing({
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
    listing({
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      expiry: '2026-10-19',
      lotSize: 100,
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL19OCT26',
      token: '569900',
    }),
    listing({
      exchange: 'NFO',
      kind: 'FUT',
      root: 'NIFTY',
      expiry: '2026-10-27',
      lotSize: 65,
      tickSize: '0.1',
      brokerSymbol: 'NIFTY27OCT26F',
      token: '53001',
    }),
    listing({
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
    listing({
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
    skipped('expired'),
    listing({ ...fifty, expiry: '2026-10-29', brokerSymbol: 'SENSEX5026OCT26000CE', token: '1143904' }),
    listing({
      exchange: 'BFO',
      kind: 'FUT',
      root: 'BANKEX',
      expiry: '2026-09-29',
      lotSize: 30,
      tickSize: '0.05',
      brokerSymbol: 'BANKEX26SEPFUT',
      token: '1143902',
    }),
    listing({ ...rupee, kind: 'FUT', brokerSymbol: 'USDINR28SEP26F', token: '1612' }),
    listing({ ...rupee, kind: 'CE', strike: '86.25', brokerSymbol: 'USDINR28SEP26C86.25', token: '1619' }),
    ...['dummy', 'spread', 'other kind', 'expired', 'unreadable expiry', 'unreadable strike', 'other kind', 'no symbol', 'no symbol'].map(
      skipped,
    ),
  ]);
});

test('the one name', () => {
  const names = readAll(master, [...shares, ...contracts])
    .filter(isListed)
    .map(canonicalSymbol);
  expect(names).toEqual([
    ...['RELIANCE', 'NIFTY', 'BAJAJ-AUTO', 'M&M', 'CENTRALBK-BE', 'RELIANCE'],
    ...['NIFTY29SEP2629200CE', 'CRUDEOIL19OCT26FUT', 'NIFTY27OCT26FUT', 'VEDL29SEP26292.5PE', 'SENSEX01OCT2682000PE'],
    ...['SENSEX5029OCT2626000CE', 'BANKEX29SEP26FUT', 'USDINR28SEP26FUT', 'USDINR28SEP2686.25CE'],
  ]);
});

test('no text in any column makes it throw or list nonsense', () => standsAnyText(master, [...shares, ...contracts]));
