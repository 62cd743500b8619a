import { expect, it, vi } from 'vitest';
import { faces } from '../../server/sim/faces.ts';
import { type Fast, marketOrder, shareAt, startFast, venueOf } from './fast.ts';

const CALLERS = 500;
/** Shares the crowd trades in; the exit's and the cancel's are not among them. */
const EXIT = 'SBIN';
const CANCEL = 'INFY';
/** When the exit and the cancel come, and how long they may take: by a clock that a busy machine slows down. */
const MIDDLE_MS = 700;
const PASSES_WITHIN_MS = 1500;
const REFUSED = /order budget of this account is used up|Another order in .+ is still being placed/;

/** A BUY far below the market: it rests. */
function resting(fast: Fast, symbol: string, key: string): Record<string, unknown> {
  const price = Math.ceil(Number(shareAt(fast.gateway, symbol).lowerCircuit));
  return { ...marketOrder(fast, symbol), order_type: 'LIMIT', price, quantity: 1, idempotency_key: key };
}

/** 500 orders at once, as 500 callers of a strategy gone wild would send them. */
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

it.concurrent.each(faces.map((face) => [face.id, face] as const))(
  '500 orders at once on %s: none is too fast for the broker, exit and cancel pass in the middle',
  async (id, face) => {
    const fast = await startFast(id, { factor: 1, env: { PRACTICE_LIMITS: 'on' } });
    const { gateway, clock } = fast;
    const tooFast = vi.spyOn(face.words, 'rateLimited');
    try {
      expect((await gateway.place({ ...marketOrder(fast, EXIT), idempotency_key: 'entry' })).body.fill_status).toBe('FILLED');
      const { order_id } = (await gateway.place(resting(fast, CANCEL, 'resting'))).body;

      const crowd = burst(fast);
      await clock.sleep(MIDDLE_MS);
      const asked = clock.now();
      const exiting = gateway.place({ ...marketOrder(fast, EXIT), transaction_type: 'SELL', idempotency_key: 'exit' });
      const cancelling = gateway.call('POST', '/broker/orders/cancel', { order_id });
      const cancelled = (await cancelling).body;
      const cancelMs = clock.now() - asked;
      const exit = (await exiting).body;
      const answers = await crowd;

      expect(exit, JSON.stringify(exit)).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 2 });
      expect(cancelled, JSON.stringify(cancelled)).toMatchObject({ success: true });
      const { orders, requests } = venueOf(gateway).exchange.ledger();
      const sold = orders.find((order) => order.side === 'SELL');
      expect((sold?.receivedAt ?? Number.POSITIVE_INFINITY) - asked).toBeLessThanOrEqual(PASSES_WITHIN_MS);
      expect(cancelMs).toBeLessThanOrEqual(PASSES_WITHIN_MS);

      // Whatever was sent was taken, and the rest was told what to do.
      expect(tooFast).not.toHaveBeenCalled();
      expect(requests.filter(({ tag }) => !orders.some((order) => order.tag === tag))).toEqual([]);
      const accepted = answers.filter(({ body }) => body.success);
      expect(accepted.length).toBe(orders.length - 3);
      expect(accepted.length).toBeGreaterThanOrEqual(7);
      for (const { body, headers } of answers.filter((answer) => !answer.body.success)) {
        expect(body.message).toMatch(REFUSED);
        expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
        expect(Object.keys(body).sort()).toEqual(['message', 'success']);
      }
    } finally {
      tooFast.mockRestore();
      await gateway.stop();
    }
  },
  120_000,
);
