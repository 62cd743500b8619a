import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/kotak/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';
import { csvRows, isListed, listing, readAll, skipped, standsAnyText } from './rows.ts';

const rows = csvRows('kotak');
const reliance = { kind: 'EQ', root: 'RELIANCE', name: 'RELIANCE INDUSTRIES LTD', isin: 'INE002A01018' } as const;

test('every row of the files, whole, or why it is left out', () => {
  expect(readAll(master, rows)).toEqual([
    listing({ exchange: 'NSE', ...reliance, series: 'EQ', tickSize: '0.1', brokerSymbol: 'RELIANCE-EQ', token: '2885' }),
    listing({
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      freezeQuantity: 1800,
      brokerSymbol: 'NIFTY26SEP29200CE',
      token: '35086',
    }),
    listing({
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      expiry: '2026-10-19',
      lotSize: 100,
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL19OCT26FUT',
      token: '569900',
    }),
    // Its quotes take indices by name.
    listing({ exchange: 'NSE_INDEX', kind: 'INDEX', root: 'NIFTY', brokerSymbol: 'Nifty 50', token: 'Nifty 50' }),
    listing({ exchange: 'BSE_INDEX', kind: 'INDEX', root: 'SENSEX', brokerSymbol: 'SENSEX', token: 'SENSEX' }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'BAJAJ-AUTO',
      series: 'EQ',
      name: 'BAJAJ AUTO LTD',
      tickSize: '0.5',
      freezeQuantity: 40_000,
      isin: 'INE917I01010',
      brokerSymbol: 'BAJAJ-AUTO-EQ',
      token: '16669',
    }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'CENTRALBK',
      series: 'BE',
      name: 'CENTRAL BANK OF INDIA',
      tickSize: '0.01',
      isin: 'INE483A01010',
      brokerSymbol: 'CENTRALBK-BE',
      token: '14894',
    }),
    listing({ exchange: 'BSE', ...reliance, tickSize: '0.05', brokerSymbol: 'RELIANCE', token: '500325' }),
    listing({
      exchange: 'NFO',
      kind: 'FUT',
      root: 'NIFTY',
      expiry: '2026-10-27',
      lotSize: 65,
      tickSize: '0.1',
      freezeQuantity: 1800,
      brokerSymbol: 'NIFTY26OCTFUT',
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
      freezeQuantity: 46_000,
      brokerSymbol: 'VEDL26SEP292.5PE',
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
      freezeQuantity: 1000,
      brokerSymbol: 'SENSEX26O0182000PE',
      token: '1143901',
    }),
    listing({
      exchange: 'BFO',
      kind: 'FUT',
      root: 'BANKEX',
      expiry: '2026-09-29',
      lotSize: 30,
      tickSize: '0.05',
      freezeQuantity: 900,
      brokerSymbol: 'BANKEX26SEPFUT',
      token: '1143902',
    }),
    listing({
      exchange: 'CDS',
      kind: 'CE',
      root: 'USDINR',
      expiry: '2026-09-28',
      strike: '86.25',
      lotSize: 1000,
      tickSize: '0.0025',
      brokerSymbol: 'USDINR26SEP86.25CE',
      token: '1619',
    }),
    ...['bond', 'dummy', 'expired', 'unreadable expiry', 'unreadable strike', 'unreadable strike', 'unreadable lot', 'unreadable tick'].map(
      skipped,
    ),
    ...['unreadable token', 'no symbol', 'spread', 'other kind', 'other kind', 'other exchange'].map(skipped),
  ]);
});

test('the one name', () => {
  const names = readAll(master, rows).filter(isListed).map(canonicalSymbol);
  expect(names.slice(0, 7)).toEqual([
    'RELIANCE',
    'NIFTY29SEP2629200CE',
    'CRUDEOIL19OCT26FUT',
    'NIFTY',
    'SENSEX',
    'BAJAJ-AUTO',
    'CENTRALBK-BE',
  ]);
  expect(names).toContain('USDINR28SEP2686.25CE');
});

test('no text in any column makes it throw or list nonsense', () => standsAnyText(master, rows));
