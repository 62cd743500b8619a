import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/fivepaisa/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';
import { csvRows, isListed, listing, readAll, skipped, standsAnyText } from './rows.ts';

const rows = csvRows('fivepaisa');
const reliance = { kind: 'EQ', root: 'RELIANCE', name: 'RELIANCE INDUSTRIES LTD', isin: 'INE002A01018', brokerSymbol: 'RELIANCE' } as const;
const rupee = {
  kind: 'FUT',
  root: 'USDINR',
  name: 'USDINR',
  expiry: '2026-09-28',
  tickSize: '0.0025',
  brokerSymbol: 'USDINR 28 Sep 2026',
} as const;

test('every row of the file, whole, or why it is left out', () => {
  expect(readAll(master, rows)).toEqual([
    listing({ exchange: 'NSE', ...reliance, series: 'EQ', tickSize: '0.1', token: '2885' }),
    listing({
      exchange: 'NFO',
      kind: 'CE',
      root: 'NIFTY',
      name: 'NIFTY',
      expiry: '2026-09-29',
      strike: '29200',
      lotSize: 65,
      tickSize: '0.05',
      freezeQuantity: 1800,
      brokerSymbol: 'NIFTY 29 Sep 2026 CE 29200.00',
      token: '35086',
    }),
    listing({
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      name: 'CRUDEOIL',
      expiry: '2026-10-19',
      lotSize: 100,
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL 19 Oct 2026',
      token: '569900',
    }),
    listing({ exchange: 'NSE_INDEX', kind: 'INDEX', root: 'NIFTY', name: 'NIFTY 50', brokerSymbol: 'NIFTY', token: '999920000' }),
    listing({ exchange: 'BSE_INDEX', kind: 'INDEX', root: 'SENSEX', name: 'S&P BSE SENSEX', brokerSymbol: 'SENSEX', token: '999901' }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'M&M',
      series: 'EQ',
      name: 'MAHINDRA & MAHINDRA LTD',
      tickSize: '0.1',
      isin: 'INE101A01026',
      brokerSymbol: 'M&M',
      token: '2031',
    }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'YESBANK',
      series: 'BE',
      name: 'YES BANK LTD',
      tickSize: '0.01',
      isin: 'INE528G01035',
      brokerSymbol: 'YESBANK',
      token: '11915',
    }),
    listing({ exchange: 'BSE', ...reliance, tickSize: '0.05', token: '500325' }),
    listing({
      exchange: 'BFO',
      kind: 'PE',
      root: 'SENSEX',
      name: 'SENSEX',
      expiry: '2026-10-01',
      strike: '82000',
      lotSize: 20,
      tickSize: '0.05',
      freezeQuantity: 1000,
      brokerSymbol: 'SENSEX 01 Oct 2026 PE 82000.00',
      token: '1143901',
    }),
    listing({
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      name: 'VEDL',
      expiry: '2026-09-29',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      brokerSymbol: 'VEDL 29 Sep 2026 PE 292.50',
      token: '46545',
    }),
    listing({ exchange: 'CDS', ...rupee, token: '1612' }),
    listing({ exchange: 'BCD', ...rupee, token: '1660' }),
    ...['bond', 'dummy', 'expired', 'unreadable expiry', 'unreadable strike', 'unreadable lot', 'unreadable tick', 'unreadable token'].map(
      skipped,
    ),
    ...['no symbol', 'spread', 'other kind', 'other exchange', 'unreadable series'].map(skipped),
  ]);
});

test('the one name', () => {
  const names = readAll(master, rows).filter(isListed).map(canonicalSymbol);
  expect(names.slice(0, 7)).toEqual(['RELIANCE', 'NIFTY29SEP2629200CE', 'CRUDEOIL19OCT26FUT', 'NIFTY', 'SENSEX', 'M&M', 'YESBANK-BE']);
  expect(names).toContain('VEDL29SEP26292.5PE');
});

test('no text in any column makes it throw or list nonsense', () => standsAnyText(master, rows));
