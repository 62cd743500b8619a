import { expect, test } from 'vitest';
import { master } from '../../../server/brokers/groww/master.ts';
import { csvRows, entry, misreadsNothing, readAll } from './rows.ts';

const rows = csvRows('groww');
const share = (root: string, series: string, token: string) =>
  ({ exchange: 'NSE', kind: 'EQ', root, series, brokerSymbol: root, token, tickSize: '0.01' }) as const;
const index = (root: string, name: string, token: string) => ({ kind: 'INDEX', root, name, brokerSymbol: root, token }) as const;
const nfo = { exchange: 'NFO', expiry: '2026-09-29', tickSize: '0.05' } as const;
const sensex = { exchange: 'BFO', root: 'SENSEX', expiry: '2026-10-29', lotSize: 20, tickSize: '0.05', freezeQuantity: 1000 } as const;
const reliance = { name: 'Reliance Industries', isin: 'INE002A01018' };

test('lists what trades, and says why it leaves a row out', () => {
  expect(readAll(master, rows)).toEqual([
    entry('RELIANCE', { ...share('RELIANCE', 'EQ', '2885'), ...reliance, tickSize: '0.1' }),
    entry('NIFTY29SEP2629200CE', {
      ...nfo,
      kind: 'CE',
      root: 'NIFTY',
      strike: '29200',
      lotSize: 65,
      freezeQuantity: 1800,
      brokerSymbol: 'NIFTY26SEP29200CE',
      token: '35086',
    }),
    // What a quantity counts on MCX is not known, and so not what this limit does.
    entry('CRUDEOIL19OCT26FUT', {
      exchange: 'MCX',
      kind: 'FUT',
      root: 'CRUDEOIL',
      expiry: '2026-10-19',
      lotSize: 100,
      tickSize: '1',
      brokerSymbol: 'CRUDEOIL26OCTFUT',
      token: '569900',
    }),
    entry('BAJAJ-AUTO', { ...share('BAJAJ-AUTO', 'EQ', '16669'), name: 'Bajaj Auto', isin: 'INE917I01010', tickSize: '1' }),
    entry('KRITI-BE', { ...share('KRITI', 'BE', '9012'), name: 'Kriti Industries, India', isin: 'INE479D01038' }),
    entry('SMECO-SM', { ...share('SMECO', 'SM', '9999'), name: 'SME Co', lotSize: 1200, tickSize: '0.05' }),
    entry('EMBASSY-RR', { ...share('EMBASSY', 'RR', '9383'), name: 'Embassy Office Parks', isin: 'INE041025011' }),
    entry('RELIANCE', { ...share('RELIANCE', '', '500325'), ...reliance, exchange: 'BSE', series: null, tickSize: '0.05' }),
    entry('SENSEX29OCT2685000CE', { ...sensex, kind: 'CE', strike: '85000', brokerSymbol: 'SENSEX26OCT85000CE', token: '861221' }),
    entry('SENSEX29OCT26FUT', { ...sensex, kind: 'FUT', brokerSymbol: 'SENSEX26OCTFUT', token: '861201' }),
    // 40 cannot be shares, of which a lot has 1,150.
    entry('VEDL27OCT26292.5PE', {
      ...nfo,
      kind: 'PE',
      root: 'VEDL',
      expiry: '2026-10-27',
      strike: '292.5',
      lotSize: 1150,
      brokerSymbol: 'VEDL26OCT292.5PE',
      token: '60001',
    }),
    entry('NIFTYNXT5029SEP2670000CE', {
      ...nfo,
      kind: 'CE',
      root: 'NIFTYNXT50',
      strike: '70000',
      lotSize: 25,
      freezeQuantity: 600,
      brokerSymbol: 'NIFTYNXT5026SEP70000CE',
      token: '61001',
    }),
    entry('MIDCPNIFTY29SEP26FUT', {
      ...nfo,
      kind: 'FUT',
      root: 'MIDCPNIFTY',
      lotSize: 120,
      brokerSymbol: 'MIDCPNIFTY26SEPFUT',
      token: '61002',
    }),
    entry('NIFTY', { ...index('NIFTY', 'NIFTY 50', 'NIFTY'), exchange: 'NSE_INDEX' }),
    entry('NIFTYNXT50', { ...index('NIFTYJR', 'NIFTY Next 50', 'NIFTYJR'), exchange: 'NSE_INDEX' }),
    entry('SENSEX', { ...index('SENSEX', 'BSE Sensex', '1'), exchange: 'BSE_INDEX' }),
    entry('MCXBULLDEX', { ...index('MCXBULLDEX', 'MCX iCOMDEX Bullion', 'MCXBULLDEX'), exchange: 'MCX_INDEX' }),
    'bond',
    'bond',
    'symbol of another',
    'dummy',
    'no symbol',
    'expired',
    'spread',
    'unreadable strike',
    'unreadable strike',
    'unreadable expiry',
    'unreadable lot',
    'unreadable tick',
    'unreadable token',
    'other kind',
    'other exchange',
  ]);
});

test('misreads nothing', () => misreadsNothing(master, rows));
