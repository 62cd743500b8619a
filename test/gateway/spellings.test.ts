import { describe, expect, it } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { type Fast, marketOrder, restart, startFast, venueOf } from './fast.ts';

type Order = Record<string, unknown>;

/** Other names of one instrument, as far as each broker's adapter takes them: all five trade by the token, and two want the symbol as their books have it. */
const respelled: Partial<Record<BrokerId, (order: Order) => Order>> = {
  dhan: (order) => ({ ...order, token: `0${order.token}` }),
  upstox: (order) => ({ ...order, token: String(order.token).toLowerCase() }),
  aliceblue: (order) => ({ ...order, token: `0${order.token}` }),
  fivepaisa: (order) => ({ ...order, symbol: `${order.symbol} EQ`, token: `00${order.token}` }),
  angelone: (order) => ({ ...order, token: `0${order.token}` }),
};
const QUANTITY = 10;

const positions = ({ gateway }: Fast) =>
  gateway.context.sql<{ symbol: string; qty: number; status: string }[]>`select symbol, qty, status from tsm_positions order by id`;
const filled = ({ gateway }: Fast) =>
  venueOf(gateway)
    .exchange.ledger()
    .orders.filter((order) => order.filled > 0);

describe.each(Object.entries(respelled))('%s: two spellings are one instrument', (name, respell) => {
  it('at once, in the records, under an exit, and over restarts', async () => {
    const id = name as BrokerId;
    let fast = await startFast(id, { factor: 1 });
    try {
      const plain = { ...marketOrder(fast, 'RELIANCE'), quantity: QUANTITY };
      const other = respell(plain);
      const [one, two] = await Promise.all([
        fast.gateway.place({ ...plain, idempotency_key: 'plain' }),
        fast.gateway.place({ ...other, idempotency_key: 'other' }),
      ]);
      const bodies = [one, two].map(({ body }) => body);
      expect(bodies, one.text + two.text).toContainEqual(expect.objectContaining({ success: true, fill_status: 'FILLED' }));
      expect(bodies, one.text + two.text).toContainEqual(expect.objectContaining({ success: false, status: 'BLOCKED' }));
      expect(filled(fast)).toHaveLength(1);
      await expect.poll(() => positions(fast)).toMatchObject([{ status: 'OPEN' }]);

      fast = await restart(fast);
      const again = await fast.gateway.place({ ...(one.body.success ? other : plain), idempotency_key: 'after the restart' });
      expect(again.body, again.text).toMatchObject({ success: false, status: 'BLOCKED' });
      // Out under the spelling that did not open it, in two pieces, a restart between them.
      const exit = { ...(one.body.success ? other : plain), transaction_type: 'SELL', quantity: QUANTITY / 2 };
      const half = await fast.gateway.place({ ...exit, idempotency_key: 'first half' });
      expect(half.body, half.text).toMatchObject({ success: true, fill_status: 'FILLED' });
      await expect.poll(() => positions(fast)).toMatchObject([{ status: 'OPEN', qty: QUANTITY / 2 }]);

      fast = await restart(fast);
      const rest = await fast.gateway.place({ ...exit, idempotency_key: 'second half', reduce_only: true });
      expect(rest.body, rest.text).toMatchObject({ success: true, fill_status: 'FILLED' });
      await expect.poll(() => positions(fast)).toMatchObject([{ status: 'CLOSED' }]);
      expect(filled(fast).map((order) => order.symbol)).toEqual(['RELIANCE', 'RELIANCE', 'RELIANCE']);
    } finally {
      await fast.gateway.stop();
    }
  }, 60_000);
});
