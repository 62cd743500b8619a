import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listing, only, pairs, seenWord } from '../../server/brokers/listing.ts';
import { quantity, word } from '../../server/brokers/parse.ts';

/** A schema that counts how often it reads a row. */
function counting() {
  const reads: string[] = [];
  const schema = z.looseObject({ id: word, quantity }).transform((row) => {
    reads.push(row.id);
    return { order_id: row.id, quantity: row.quantity };
  });
  return { reads, schema };
}

function rowsOf(answer: ReturnType<typeof listing>): unknown[] {
  if (!answer.success) throw new Error(answer.message);
  return answer.normalized;
}

describe('a list of rows', () => {
  test('a row that did not change since it was read is not read again; one that did is', () => {
    const { reads, schema } = counting();
    const a = { id: 'a', quantity: 1 };
    const [first] = rowsOf(listing('orders', [a], schema));
    const again = rowsOf(listing('orders', [{ id: 'b', quantity: 2 }, a], schema));
    expect(again[1]).toBe(first);
    expect(rowsOf(listing('orders', [{ id: 'a', quantity: '5' }], schema))).toEqual([{ order_id: 'a', quantity: 5 }]);
    expect(reads).toEqual(['a', 'b', 'a']);
  });

  test('whoever changes a row fails at once, and nobody after him is told a wrong one', () => {
    const { schema } = counting();
    const a = { id: 'a', quantity: 1 };
    const [row] = rowsOf(listing('orders', [a], schema)) as { quantity: number }[];
    expect(() => Object.assign(row ?? {}, { quantity: 100 })).toThrow();
    expect(rowsOf(listing('orders', [a], schema))).toEqual([{ order_id: 'a', quantity: 1 }]);
  });

  test('what a caller does to a list it was given reaches no later one', () => {
    const { schema } = counting();
    const rows = [
      { id: 'a', quantity: 1 },
      { id: 'b', quantity: 2 },
    ];
    rowsOf(listing('orders', rows, schema)).reverse();
    expect(rowsOf(listing('orders', rows, schema))).toMatchObject([{ order_id: 'a' }, { order_id: 'b' }]);
    const given = [...rows];
    listing('orders', given, schema);
    given.reverse();
    expect(rowsOf(listing('orders', given, schema))).toMatchObject([{ order_id: 'b' }, { order_id: 'a' }]);
  });

  test('a row that cannot be read is left out and told, each time; the next list is read', () => {
    const { schema } = counting();
    const good = { id: 'a', quantity: 1 };
    const bad = { id: 'b', quantity: null, symbol: 'SBIN' };
    const name = z.looseObject({ symbol: seenWord }).transform(({ symbol }) => ({ exchange: '', symbol, token: null }));
    const unreadable = [{ row: bad, reason: 'quantity must be a number', exchange: null, symbol: 'SBIN', token: null }];
    for (let time = 0; time < 2; time += 1) {
      const list = listing('orders', [bad, good], schema, name);
      expect(list).toEqual({ success: true, data: [bad, good], normalized: [{ order_id: 'a', quantity: 1 }], unreadable });
      expect(list.success && pairs(list)).toEqual([{ raw: good, row: { order_id: 'a', quantity: 1 } }]);
      expect(list.success && only(list, () => false)).toEqual({ success: true, data: [bad], normalized: [], unreadable });
    }
    expect(listing('orders', [good], schema, name)).toEqual({ success: true, data: [good], normalized: [{ order_id: 'a', quantity: 1 }] });
  });

  test('what is no row at all may be any', () => {
    const list = listing('orders', [5, null], counting().schema);
    const nothing = { exchange: null, symbol: null, token: null };
    expect(list).toMatchObject({
      success: true,
      normalized: [],
      unreadable: [
        { row: 5, ...nothing },
        { row: null, ...nothing },
      ],
    });
  });

  test('the same row under another schema is another row', () => {
    const row = { id: 'a', quantity: 1 };
    const other = z.looseObject({ id: word }).transform(({ id }) => ({ trade_id: id }));
    expect(rowsOf(listing('orders', [row], counting().schema))).toEqual([{ order_id: 'a', quantity: 1 }]);
    expect(rowsOf(listing('trades', [row], other))).toEqual([{ trade_id: 'a' }]);
  });

  test('no list is no empty list', () => {
    expect(listing('orders', null, counting().schema)).toEqual({
      success: false,
      message: 'orders: the broker did not answer with a list',
    });
  });
});
