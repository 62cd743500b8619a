import fc from 'fast-check';

/** Exchange, symbol, and the most lots an order has: margin for some ten orders. */
export const instruments = [
  ['NSE', 'ITC', 9],
  ['NSE', 'YESBANK', 9],
  ['NFO', 'SBIN26DECFUT', 1],
  ['MCX', 'NATURALGAS26DECFUT', 1],
  ['CDS', 'USDINR26DECFUT', 3],
] as const;

const part = fc.record({
  quantity: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.constant('rest' as const)),
  afterMs: fc.integer({ min: 0, max: 30_000 }),
});
const order = {
  /** Two of three orders meet in one place. */
  instrument: fc.constantFrom(0, 0, 0, 4, 4, 4, 1, 2, 3),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  orderType: fc.constantFrom('MARKET' as const, 'MARKET' as const, 'LIMIT' as const),
  carried: fc.constantFrom(false, false, true),
  lots: fc.integer({ min: 1, max: 9 }),
  /** Ticks between the last price and a limit. */
  away: fc.integer({ min: -12, max: 12 }),
  plan: fc.option(fc.array(part, { minLength: 1, maxLength: 5 }), { freq: 2 }),
};

/** One thing that happens. Random numbers pick among what there is. */
const act = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('place' as const), ...order, lost: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('byHand' as const), ...order }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('follow' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('modify' as const), which: fc.nat(), lots: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('price' as const),
      instrument: fc.nat(instruments.length - 1),
      ticks: fc.integer({ min: -20, max: 20 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(40, 600, 3000, 11_000, 70_000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('orders' as const, 'whole' as const, 'whole' as const, 'trades' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('nextDay' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('weather' as const),
      averagePlaces: fc.constantFrom(4, 2, 1),
      averageLateMs: fc.constantFrom(0, 0, 2000, 20_000),
      tradesLateMs: fc.constantFrom(0, 0, 4000, 90_000),
      positionsLagMs: fc.constantFrom(0, 0, 900, 4000),
      readMs: fc.constantFrom(0, 20, 300),
      failing: fc.subarray(['orders', 'positions', 'trades', 'holdings', 'funds'] as const, { maxLength: 2 }),
    }),
  },
);
export type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;
export type OrderAct = Extract<Act, { do: 'place' | 'byHand' }>;

/** A trading day or several, as a list of what happens; `seed` moves the exchange's prices. */
export const day = fc.record({ seed: fc.nat(1_000_000), acts: fc.array(act, { minLength: 25, maxLength: 90, size: 'max' }) });
export interface Plan {
  seed: number;
  acts: Act[];
}

/** The day of a number: the same number is the same day. */
export function planOf(number: number): Plan {
  const [plan] = fc.sample(day, { seed: number, numRuns: 1 });
  if (!plan) throw new Error('no plan');
  return plan;
}
