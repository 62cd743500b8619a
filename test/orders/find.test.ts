import { describe, expect, it } from 'vitest';
import { findOrder } from '../../server/orders/find.ts';
import { attempt, orderRow, START } from './parts.ts';

const ours = attempt();
const base = { attempt: ours, taken: new Set<string>(), rivals: [], carriesTag: false };
const stranger = { tag: 'z9999999999999zz' };
const untagged = { tag: null };
const at = (ms: number) => ({ placed_at: new Date(START + ms).toISOString() });

describe('on a broker that carries tags', () => {
  const tagged = { ...base, carriesTag: true };
  it('only our tag is ours', () => {
    const rows = [orderRow({ ...stranger, order_id: '1' }), orderRow({ order_id: '2' }), orderRow({ ...untagged, order_id: '3' })];
    expect(findOrder({ ...tagged, rows })).toEqual({ kind: 'found', row: rows[1] });
  });
  it('finds it whatever else the row says', () => {
    const row = orderRow({ order_type: 'LIMIT', quantity: 9, symbol: 'SBIN-EQ', ...at(-90_000) });
    expect(findOrder({ ...tagged, rows: [row] })).toEqual({ kind: 'found', row });
  });
  it('a fitting row with another tag is nobody’s business', () => {
    expect(findOrder({ ...tagged, rows: [orderRow(stranger)] })).toEqual({ kind: 'absent' });
  });
  it('an untagged fitting row is neither ours nor proof of absence', () => {
    expect(findOrder({ ...tagged, rows: [orderRow(untagged)] })).toEqual({ kind: 'unclear', candidates: ['1001'] });
  });
  it('our tag twice is unclear', () => {
    const rows = [orderRow({ order_id: '1' }), orderRow({ order_id: '2' })];
    expect(findOrder({ ...tagged, rows })).toEqual({ kind: 'unclear', candidates: ['1', '2'] });
  });
});

describe('on a broker without tags', () => {
  const search = (row: Parameters<typeof orderRow>[0], change = {}) =>
    findOrder({ ...base, rows: [orderRow({ ...untagged, ...row })], ...change }).kind;
  it('one fitting row is ours, whatever its order type and price', () => {
    expect(search({ order_type: 'LIMIT', price: 812 })).toBe('found');
  });
  it.each([
    ['exchange', { exchange: 'BSE' }],
    ['symbol', { symbol: 'SBIN-BE' }],
    ['side', { transaction_type: 'SELL' }],
    ['quantity', { quantity: 11 }],
  ])('another %s does not fit', (_, row) => {
    expect(search(row)).toBe('absent');
  });
  it.each([
    [-2001, 'absent'],
    [-2000, 'found'],
    [0, 'found'],
    [127_000, 'found'],
    [127_001, 'absent'],
  ])('a row stamped %i ms from our start: %s', (ms, kind) => {
    expect(search(at(ms))).toBe(kind);
  });
  it('the broker’s clock is brought to ours', () => {
    const late = { attempt: attempt({ clockOffsetMs: 60_000 }) };
    expect(search(at(-61_000), late)).toBe('found');
    expect(search(at(68_000), late)).toBe('absent');
  });
  it('a row without a time may be ours and proves nothing', () => {
    expect(search({ placed_at: null })).toBe('unclear');
  });
  it('a row that belongs to another attempt is not ours', () => {
    expect(search({}, { taken: new Set(['1001']) })).toBe('absent');
  });
  it('two fitting rows are never guessed between', () => {
    const rows = [orderRow({ ...untagged, order_id: '1' }), orderRow({ ...untagged, order_id: '2' })];
    expect(findOrder({ ...base, rows })).toEqual({ kind: 'unclear', candidates: ['1', '2'] });
    expect(findOrder({ ...base, rows, taken: new Set(['1']) })).toEqual({ kind: 'found', row: rows[1] });
  });
  it('two attempts that could own one row leave it unclear; itself and a different one do not', () => {
    expect(search({}, { rivals: [attempt({ key: 'k:two' })] })).toBe('unclear');
    expect(search({}, { rivals: [ours, attempt({ key: 'k:two', quantity: 11 })] })).toBe('found');
  });
});

it('an empty book holds nothing of ours', () => {
  expect(findOrder({ ...base, rows: [] })).toEqual({ kind: 'absent' });
});
