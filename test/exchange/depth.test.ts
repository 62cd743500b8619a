import { expect, test } from 'vitest';
import { findInstrument } from '../../server/exchange/instruments.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { depthOf, unitsIn } from '../../server/exchange/views.ts';

const share = { ...(findInstrument('NSE', 'SBIN') as Instrument), tick: '0.05', lotSize: 10 };
const at = (bid: string, ask: string) => ({ last: bid, bid, ask, open: bid, high: ask, low: bid, close: bid, volume: 0 });
const prices = (side: { price: object }[]) => side.map(({ price }) => String(price));

test('bids fall and asks rise from the best, a tick a level', () => {
  const { bids, asks } = depthOf(share, at('812', '812.1'), 3);
  expect([prices(bids), prices(asks)]).toEqual([
    ['812', '811.95', '811.9'],
    ['812.1', '812.15', '812.2'],
  ]);
  expect(unitsIn(share, bids)).toBe(6_000);
});

test('nobody bids 0 or less', () => {
  const { bids } = depthOf(share, at('0.1', '0.15'), 4);
  expect(bids.map(({ price, lots, orders }) => [String(price), lots, orders])).toEqual([
    ['0.1', 100, 1],
    ['0.05', 200, 2],
    ['0', 0, 0],
    ['0', 0, 0],
  ]);
});
