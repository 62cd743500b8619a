import { expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { pair } from '../support/proven.ts';
import { type Fast, restart, startFast, venueOf } from './fast.ts';
import { GRACE_MS, late, lost, startTrials, type Trial } from './matrix.ts';

const LATE_MS = [500, 3000, 7900, 8100, 30_000, 83_000];
const trials: Trial[] = LATE_MS.map((ms) => ({ name: `visible after ${ms} ms`, plants: [lost, late(ms)], first: [], finally: 'FILLED' }));
/** When the gateway is stopped, counted from the last order: while callers wait, and while the latest is looked for in the background. */
const RESTARTS_MS = [2000, 40_000];

async function until({ clock }: Fast, at: number): Promise<void> {
  await clock.sleep(Math.max(0, at - clock.now()));
}

it.concurrent.each(pair)(
  'orders that show late on %s are found, each sent once, by gateways started in between',
  async (id) => {
    let fast = await startFast(id);
    try {
      const running = await startTrials(fast, trials);
      const answers = running.map(({ answer }) => answer.catch(() => null));
      const placedAt = fast.clock.now();
      let startedAt = placedAt;
      for (const afterMs of RESTARTS_MS) {
        await until(fast, placedAt + afterMs);
        fast = await restart(fast);
        startedAt = fast.clock.now();
      }
      const { gateway, clock } = fast;
      while (gateway.context.unresolved().length > 0 && clock.now() < placedAt + 150_000) await systemClock.sleep(20);
      await Promise.all(answers);
      const { orders, requests } = venueOf(gateway).exchange.ledger();
      expect(requests).toHaveLength(trials.length);
      for (const [index, { trial, order, symbol }] of running.entries()) {
        const [found, ...others] = orders.filter((one) => one.symbol === symbol);
        expect(others, trial.name).toEqual([]);
        const [record] = await gateway.context.sql`
          select state, tag, filled_quantity, updated_at from idempotency_records where key = ${`k:${trial.name}`}`;
        expect(record, trial.name).toMatchObject({ state: 'DONE', tag: found?.tag });
        const readable = Math.max(
          (found?.receivedAt ?? 0) + (LATE_MS[index] ?? 0),
          placedAt,
          ...((LATE_MS[index] ?? 0) > 30_000 ? [startedAt] : []),
        );
        expect(Date.parse(record?.updated_at) - readable, trial.name).toBeLessThan(10_000 + GRACE_MS);
        const { body } = await gateway.place(order);
        expect(body, trial.name).toMatchObject({
          success: true,
          fill_status: 'FILLED',
          filled_quantity: 2,
          avg_fill_price: Number(found?.average),
        });
        expect([found?.orderId, found?.tag], trial.name).toContain(body.order_id);
      }
      expect(venueOf(gateway).exchange.ledger().requests).toHaveLength(trials.length);
    } finally {
      await fast.gateway.stop();
    }
  },
  300_000,
);
