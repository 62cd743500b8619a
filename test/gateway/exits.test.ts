import { describe, expect, it } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { brokers } from '../../server/brokers/index.ts';
import { keptForExits } from '../../server/brokers/order-budget.ts';
import { envFor } from '../brokers/stub-server.ts';
import { everything, proven } from '../support/proven.ts';
import { type Fast, marketOrder, restart, shareAt, startFast, venueOf } from './fast.ts';

const SYMBOL = 'SBIN';
const HELD = 60;
/** No exit may take longer to the venue, by a clock that a busy machine slows down. */
const LEAVES_WITHIN_MS = 3000;
const STALL_MS = 7000;
const READS = 600;
/** An entry every so often. */
const ENTRY_EVERY_MS = 200;
/** Long enough for the load to bite before the exit comes. */
const BEFORE_MS = 1500;
const ids: readonly BrokerId[] = everything ? proven : ['dhan'];
const rules = everything ? ['on', 'off'] : ['off'];

/** Begins a load; returns what ends it, and waits for what it started. */
type Load = (fast: Fast) => Promise<() => Promise<unknown>>;

/** Entries in the exit's own symbol: with the rule on they are judged and BLOCKED, with it off they are sent and rest. */
const entries: Load = async (fast) => {
  const { gateway, clock } = fast;
  let over = false;
  const price = Math.ceil(Number(shareAt(gateway, SYMBOL).lowerCircuit));
  const answers: Promise<unknown>[] = [];
  async function run(): Promise<void> {
    while (!over) {
      const order = { ...marketOrder(fast, SYMBOL), order_type: 'LIMIT', price, quantity: 100, idempotency_key: `entry ${clock.mono()}` };
      // What becomes of them is not asked here.
      answers.push(gateway.place(order).catch(() => null));
      await clock.sleep(ENTRY_EVERY_MS);
    }
  }
  const running = run();
  return async () => {
    over = true;
    await running;
    await Promise.all(answers);
  };
};

/** Reads that nobody else shares, all at once. */
const reads: Load = async ({ gateway }) => {
  const asked = Array.from({ length: READS }, (_, index) => gateway.call('GET', `/broker/orders/${900_000_000_000_000 + index}`));
  return () => Promise.allSettled(asked);
};

const hangingPositions: Load = async ({ gateway }) => {
  venueOf(gateway).faults.plant({ kind: 'hangBefore', operation: 'positions', times: 'always' });
  return async () => venueOf(gateway).faults.clear();
};

/** A send in the exit's symbol that reaches the engine after 7 s: an exit, or with `BUY` an entry. */
function stall(side: 'BUY' | 'SELL'): Load {
  return async (fast) => {
    const { gateway, clock } = fast;
    const planted = venueOf(gateway).faults.plant({ kind: 'delay', operation: 'place', delayMs: STALL_MS });
    const answer = gateway.place({
      ...marketOrder(fast, SYMBOL),
      transaction_type: side,
      quantity: 7,
      idempotency_key: `stall ${clock.mono()}`,
    });
    while (planted.struck === 0) await clock.sleep(5);
    return async () => {
      expect((await answer).body.success).not.toBeUndefined();
    };
  };
}

const alone: readonly (readonly [string, Load])[] = [
  ['five entries a second in the same symbol', entries],
  [`${READS} reads waiting`, reads],
  ['a send that stalls', stall('SELL')],
  ['positions that hang', hangingPositions],
];

/** Ms from now to the moment the exit reaches the exchange. */
async function exit(fast: Fast, quantity: number): Promise<number> {
  const { gateway, clock } = fast;
  const { exchange } = venueOf(gateway);
  const asked = clock.now();
  const answer = gateway.place({ ...marketOrder(fast, SYMBOL), transaction_type: 'SELL', quantity, idempotency_key: `exit ${quantity}` });
  const sent = () => exchange.ledger().orders.find((order) => order.side === 'SELL' && order.quantity === quantity);
  while (!sent() && clock.now() - asked < 3 * LEAVES_WITHIN_MS) await clock.sleep(10);
  const order = sent();
  if (!order) throw new Error(`the exit never came: ${(await answer).text}`);
  return order.receivedAt - asked;
}

/** Entries of the last half minute that leave no more of the longest-lasting narrow window than what is kept for exits. Returns how many. */
async function useUp({ id, gateway, clock }: Fast): Promise<number> {
  const { traits } = brokers[id].create(envFor(brokers[id], 'http://127.0.0.1:1', {}).env);
  const minute = traits.orderLimits.find(({ perMs }) => perMs === 60_000);
  if (!minute) return 0;
  const count = minute.requests - keptForExits(minute);
  const at = new Date(clock.now() - 5000).toISOString();
  await gateway.context.sql`
    insert into tsm_events (at, kind, broker, account)
    select ${at}, kind, broker, account from tsm_events cross join generate_series(1, ${count})
    where id = (select max(id) from tsm_events where kind = 'order.sending')`;
  return count;
}

describe.concurrent.each(ids)('%s: an order that only reduces reaches the exchange within 3 s', (id) => {
  it.each(rules)(
    'with the position rule %s',
    async (rule) => {
      const env = { PRACTICE_LIMITS: 'on', POSITION_GUARD: rule };
      let fast = await startFast(id, { factor: 1, env });
      try {
        const bought = await fast.gateway.place({ ...marketOrder(fast, SYMBOL), quantity: HELD, idempotency_key: 'held' });
        expect(bought.body, bought.text).toMatchObject({ fill_status: 'FILLED', filled_quantity: HELD });
        const took: Record<string, number> = {};
        if (rule === 'on') {
          for (const [index, [name, load]] of alone.entries()) {
            const end = await load(fast);
            await fast.clock.sleep(BEFORE_MS);
            took[name] = await exit(fast, index + 1);
            await end();
          }
        } else {
          const used = await useUp(fast);
          fast = await restart(fast, env);
          took["the minute's budget used up by entries"] = await exit(fast, 5);
          if (used > 0) {
            const entry = await fast.gateway.place({ ...marketOrder(fast, 'INFY'), idempotency_key: 'one more' });
            expect(entry.body.message, entry.text).toMatch(/order budget of this account is used up/);
          }
          const ends = [];
          for (const load of [stall('SELL'), entries, reads, hangingPositions]) ends.push(await load(fast));
          await fast.clock.sleep(BEFORE_MS);
          took['all of it together'] = await exit(fast, 6);
          for (const end of ends) await end();
        }
        const late = Object.entries(took).filter(([, tookMs]) => tookMs > LEAVES_WITHIN_MS);
        expect(late, JSON.stringify(took)).toEqual([]);
        if (everything) process.stdout.write(`${id}: ${JSON.stringify(took)}\n`);
      } finally {
        await fast.gateway.stop();
      }
    },
    180_000,
  );
});
