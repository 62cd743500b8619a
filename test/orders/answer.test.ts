import { describe, expect, it } from 'vitest';
import type { FillStatus } from '../../contract/words.ts';
import { acceptance, answerText, refusal, replay, replyOf, restingText, retryLater, searched } from '../../server/orders/answer.ts';
import type { Fill } from '../../server/orders/fill.ts';
import { attempt, orderRow } from './parts.ts';

const broker = { message: 'Order placed', data: { order_id: '1001' } };
function fill(status: FillStatus, words: string | null = 'said by the row'): Fill {
  return { status, filledQuantity: 4, averagePrice: 100.5, row: orderRow({ order_id: '77', status_message: words }) };
}

describe('an order the broker took', () => {
  it.each([
    ['FILLED', 'Order placed'],
    ['PENDING', 'Order placed'],
    ['UNKNOWN', 'Order placed'],
    ['REJECTED', 'said by the row'],
    ['PARTIALLY_FILLED', 'said by the row'],
  ] as const)('is a success whatever became of it: %s, with the words %s', (status, message) => {
    expect(acceptance('1001', broker, fill(status))).toStrictEqual({
      success: true,
      order_id: '1001',
      message,
      fill_status: status,
      filled_quantity: 4,
      avg_fill_price: 100.5,
      data: broker.data,
    });
  });
  it('speaks in the broker’s first words where its order book says none, and in none at all where nobody spoke', () => {
    expect(acceptance('1', broker, fill('REJECTED', null)).message).toBe('Order placed');
    expect(acceptance('1', broker, { ...fill('REJECTED'), row: null }).message).toBe('Order placed');
    expect(acceptance('1', {}, fill('FILLED'))).not.toHaveProperty('message');
    expect(acceptance('1', {}, fill('FILLED'))).not.toHaveProperty('data');
  });
});

describe('an order that had to be searched', () => {
  it.each([
    ['FILLED', true, '77', 'Order placed'],
    ['PARTIALLY_FILLED', true, '77', 'Order placed'],
    ['PENDING', true, '77', 'Order placed'],
    ['REJECTED', false, '77', 'said by the row'],
    ['UNKNOWN', false, '', 'said by the row'],
  ] as const)('found %s: success %s, order %s, %s', (status, success, order_id, message) => {
    const told = { success, order_id, message, fill_status: status, filled_quantity: 4, avg_fill_price: 100.5, data: broker.data };
    expect(searched(broker, fill(status))).toStrictEqual(told);
  });
  it('says what the broker said where the order book says nothing, else that nothing is known yet', () => {
    const unseen = { status: 'UNKNOWN', filledQuantity: 0, averagePrice: 0, row: null } as const;
    expect(searched({ message: 'HTTP 502' }, unseen)).toMatchObject({ success: false, order_id: '', message: 'HTTP 502' });
    expect(searched({}, unseen).message).toBe('The outcome of the order is not known yet');
    expect(searched({ message: 'HTTP 502' }, fill('REJECTED', null)).message).toBe('HTTP 502');
  });
});

describe('a MARKET order that rests', () => {
  const open = { row: orderRow({ state: 'OPEN', status_message: 'said by the row' }), averagePrice: 0 };
  const none: Fill = { ...open, status: 'PENDING', filledQuantity: 0 };
  const some: Fill = { ...open, status: 'PARTIALLY_FILLED', filledQuantity: 4 };
  const why = ': it rests at the exchange as a limit order by market protection, or waits for the market to open. Modify or cancel it';
  it.each([
    ['an entry', { netBefore: 0 }, none, 'This MARKET order has not filled'],
    ['one whose position was not read', { netBefore: null }, none, 'This MARKET order has not filled'],
    ['more than the position', { side: 'SELL', netBefore: 9 }, none, 'This MARKET order has not filled'],
    ['an exit', { side: 'SELL', netBefore: 10 }, none, 'This MARKET order has not filled, and the position is still open'],
    ['the exit of a short', { side: 'BUY', netBefore: -10 }, none, 'This MARKET order has not filled, and the position is still open'],
    ['a part of an entry', { netBefore: 0 }, some, 'Only 4 of 10 of this MARKET order have filled'],
    [
      'a part of an exit',
      { side: 'SELL', netBefore: 25 },
      some,
      'Only 4 of 10 of this MARKET order have filled, and the rest of the position is still open',
    ],
  ] as const)('says so plainly: %s', (_what, change, seen, begins) => {
    const text = restingText(attempt(change), seen);
    expect(text).toBe(begins + why);
    expect(acceptance('1001', broker, seen, text).message).toBe(text);
    expect(searched(broker, seen, text).message).toBe(text);
  });
  it.each([
    ['another type', { orderType: 'LIMIT' }, none],
    ['a stop that waits', { orderType: 'SL-M' }, none],
    ['one that filled', {}, { ...none, status: 'FILLED' }],
    ['one of which nobody knows', {}, { ...none, status: 'UNKNOWN' }],
    ['a cancelled rest', {}, { ...some, row: orderRow({ state: 'CANCELLED' }) }],
    ['a row never seen', {}, { ...none, row: null }],
  ] as const)('nothing of it is said of %s', (_what, change, seen) => {
    expect(restingText(attempt(change), seen)).toBeNull();
  });
});

describe('a refusal', () => {
  it('is REJECTED, and holds only what is given', () => {
    expect(refusal('no')).toStrictEqual({ success: false, message: 'no', fill_status: 'REJECTED' });
    const whole = { status: 'BLOCKED', order_id: '', data: { a: 1 } } as const;
    expect(refusal('no', whole)).toStrictEqual({ success: false, message: 'no', fill_status: 'REJECTED', ...whole });
  });
  it.each([
    [undefined, '1'],
    [1, '1'],
    [1001, '2'],
    [60_000, '60'],
  ])('that is not stored says when to come again: %s ms is %s s', (ms, seconds) => {
    expect(retryLater('later', ms)).toStrictEqual({
      status: 200,
      headers: { 'Retry-After': seconds },
      body: { success: false, message: 'later' },
    });
  });
});

describe('a replay', () => {
  const body = refusal('no', { order_id: '' });
  const stored = attempt({ state: 'DONE', response: answerText(body) });
  it('says that it is one, and nothing else where nothing else is to be said', () => {
    expect(replay(stored, 'hash', true)).toStrictEqual(replyOf(body, { 'Idempotency-Replayed': 'true' }));
  });
  it('says that the key stood for another order, that the store does not hold it, and when the truth arrived', () => {
    const resolved = { ...stored, resolvedAt: Date.parse('2026-11-20T04:30:08.250Z') };
    expect(replay(resolved, 'another', false).headers).toStrictEqual({
      'Idempotency-Replayed': 'true',
      'Idempotency-Stored': 'false',
      'Idempotency-Key-Mismatch': 'true',
      'Order-Resolved-At': '2026-11-20T04:30:08.250Z',
    });
  });
  it('has the bytes of the first answer', () => {
    const text = answerText(acceptance('1001', broker, fill('FILLED')));
    expect(JSON.stringify(replay({ ...stored, response: text }, 'hash', true).body)).toBe(text);
  });
});
