import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/upstox/master.ts';
import { canonicalSymbol } from '../../../server/instruments/name.ts';
import { isListed, jsonRows, listing, readAll, skipped, standsAnyText } from './rows.ts';

const rows = jsonRows('upstox');
const reliance = { kind: 'EQ', root: 'RELIANCE', name: 'RELIANCE INDUSTRIES LTD', isin: 'INE002A01018', freezeQuantity: 100_000 } as const;

test('every row of the file, whole, or why it is left out', () => {
  expect(readAll(master, rows)).toEqual([
    listing({ exchange: 'NSE', ...reliance, series: 'EQ', tickSize: '0.1', brokerSymbol: 'RELIANCE', token: 'NSE_EQ|INE002A01018' }),
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
      brokerSymbol: 'NIFTY 29200 CE 29 SEP 26',
      token: 'NSE_FO|35086',
    }),
    listing({
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      name: 'CRUDE OIL',
      expiry: '2026-10-19',
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL FUT 19 OCT 26',
      token: 'MCX_FO|569900',
    }),
    listing({ exchange: 'NSE_INDEX', kind: 'INDEX', root: 'NIFTY', name: 'Nifty 50', brokerSymbol: 'NIFTY', token: 'NSE_INDEX|Nifty 50' }),
    listing({ exchange: 'BSE_INDEX', kind: 'INDEX', root: 'SENSEX', name: 'SENSEX', brokerSymbol: 'SENSEX', token: 'BSE_INDEX|SENSEX' }),
    listing({
      exchange: 'NSE',
      kind: 'EQ',
      root: 'CENTRALBK',
      series: 'BE',
      name: 'CENTRAL BANK OF INDIA',
      tickSize: '0.01',
      isin: 'INE483A01010',
      brokerSymbol: 'CENTRALBK',
      token: 'NSE_EQ|INE483A01010',
    }),
    listing({ exchange: 'BSE', ...reliance, tickSize: '0.05', brokerSymbol: 'RELIANCE', token: 'BSE_EQ|INE002A01018' }),
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
      brokerSymbol: 'SENSEX 82000 PE 01 OCT 26',
      token: 'BSE_FO|1143901',
    }),
    listing({
      exchange: 'NFO',
      kind: 'PE',
      root: 'VEDL',
      name: 'VEDANTA',
      expiry: '2026-09-29',
      strike: '292.5',
      lotSize: 1150,
      tickSize: '0.05',
      freezeQuantity: 46_000,
      brokerSymbol: 'VEDL 292.5 PE 29 SEP 26',
      token: 'NSE_FO|46545',
    }),
    listing({
      exchange: 'CDS',
      kind: 'FUT',
      root: 'USDINR',
      name: 'USDINR',
      expiry: '2026-09-28',
      tickSize: '0.0025',
      brokerSymbol: 'USDINR FUT 28 SEP 26',
      token: 'NCD_FO|1612',
    }),
    listing({
      exchange: 'BCD',
      kind: 'CE',
      root: 'USDINR',
      name: 'USDINR',
      expiry: '2026-09-28',
      strike: '86.25',
      tickSize: '0.0025',
      brokerSymbol: 'USDINR 86.25 CE 28 SEP 26',
      token: 'BCD_FO|1661',
    }),
    listing({
      exchange: 'NCO',
      kind: 'FUT',
      root: 'GOLD',
      name: 'GOLD',
      expiry: '2026-09-29',
      tickSize: '1',
      brokerSymbol: 'GOLD FUT 29 SEP 26',
      token: 'NSE_COM|88',
    }),
    ...['bond', 'dummy', 'expired', 'unreadable expiry', 'unreadable strike', 'unreadable lot', 'unreadable tick', 'unreadable token'].map(
      skipped,
    ),
    ...['no symbol', 'spread', 'unreadable series', 'other kind', 'other exchange'].map(skipped),
  ]);
});

test('the one name', () => {
  const names = readAll(master, rows).filter(isListed).map(canonicalSymbol);
  expect(names.slice(0, 6)).toEqual(['RELIANCE', 'NIFTY29SEP2629200CE', 'CRUDEOIL19OCT26FUT', 'NIFTY', 'SENSEX', 'CENTRALBK-BE']);
  expect(names).toContain('USDINR28SEP2686.25CE');
});

test('no text in any column makes it throw or list nonsense', () => standsAnyText(master, rows));
