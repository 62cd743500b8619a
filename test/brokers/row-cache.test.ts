import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowCache, rowCaches } from '../../server/brokers/row-cache.ts';
import { trialsOf } from '../support/proven.ts';

const row = (id: number, more: object = {}) => ({ order_id: String(id), quantity: 10, meta: { note: null }, tags: ['a'], ...more });
const book = (...rows: object[]) => JSON.stringify({ status: 'success', data: rows });

interface Book {
  data: object[];
}
const dataOf = (value: unknown) => (value as Book).data;

describe('an answer that is read again', () => {
  test('holds the same objects for the rows that did not change, wherever new ones came', () => {
    const grown = [
      [row(1), row(2), row(3), row(4)],
      [row(4), row(1), row(2), row(3)],
    ];
    for (const rows of grown) {
      const rowCache = new RowCache();
      const before = dataOf(rowCache.read(book(row(1), row(2), row(3))));
      const after = dataOf(rowCache.read(book(...rows)));
      expect(after).toEqual(rows);
      expect(after.filter((each) => before.includes(each))).toEqual(before);
      const changed = dataOf(
        rowCache.read(book(...rows.map((each) => ('order_id' in each && each.order_id === '2' ? row(2, { quantity: 5 }) : each)))),
      );
      expect(changed).toContainEqual(row(2, { quantity: 5 }));
      expect(changed.filter((each) => after.includes(each))).toHaveLength(3);
    }
  });

  test('keeps each list of an answer apart', () => {
    const rowCache = new RowCache();
    const positions = (net: object[], day: object[]) => JSON.stringify({ data: { net, day, count: [net.length] } });
    const first = rowCache.read(positions([row(1), row(2)], [row(2)])) as { data: { net: object[]; day: object[] } };
    expect(rowCache.read(positions([row(2)], []))).toEqual({ data: { net: [row(2)], day: [], count: [1] } });
    const third = rowCache.read(positions([row(1), row(2)], [row(2)])) as typeof first;
    expect(third).toEqual(first);
  });

  test('is told right when what parts its rows changes', () => {
    const rowCache = new RowCache();
    for (const text of ['[{"a":1}, {"a":2}]', '[{"a":1}, {"a":2},{"a":3}]', '[{"a":3}]', '[{"a":3},{"a":4}]', '[{"a":3},{"a":4},{"a":5}]'])
      expect(rowCache.read(text)).toEqual(JSON.parse(text));
  });

  test('hands out lists of its own and rows nobody can change', () => {
    const rowCache = new RowCache();
    const list = dataOf(rowCache.read(book(row(1), row(2))));
    list.pop();
    expect(() => Object.assign(list[0] ?? {}, { quantity: 1 })).toThrow();
    expect(() => Object.assign((list[0] as { meta: object }).meta, { note: 1 })).toThrow();
    expect(rowCache.read(book(row(1), row(2)))).toEqual(JSON.parse(book(row(1), row(2))));
  });

  test.each([
    ['nested lists of rows', book(row(1, { legs: [{ a: 1 }, { a: 2 }] }), row(2))],
    ['row signs inside a text', book(row(1, { message: 'a},{b' }), row(2, { message: '[{' }), row(3, { message: '}]' }))],
    ['the mark itself', JSON.stringify({ data: [row(1)], other: ['@rows 0'] })],
    ['the mark in a row', book(row(1, { tags: ['@rows 0'] }))],
    ['a name given twice', '{"data":[{"a":1}],"data":[{"a":2}]}'],
    ['__proto__', '{"data":[{"__proto__":{"a":1}}],"__proto__":[{"b":1}]}'],
    ['no list', '{"status":"error","message":"no"}'],
    ['empty rows', '[{},{}]'],
    ['blanks between rows', '{"data": [{"a": 1}, {"a": 2}]}'],
    ['line ends between rows', JSON.stringify({ data: [row(1), row(2)] }, null, 2)],
  ])('is read like any other JSON: %s', (_name, text) => {
    const rowCache = new RowCache();
    for (let time = 0; time < 3; time += 1) {
      expect(rowCache.read(text)).toEqual(JSON.parse(text));
      expect(JSON.stringify(rowCache.read(text))).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test.each([
    '',
    '<html>',
    '{"data":[{"a":1},{"a":2}',
    '{"data":[{"a":1},{"a":2]}',
    '{"data":[{"a":1},,{"a":2}]}',
    '{"data":[{"a":1}{"a":2}]}',
    '[{"a":1},{"a"]}',
    '"a[{"b":1}]"',
    '{"a":1},{"b":2}',
  ])('is not read when it is no JSON: %s', (text) => {
    const rowCache = new RowCache();
    rowCache.read(book(row(1), row(2)));
    expect(rowCache.read(text)).toBeUndefined();
    expect(rowCache.read(book(row(1), row(2)))).toEqual(JSON.parse(book(row(1), row(2))));
  });

  test('has the value of JSON.parse whatever it is, cut and bent texts too', () => {
    const pieces = fc.constantFrom(
      '[{',
      '},{',
      '}]',
      '}, {',
      '"@rows 0"',
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      '"a":1',
      '"a":',
      'null',
      '\\',
      ' ',
    );
    const rows = fc.array(fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 2 })), { maxLength: 5 });
    const whole = fc.oneof(
      rows.map((data) => JSON.stringify({ status: 'success', data })),
      fc.tuple(rows, rows).map(([net, day]) => JSON.stringify({ data: { net, day } })),
      // Books that grow and change, their rows parted by either comma, or by both.
      fc
        .tuple(fc.integer({ min: 1, max: 6 }), fc.nat(6), fc.nat(7))
        .map(([count, changed, blanks]) => `[${list(count, (id) => `{"id":${id === changed ? 99 : id}}${blanks === id ? ', ' : ','}`)}]`),
      fc.json(),
    );
    const bent = fc.tuple(whole, fc.nat(), fc.nat(8), pieces).map(([text, at, gone, piece]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(place + gone);
    });
    const texts = fc.array(
      fc.oneof(
        whole,
        bent,
        fc.array(pieces, { maxLength: 20 }).map((list) => list.join('')),
      ),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(texts, (list) => {
        const rowCache = new RowCache();
        for (const text of list) {
          const read = rowCache.read(text);
          expect(JSON.stringify(read)).toBe(JSON.stringify(parsed(text)));
        }
      }),
      { numRuns: trialsOf(500, 3000) },
    );
  });

  test('is remembered for as many paths as are asked again and again', () => {
    const recallOf = rowCaches();
    const orders = recallOf('/orders');
    for (let id = 0; id < 50; id += 1) {
      recallOf(`/orders/${id}`);
      expect(recallOf('/orders')).toBe(orders);
    }
    const first = recallOf('/orders/0');
    expect(recallOf('/orders/0')).toBe(first);
    for (let id = 1; id < 17; id += 1) recallOf(`/orders/${id}`);
    expect(recallOf('/orders/0')).not.toBe(first);
  });
});

/** Texts of rows, the last without its comma. */
function list(count: number, of: (id: number) => string): string {
  return Array.from({ length: count }, (_, id) => of(id))
    .join('')
    .replace(/,\s*$/, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
