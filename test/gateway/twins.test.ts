import { expect, it } from 'vitest';
import type { Broker, BrokerDefinition } from '../../server/brokers/broker.ts';
import { brokers, createBroker } from '../../server/brokers/index.ts';
import { faces } from '../../server/sim/faces.ts';
import type { Answer } from '../support/gateway.ts';
import { type Fast, type FaultSpec, marketOrder, SYMBOLS, shareAt, startFast, struck, venueOf } from './fast.ts';

/** What becomes of our own order beside its twin. */
const fates = ['accepted', 'resetAfterAccept', 'lostRequest'] as const;
const trials = fates.flatMap((fate) => (['before', 'after'] as const).map((when) => ({ fate, when })));
type Trial = (typeof trials)[number] & { symbol: string; order: Record<string, unknown> };

/** A person buys as many of the same share in the broker's own app; his order rests, so that no position is in the way of ours. */
function byHand({ id, gateway }: Fast, symbol: string): string {
  const price = String(Math.ceil(Number(shareAt(gateway, symbol).lowerCircuit)));
  const twin = { exchange: 'NSE', symbol, side: 'BUY', orderType: 'LIMIT', price, product: 'INTRADAY', quantity: 2 } as const;
  const placed = venueOf(gateway).exchange.placeByHand(id, twin);
  if (!placed.ok) throw new Error(placed.refusal.code);
  return placed.order.orderId;
}

/** Places ours, a second after or before its twin. */
async function placeBeside(fast: Fast, { fate, when, symbol, order }: Trial): Promise<{ answer: Promise<Answer>; twin: string }> {
  const { gateway, clock } = fast;
  const earlier = when === 'before' ? byHand(fast, symbol) : null;
  if (earlier) await clock.sleep(1000);
  const spec: FaultSpec[] = fate === 'accepted' ? [] : [{ kind: fate, operation: 'place' }];
  const planted = spec.map((one) => venueOf(gateway).faults.plant(one));
  const answer = gateway.place(order);
  await struck(planted);
  if (!earlier) await clock.sleep(1000);
  return { answer, twin: earlier ?? byHand(fast, symbol) };
}

async function run(fast: Fast, judge: (trial: Trial, answer: Answer, twin: string) => void): Promise<void> {
  const { gateway, clock } = fast;
  const running = trials.map((trial, index) => {
    const symbol = SYMBOLS[index] ?? '';
    return { ...trial, symbol, order: { ...marketOrder(fast, symbol), idempotency_key: `${trial.fate} ${trial.when}` } };
  });
  const placed = [];
  for (const trial of running) placed.push({ trial, ...(await placeBeside(fast, trial)) });
  const first = await Promise.all(placed.map(async ({ trial, answer, twin }) => ({ trial, twin, answer: await answer })));
  for (const { trial, answer, twin } of first) judge(trial, answer, twin);
  // Long enough for an order that is not in the book to be called absent.
  await clock.sleep(140_000);
  for (const { trial, twin } of first) judge(trial, await gateway.place(trial.order), twin);
  const sent = venueOf(gateway).exchange.ledger().requests;
  expect(sent).toHaveLength(trials.length);
}

/** Ours by the ledger: the one that was not placed by hand. */
function ownOrder(fast: Fast, symbol: string) {
  return venueOf(fast.gateway)
    .exchange.ledger()
    .orders.find((one) => one.symbol === symbol && !one.byHand);
}

const unknown = { success: false, fill_status: 'UNKNOWN', order_id: '' };

it.concurrent.each(faces.map((face) => face.id))(
  'a twin placed by hand a second before or after is never taken for ours on %s',
  async (id) => {
    const fast = await startFast(id);
    try {
      await run(fast, ({ fate, when, symbol }, { body }, twin) => {
        const own = ownOrder(fast, symbol);
        const what = `${fate}, twin ${when}: ${JSON.stringify(body)}`;
        if (fate === 'lostRequest') return expect(body, what).toMatchObject(unknown);
        expect(body, what).toMatchObject({
          success: true,
          fill_status: 'FILLED',
          filled_quantity: 2,
          avg_fill_price: Number(own?.average),
        });
        expect([own?.orderId, own?.tag], what).toContain(body.order_id);
        expect(body.order_id, what).not.toBe(twin);
      });
      expect(fast.gateway.context.unresolved()).toHaveLength(2);
    } finally {
      await fast.gateway.stop();
    }
  },
  120_000,
);

/** The broker as it would be without a field for our tag. */
function tagless(definition: BrokerDefinition): BrokerDefinition {
  function create(env: Parameters<BrokerDefinition['create']>[0]): Broker {
    const { ordersByTag: _none, ...broker } = createBroker(definition.id, env);
    return {
      ...broker,
      async orders() {
        const book = await broker.orders();
        return book.success ? { ...book, normalized: book.normalized.map((row) => ({ ...row, tag: null })) } : book;
      },
    };
  }
  return { ...definition, create };
}

it.concurrent.each(faces.map((face) => face.id))(
  'where the order book of %s shows no tags a lost answer stays UNKNOWN, twin or none',
  async (id) => {
    const fast = await startFast(id, tagless(brokers[id]));
    try {
      await run(fast, ({ fate, when, symbol }, { body }, twin) => {
        const what = `${fate}, twin ${when}: ${JSON.stringify(body)}`;
        expect(body.order_id, what).not.toBe(twin);
        if (fate !== 'accepted') return expect(body, what).toMatchObject(unknown);
        const own = ownOrder(fast, symbol);
        expect(body, what).toMatchObject({ success: true, fill_status: 'FILLED', avg_fill_price: Number(own?.average) });
      });
      expect(fast.gateway.context.unresolved()).toHaveLength(4);
    } finally {
      await fast.gateway.stop();
    }
  },
  120_000,
);
