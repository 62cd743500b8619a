import { expect, test } from 'vitest';
import { listed, type MasterRow } from '../../../server/brokers/master-row.ts';
import { TODAY } from './rows.ts';

/** What every broker's rows go through alike. */

const share: MasterRow = { exchange: 'NSE', kind: 'EQ', root: 'IIFL', symbol: 'IIFL', token: '11809', lot: '1', tick: '0.05' };
const contract: MasterRow = { ...share, exchange: 'NFO', kind: 'FUT', root: 'NIFTY', symbol: 'NIFTY26OCTFUT', expiry: '2026-10-27' };
const reasonOf = (row: MasterRow) => Object.entries(listed(row, TODAY)).find(([name]) => name === 'skipped')?.[1];

test('bonds, and the windows that list shares a second time, are left out', () => {
  const bonds = ['SG', 'GS', 'GB', 'GC', 'TB', 'BL', 'IL', 'IQ', 'RL', 'N5', 'NA', 'Y1', 'YB', 'Z9', 'ZZ'];
  for (const series of bonds) expect(reasonOf({ ...share, series }), series).toBe('bond');
  for (const series of ['EQ', 'BE', 'BZ', 'SM', 'ST', 'SZ', 'RR', 'IV', 'W1', ''])
    expect(reasonOf({ ...share, series }), series).toBeUndefined();
  // Groups of BSE are no series.
  expect(reasonOf({ ...share, exchange: 'BSE', series: 'GC' })).toBeUndefined();
});

test('two contracts traded as one are left out', () => {
  const pairs = [
    'NIFTY27OCT26-24NOV26',
    'NIFTY 27 OCT 24 NOV',
    'NIFTY26OCT26NOVFUT',
    'NIFTY27OCT26FUT-24NOV26FUT',
    'NIFTY SPD',
    'NIFTYSPREAD',
  ];
  for (const symbol of pairs) expect(reasonOf({ ...contract, symbol }), symbol).toBe('spread');
  const single = ['NIFTY26OCTFUT', 'MARUTI27OCT26FUT', '63MOONS26OCTFUT', 'NIFTY26O2729200CE', 'SPDR26OCTFUT'];
  for (const symbol of single) expect(reasonOf({ ...contract, symbol }), symbol).toBeUndefined();
});

test('a kind that its exchange does not trade is left out', () => {
  expect(reasonOf({ ...contract, exchange: 'NSE' })).toBe('other kind');
  expect(reasonOf({ ...share, exchange: 'NFO' })).toBe('other kind');
  expect(reasonOf({ ...share, exchange: 'NSE_INDEX' })).toBe('other kind');
  expect(reasonOf({ ...share, kind: 'INDEX' })).toBe('other kind');
});

test.each(['', ' ', 'NaN', '-', 'IIFL\u0000', 'II\nFL'])('%j is no name', (text) => {
  expect(reasonOf({ ...share, root: text })).toBe('no symbol');
  expect(reasonOf({ ...share, symbol: text })).toBe('no symbol');
  expect(reasonOf({ ...share, token: text })).toBe('unreadable token');
  expect(listed({ ...share, name: text }, TODAY)).toMatchObject({ root: 'IIFL', name: null });
});
