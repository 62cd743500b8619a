import { expect, test } from 'vitest';
import type { Told, ToldEvent } from '../../server/report/order-attempts.ts';
import { stepsOf } from '../../server/report/order-steps.ts';

let id = 0;
const event = (kind: string, told: Told): ToldEvent => {
  id += 1;
  return { id, kind, at: id, key: 'one', order_id: '1', symbol: 'SBIN', broker: 'zerodha', told } as ToldEvent;
};
const wordsOf = (...events: ToldEvent[]) => stepsOf({ key: 'one', orderId: '1', events }).map(({ step }) => step);

test('a fate is one step, also where the order book was read before the answer was written', () => {
  const sent = [event('order.sending', {}), event('order.accepted', { sent_after_ms: 1, took_ms: 1 })];
  const followed = () => event('order.followed', { status: 'FILLED', filled: 10 });
  const done = () => event('order.done', { fill_status: 'FILLED', filled: 10 });
  expect(wordsOf(...sent, followed(), done())).toEqual(['claimed', 'sent', 'accepted', 'first_fill', 'filled']);
  const rests = event('order.done', { fill_status: 'PENDING' });
  expect(wordsOf(...sent, rests, followed())).toEqual(['claimed', 'sent', 'accepted', 'resting', 'first_fill', 'filled']);
});
