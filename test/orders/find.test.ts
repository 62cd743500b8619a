import { describe, expect, it } from 'vitest';
import { findOrder } from '../../server/orders/find.ts';
import { attempt, orderRow, START } from './parts.ts';

const ours = attempt();
const base = { attempt: ours, taken: new Set<string>() };
const stranger = { tag: 'z9999999999999zz' };
const untagged = { tag: null };
const at = (ms: number) => ({ placed_at: new Date(START + ms).toISOString() });

describe('a row with a tag', () => {
  it('is ours when the tag is', () => {
    const rows = [orderRow({ ...stranger, order_id: '1' }), orderRow({ order_id: '2' }), orderRow({ ...untagged, order_id: '3' })];
    expect(findOrder({ ...base, rows })).toEqual({ kind: 'found', row: rows[1] });
  });
  it('is found whatever else it says', () => {
    const row = orderRow({ order_type: 'LIMIT', quantity: 9, symbol: 'SBIN-EQ', ...at(-90_000) });
    expect(findOrder({ ...base, rows: [row] })).toEqual({ kind: 'found', row });
  });
  it('of somebody else is nobody’s business', () => {
    expect(findOrder({ ...base, rows: [orderRow(stranger)] })).toEqual({ kind: 'absent' });
  });
  it('of ours, twice, is unclear', () => {
    const rows = [orderRow({ order_id: '1' }), orderRow({ order_id: '2' })];
    expect(findOrder({ ...base, rows })).toEqual({ kind: 'unclear', candidates: ['1', '2'] });
  });
});

describe('a row without a tag', () => {
  const search = (row: Parameters<typeof orderRow>[0], change = {}) =>
    findOrder({ ...base, rows: [orderRow({ ...untagged, ...row })], ...change }).kind;
  it('that fits is neither ours nor proof of absence, whatever its order type and price', () => {
    expect(findOrder({ ...base, rows: [orderRow(untagged)] })).toEqual({ kind: 'unclear', candidates: ['1001'] });
    expect(search({ order_type: 'LIMIT', price: 812 })).toBe('unclear');
  });
  it.each([
    ['exchange', { exchange: 'BSE' }],
    ['symbol', { symbol: 'SBIN-BE' }],
    ['side', { transaction_type: 'SELL' }],
    ['quantity', { quantity: 11 }],
  ])('of another %s does not fit', (_, row) => {
    expect(search(row)).toBe('absent');
  });
  it.each([
    [-2001, 'absent'],
    [-2000, 'unclear'],
    [0, 'unclear'],
    [127_000, 'unclear'],
    [127_001, 'absent'],
  ])('stamped %i ms from our start: %s', (ms, kind) => {
    expect(search(at(ms))).toBe(kind);
  });
  it('is stamped by the broker’s clock, which is brought to ours', () => {
    const late = { attempt: attempt({ clockOffsetMs: 60_000 }) };
    expect(search(at(-61_000), late)).toBe('unclear');
    expect(search(at(68_000), late)).toBe('absent');
  });
  it('and without a time may be ours', () => {
    expect(search({ placed_at: null })).toBe('unclear');
  });
  it('that belongs to another attempt is not ours', () => {
    expect(search({}, { taken: new Set(['1001']) })).toBe('absent');
  });
  it('is named among all that fit', () => {
    const rows = [orderRow({ ...untagged, order_id: '1' }), orderRow({ ...untagged, order_id: '2' })];
    expect(findOrder({ ...base, rows })).toEqual({ kind: 'unclear', candidates: ['1', '2'] });
    expect(findOrder({ ...base, rows, taken: new Set(['1']) })).toEqual({ kind: 'unclear', candidates: ['2'] });
  });
});

it('an empty book holds nothing of ours', () => {
  expect(findOrder({ ...base, rows: [] })).toEqual({ kind: 'absent' });
});
