import { expect, it } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import type { BrokerDefinition } from '../../server/brokers/broker.ts';
import { brokers } from '../../server/brokers/index.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { findInstrument } from '../../server/exchange/instruments.ts';
import type { Answer } from '../support/gateway.ts';
import { pair } from '../support/proven.ts';
import { type Fast, marketOrder, SYMBOLS, shareAt, startFast, struck, venueOf } from './fast.ts';

/** What becomes of our own order beside its twin, and whether the order book shows our tag on it. */
const trials = (['accepted', 'resetAfterAccept', 'lostRequest'] as const).flatMap((fate) =>
  (['before', 'after'] as const).flatMap((when) => [true, false].map((tagged) => ({ fate, when, tagged }))),
);

interface Placed {
  trial: (typeof trials)[number];
  symbol: string;
  order: Record<string, unknown>;
  answer: Promise<Answer>;
  /** Order id of the one placed by hand. */
  twin: string;
}

/** The broker's adapter, with an order book that has no tags on the rows of some trials: as it would be without a field for our tag. */
function partlyTagless(id: BrokerId): BrokerDefinition {
  const definition = brokers[id];
  const emulator = emulators.find((one) => one.id === id);
  function create(env: Parameters<BrokerDefinition['create']>[0]) {
    const broker = definition.create(env);
    async function orders() {
      const book = await broker.orders();
      if (!book.success) return book;
      const bare = book.normalized.map((row) => (untagged.has(row.symbol) ? { ...row, tag: null } : row));
      return { ...book, normalized: bare };
    }
    return { ...broker, orders };
  }
  const untagged = new Set<string>();
  const named = (symbol: string | undefined) => {
    const instrument = findInstrument('NSE', symbol ?? '');
    return (instrument && emulator?.named(instrument).symbol) ?? '';
  };
  for (const [index, { tagged }] of trials.entries()) if (!tagged) untagged.add(named(SYMBOLS[index]));
  return { ...definition, create };
}

/** A person buys as many of the same share in the broker's own app; his order rests, so that no position is in the way of ours. */
function byHand({ id, gateway }: Fast, symbol: string): string {
  const price = String(Math.ceil(Number(shareAt(gateway, symbol).lowerCircuit)));
  const twin = { exchange: 'NSE', symbol, side: 'BUY', orderType: 'LIMIT', price, product: 'INTRADAY', quantity: 2 } as const;
  const placed = venueOf(gateway).exchange.placeByHand(id, twin);
  if (!placed.ok) throw new Error(placed.refusal.code);
  return placed.order.orderId;
}

/** Places ours, a second after or before its twin. */
async function placeBeside(fast: Fast, index: number, trial: Placed['trial']): Promise<Placed> {
  const { gateway, clock } = fast;
  const symbol = SYMBOLS[index] ?? '';
  const order = { ...marketOrder(fast, symbol), idempotency_key: JSON.stringify(trial) };
  const earlier = trial.when === 'before' ? byHand(fast, symbol) : null;
  if (earlier) await clock.sleep(1000);
  const planted = trial.fate === 'accepted' ? [] : [venueOf(gateway).faults.plant({ kind: trial.fate, operation: 'place' })];
  const answer = gateway.place(order);
  await struck(planted);
  if (!earlier) await clock.sleep(1000);
  return { trial, symbol, order, answer, twin: earlier ?? byHand(fast, symbol) };
}

/** `late`: the order book was read for more than two minutes since. */
function judge({ gateway }: Fast, { trial, symbol, twin }: Placed, { body }: Answer, late: boolean): void {
  const what = `${JSON.stringify(trial)}: ${JSON.stringify(body)}`;
  const own = venueOf(gateway)
    .exchange.ledger()
    .orders.find((one) => one.symbol === symbol && !one.byHand);
  expect(body.order_id, what).not.toBe(twin);
  if (trial.fate === 'accepted' || (trial.tagged && own)) {
    expect(body, what).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 2, avg_fill_price: Number(own?.average) });
    expect([own?.orderId, own?.tag], what).toContain(body.order_id);
    return;
  }
  expect(body.success, what).toBe(false);
  // A twin whose stamp shows that it came before ours does not keep a lost order from being called absent.
  const mayBeAbsent = late && !own && trial.when === 'before';
  expect(mayBeAbsent ? ['UNKNOWN', 'REJECTED'] : ['UNKNOWN'], what).toContain(body.fill_status);
}

it.concurrent.each(pair)(
  'a twin placed by hand on %s a second before or after is never taken for ours; without a tag a lost answer stays UNKNOWN',
  async (id) => {
    const fast = await startFast(id, { definition: partlyTagless(id) });
    try {
      const placed: Placed[] = [];
      for (const [index, trial] of trials.entries()) placed.push(await placeBeside(fast, index, trial));
      for (const one of placed) judge(fast, one, await one.answer, false);
      await fast.clock.sleep(135_000);
      for (const one of placed) judge(fast, one, await fast.gateway.place(one.order), true);
      const { requests, orders } = venueOf(fast.gateway).exchange.ledger();
      expect(requests).toHaveLength(trials.length);
      expect(orders.filter((order) => order.byHand)).toHaveLength(trials.length);
    } finally {
      await fast.gateway.stop();
    }
  },
  300_000,
);
