import { describe, expect, it } from 'vitest';
import { InstrumentNames, tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { fittingRows, rowById, taggedRows } from '../../server/orders/find.ts';
import { attempt, orderRow, START, TAG } from './parts.ts';

const ours = attempt();
const untagged = { tag: null };
const at = (ms: number) => ({ placed_at: new Date(START + ms).toISOString() });

describe('rows with a tag', () => {
  it('are ours when the tag is, in any letters', () => {
    const rows = [
      orderRow({ tag: 'z9999999999999zz' }),
      orderRow({ order_id: '2' }),
      orderRow(untagged),
      orderRow({ tag: TAG.toUpperCase() }),
    ];
    expect(taggedRows(ours, rows)).toEqual([rows[1], rows[3]]);
    expect(taggedRows(attempt({ tag: TAG.toUpperCase() }), rows)).toEqual([rows[1], rows[3]]);
  });
  it('are ours whatever else they say', () => {
    const row = orderRow({ order_type: 'LIMIT', quantity: 9, symbol: 'INFY', ...at(-90_000) });
    expect(taggedRows(ours, [row])).toEqual([row]);
  });
  it('of somebody else fit nobody, however alike they are', () => {
    expect(fittingRows(ours, [orderRow({ tag: 'z9999999999999zz' })], new InstrumentNames(tradedBySymbol))).toEqual([]);
  });
});

describe('a row with our order id', () => {
  const named = attempt({ orderId: '1001' });
  const row = (placedAt: string, tag: string | null = null) => orderRow({ tag, placed_at: new Date(`${placedAt}+05:30`).toISOString() });
  it('is ours on the day of the attempt alone', () => {
    expect(rowById(named, [row('2026-11-20T23:59:59')])).not.toBeNull();
    expect(rowById(named, [row('2026-11-19T23:59:59')])).toBeNull();
    expect(rowById(named, [row('2026-11-21T00:00:00')])).toBeNull();
  });
  it.each([
    ['2026-11-19T23:59:30', 60_000, true],
    ['2026-11-20T00:00:30', -60_000, false],
    ['2026-11-20T23:59:30', 60_000, false],
    ['2026-11-21T00:00:30', -60_000, true],
  ])('stamped %s by a clock that ours is %i ms ahead of is of the attempt’s day by ours: %s', (placedAt, clockOffsetMs, isOurs) => {
    const told = attempt({ orderId: '1001', clockOffsetMs });
    expect(rowById(told, [row(placedAt)]) !== null).toBe(isOurs);
  });
  it('and without a time may be ours', () => {
    const untimed = orderRow({ tag: null, placed_at: null });
    expect(rowById(named, [untimed])).toBe(untimed);
  });
  it('is ours on any day when it has our tag', () => {
    expect(rowById(named, [row('2026-11-21T00:00:00'), row('2026-11-21T00:00:01', TAG)])?.tag).toBe(TAG);
  });
  it('of an order for a later session is ours from the evening on', () => {
    const later = attempt({ orderId: '1001', tradingDay: '2026-11-23' });
    for (const day of ['2026-11-20', '2026-11-23']) expect(rowById(later, [row(`${day}T20:00:00`)]), day).not.toBeNull();
    expect(rowById(later, [row('2026-11-24T00:00:00')])).toBeNull();
  });
});

describe('a row without a tag', () => {
  const fits = (row: Parameters<typeof orderRow>[0], change = {}, tradedBy = tradedBySymbol) =>
    fittingRows({ ...ours, ...change }, [orderRow({ ...untagged, ...row })], new InstrumentNames(tradedBy)).length === 1;
  it('may be ours whatever its order type and price', () => {
    expect(fits({})).toBe(true);
    expect(fits({ order_type: 'LIMIT', price: 812 })).toBe(true);
  });
  it.each([
    ['exchange', { exchange: 'BSE' }],
    ['symbol', { symbol: 'INFY' }],
    ['side', { transaction_type: 'SELL' }],
    ['quantity', { quantity: 11 }],
  ])('of another %s does not fit', (_, row) => {
    expect(fits(row)).toBe(false);
  });
  it.each([{ symbol: 'SBIN-EQ' }, { symbol: 'sbin' }, { symbol: 'NSE:SBIN' }, { symbol: '' }, { exchange: 'NSE_EQ' }])(
    'in another spelling fits: %o',
    (row) => {
      expect(fits(row)).toBe(true);
    },
  );
  it('of another token is another instrument where the broker trades by it, and of the same token none other', () => {
    expect(fits({ token: '0779521', symbol: 'X' }, {}, tradedByNumber)).toBe(true);
    expect(fits({ token: '3045' }, {}, tradedByNumber)).toBe(false);
    expect(fits({ token: null }, {}, tradedByNumber)).toBe(true);
  });
  it.each([
    [-2001, false],
    [-2000, true],
    [0, true],
    [127_000, true],
    [127_001, false],
  ])('stamped %i ms from our start: %s', (ms, fitting) => {
    expect(fits(at(ms))).toBe(fitting);
  });
  it('is stamped by the broker’s clock, which is brought to ours', () => {
    expect(fits(at(-61_000), { clockOffsetMs: 60_000 })).toBe(true);
    expect(fits(at(68_000), { clockOffsetMs: 60_000 })).toBe(false);
  });
  it('and without a time may be ours', () => {
    expect(fits({ placed_at: null })).toBe(true);
  });
});
