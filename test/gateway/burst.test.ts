import { expect, it } from 'vitest';
import { proven, trialsOf } from '../support/proven.ts';
import { type Fast, marketOrder, shareAt, startFast, venueOf } from './fast.ts';

const CALLERS = trialsOf(200, 500);
/** Shares the crowd trades in; the exit's and the cancel's are not among them. */
const EXIT = 'SBIN';
const CANCEL = 'INFY';
/** When the exit and the cancel come, and how long they may take: by a clock that a busy machine slows down. */
const MIDDLE_MS = 700;
const PASSES_WITHIN_MS = 1500;
/** What a busy machine adds. */
const GRACE_MS = 500;
const REFUSED = /order budget of this account is used up|Another order in .+ is still being placed/;

/** A BUY far below the market: it rests. */
function resting(fast: Fast, symbol: string, key: string): Record<string, unknown> {
  const price = Math.ceil(Number(shareAt(fast.gateway, symbol).lowerCircuit));
  return { ...marketOrder(fast, symbol), order_type: 'LIMIT', price, quantity: 1, idempotency_key: key };
}

/** Orders at once, as that many callers of a strategy gone wild would send them. */
async function burst(fast: Fast) {
  const { gateway } = fast;
  const shares = venueOf(gateway).exchange.instruments.filter(
    (one) => one.exchange === 'NSE' && one.symbol !== EXIT && one.symbol !== CANCEL,
  );
  return await Promise.all(
    Array.from({ length: CALLERS }, (_, index) =>
      gateway.place(resting(fast, shares[index % shares.length]?.symbol ?? '', `crowd ${index}`)),
    ),
  );
}

/** When a cancel of the order reaches the exchange, by its clock. */
function cancelSeen({ gateway }: Fast, orderId: string): { at: number } {
  const seen = { at: Number.POSITIVE_INFINITY };
  const { exchange } = venueOf(gateway);
  exchange.onOrder((order) => {
    const own = order.orderId === orderId || order.tag === orderId;
    if (own && order.state === 'CANCEL_PENDING') seen.at = Math.min(seen.at, exchange.clock.now());
  });
  return seen;
}

it.concurrent.each(proven)(
  `${CALLERS} orders at once on %s: none is too fast for the broker, exit and cancel pass in the middle`,
  async (id) => {
    const fast = await startFast(id, { factor: 1, env: { PRACTICE_LIMITS: 'on' } });
    const { gateway, clock } = fast;
    try {
      expect((await gateway.place({ ...marketOrder(fast, EXIT), idempotency_key: 'entry' })).body.fill_status).toBe('FILLED');
      const { order_id } = (await gateway.place(resting(fast, CANCEL, 'resting'))).body;
      const cancel = cancelSeen(fast, order_id);
      // The crowd finds the whole budget.
      await clock.sleep(2000);

      const crowd = burst(fast);
      await clock.sleep(MIDDLE_MS);
      const asked = clock.now();
      const [exit, cancelled] = await Promise.all([
        gateway.place({ ...marketOrder(fast, EXIT), transaction_type: 'SELL', idempotency_key: 'exit' }),
        gateway.call('POST', '/broker/orders/cancel', { order_id }),
      ]);
      const answers = await crowd;

      expect(exit.body, exit.text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 2 });
      expect(cancelled.body, cancelled.text).toMatchObject({ success: true });
      const { orders, requests } = venueOf(gateway).exchange.ledger();
      const sold = orders.find((order) => order.side === 'SELL');
      expect((sold?.receivedAt ?? Number.POSITIVE_INFINITY) - asked, 'exit').toBeLessThanOrEqual(PASSES_WITHIN_MS + GRACE_MS);
      expect(cancel.at - asked, 'cancel').toBeLessThanOrEqual(PASSES_WITHIN_MS + GRACE_MS);

      // Whatever was sent was taken, and the rest was told what to do.
      const told = answers.filter(({ body }) => body.fill_status === 'REJECTED' && body.status !== 'BLOCKED').map(({ text }) => text);
      expect(requests.filter(({ tag }) => !orders.some((order) => order.tag === tag)).length, told.join()).toBe(0);
      const accepted = answers.filter(({ body }) => body.success);
      expect(accepted.length).toBe(orders.length - 3);
      expect(accepted.length).toBeGreaterThanOrEqual(7);
      for (const { body, headers } of answers.filter((answer) => !answer.body.success)) {
        if (body.status === 'BLOCKED') continue;
        expect(body.message).toMatch(REFUSED);
        expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
      }
    } finally {
      await gateway.stop();
    }
  },
  300_000,
);
