import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { newTag, recordKey, requestHash } from '../../server/orders/key.ts';
import { request } from './parts.ts';

describe('a record key', () => {
  it('is the caller’s own, or the fingerprint when that is null, absent or empty', () => {
    expect(recordKey(request({ idempotency_key: 'mine' }), 'zerodha')).toBe('k:mine');
    const fingerprint = recordKey(request(), 'zerodha');
    expect(fingerprint).toMatch(/^f:[0-9a-f]{64}$/);
    for (const none of [null, '', undefined]) expect(recordKey({ ...request(), idempotency_key: none }, 'zerodha')).toBe(fingerprint);
  });
  it('is hashed over 255 characters, and stays short', () => {
    expect(recordKey(request({ idempotency_key: 'x'.repeat(255) }), null)).toBe(`k:${'x'.repeat(255)}`);
    expect(recordKey(request({ idempotency_key: 'x'.repeat(256) }), null)).toMatch(/^k:sha256:[0-9a-f]{64}$/);
  });
  it('keeps different keys apart, whatever characters they hold', () => {
    const unit = fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom('\0', '\ufffd', '\ud800', '\udc00', '\ud83d\ude00') },
      fc.string({ unit: 'binary' }),
    );
    const key = fc.array(unit, { minLength: 1, maxLength: 4 }).map((units) => units.join(''));
    fc.assert(
      fc.property(key, key, (a, b) => {
        fc.pre(a !== b && a !== '' && b !== '');
        const [one, other] = [a, b].map((text) => Buffer.from(recordKey(request({ idempotency_key: text }), null)).toString('hex'));
        expect(one).not.toBe(other);
      }),
      {
        numRuns: 500,
        examples: [
          ['a\0', 'a\ufffd'],
          ['\ud800', '\udc00'],
          ['\ud800', '\ufffd'],
        ],
      },
    );
  });
  it('never holds a character a database refuses', () => {
    expect(recordKey(request({ idempotency_key: 'a\0b' }), null)).toMatch(/^k:sha256:/);
  });
});

describe('the fingerprint', () => {
  it('does not care how a price is written', () => {
    for (const [one, other] of [
      ['100', '1e2'],
      ['100.0', '100'],
      ['0.1', '1e-1'],
      ['-0', '0'],
    ]) {
      const keys = [one, other].map((price) => recordKey(request({ price: Number(price) }), 'dhan'));
      expect(keys[0]).toBe(keys[1]);
    }
  });
  it('depends on the spec’s eight members and on nothing else', () => {
    const base = recordKey(request(), 'zerodha');
    const changes = {
      symbol: 'INFY',
      exchange: 'BSE',
      transaction_type: 'SELL',
      order_type: 'LIMIT',
      product_type: 'DELIVERY',
      quantity: 11,
      price: 1,
    };
    for (const change of Object.entries(changes)) expect(recordKey(request(Object.fromEntries([change])), 'zerodha')).not.toBe(base);
    expect(recordKey(request(), 'dhan')).not.toBe(base);
    expect(recordKey(request(), null)).toBe(recordKey(request(), 'unknown'));
    expect(recordKey(request({ trigger_price: 5, variety: 'AMO', token: 'other', reduce_only: true }), 'zerodha')).toBe(base);
  });
  it('cannot be shifted from one member into the next', () => {
    expect(recordKey(request({ symbol: 'A","B', exchange: 'C' }), null)).not.toBe(
      recordKey(request({ symbol: 'A', exchange: 'B","C' }), null),
    );
  });
});

describe('the request hash', () => {
  it('is what versions before reduce_only stored, and another one with it', () => {
    const market = '5770cd945ee53ae0ffa320e27c807a34f2ecceb540901d2ccfae34568d07da2b';
    expect(requestHash(request())).toBe(market);
    expect(requestHash(request({ reduce_only: false }))).toBe(market);
    expect(requestHash(request({ reduce_only: true }))).not.toBe(market);
    const stop = { order_type: 'SL', price: 812.5, trigger_price: 811, variety: 'STOPLOSS', idempotency_key: 'x' };
    expect(requestHash(request(stop))).toBe('ee9a95c1d43aaa008ab5c5f0fc32f5ada634026a117fb9ed90c475635ca3e04f');
  });
  it('ignores the key and the way numbers are written, and sees everything else', () => {
    const base = requestHash(request());
    expect(requestHash(request({ idempotency_key: 'k', price: Number('0.0') }))).toBe(base);
    for (const change of [{ trigger_price: 1 }, { variety: 'AMO' }, { token: '1' }, { quantity: 9 }, { price: 0.05 }]) {
      expect(requestHash(request(change))).not.toBe(base);
    }
  });
});

it('the request hash does not depend on the order of members', () => {
  const members = Object.entries(request({ trigger_price: 5 }));
  const [first, ...others] = [members, members.toReversed(), members.toSorted(() => 1), [...members.slice(5), ...members.slice(0, 5)]].map(
    (order) => requestHash(Object.fromEntries(order) as ReturnType<typeof request>),
  );
  for (const other of others) expect(other).toBe(first);
});

describe('a tag', () => {
  it('is a letter and 15 letters or digits, evenly spread', () => {
    const random = seededRandom(7);
    const counts = new Map<string, number>();
    for (let made = 0; made < 5000; made += 1) {
      const tag = newTag(random);
      expect(tag).toMatch(/^[a-z][a-z0-9]{15}$/);
      for (const character of tag.slice(1)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(36);
    const even = (5000 * 15) / 36;
    for (const count of counts.values()) expect(Math.abs(count - even)).toBeLessThan(even * 0.12);
  });
});
