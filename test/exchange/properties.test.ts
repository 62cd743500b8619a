import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createExchange, type Exchange } from '../../server/exchange/exchange.ts';
import { findInstrument } from '../../server/exchange/instruments.ts';
import type { FillPlan, Trade } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { averagePrice, Big } from '../../server/money.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

const symbols = [
  ['NSE', 'SBIN', 1],
  ['NFO', 'RELIANCE26DECFUT', 500],
  ['MCX', 'NATURALGAS26DECFUT', 1],
] as const;

const part = fc.record({
  quantity: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constant('rest' as const)),
  afterMs: fc.integer({ min: 0, max: 900 }),
});
const orderType = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('MARKET' as const, 'LIMIT' as const) },
  { weight: 1, arbitrary: fc.constantFrom('SL' as const, 'SL-M' as const) },
);
const order = fc.record({
  do: fc.constant('place' as const),
  symbol: fc.constantFrom(...symbols),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  orderType,
  carried: fc.boolean(),
  lots: fc.integer({ min: 1, max: 3 }),
  /** Ticks between the last price and the order's. */
  away: fc.integer({ min: -20, max: 20 }),
  protect: fc.boolean(),
  plan: fc.option(fc.array(part, { minLength: 1, maxLength: 4 }), { freq: 3 }),
});
const act = fc.oneof(
  { weight: 5, arbitrary: order },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('modify' as const),
      which: fc.nat(),
      lots: fc.integer({ min: 1, max: 4 }),
      away: fc.integer({ min: -20, max: 20 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pin' as const),
      symbol: fc.constantFrom(...symbols),
      ticks: fc.integer({ min: -60, max: 60 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 5, 20, 300, 1_000, 60_000, 50_000_000) }) },
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

function world(seed: number): { exchange: Exchange; clock: ManualClock } {
  const clock = manualClock();
  return { clock, exchange: createExchange({ clock, log: silentLog(), seed }) };
}

function priceAt(exchange: Exchange, market: string, symbol: string, ticks: number): string {
  const instrument = findInstrument(market, symbol);
  if (!instrument) throw new Error(symbol);
  return new Big(instrument.tick).times(ticks).plus(exchange.quote(instrument).last).toFixed();
}

function perform({ exchange, clock }: ReturnType<typeof world>, step: Act): void {
  const account = exchange.account('zerodha');
  const orders = exchange.ledger().orders;
  switch (step.do) {
    case 'place': {
      const [market, symbol, lot] = step.symbol;
      const price = priceAt(exchange, market, symbol, step.away);
      const { side, orderType } = step;
      const held = market === 'NSE' ? ('DELIVERY' as const) : ('CARRYFORWARD' as const);
      const product = step.carried ? held : ('INTRADAY' as const);
      const plan: { plan?: FillPlan } = step.plan ? { plan: step.plan } : {};
      const protectionPercent = step.protect ? '1' : undefined;
      const wanted = {
        exchange: market,
        symbol,
        side,
        orderType,
        product,
        quantity: step.lots * lot,
        price,
        triggerPrice: price,
        protectionPercent,
      };
      exchange.account('zerodha', plan).place(wanted);
      return;
    }
    case 'modify': {
      const target = orders[step.which % Math.max(1, orders.length)];
      if (target)
        account.modify(target.orderId, { quantity: step.lots, price: priceAt(exchange, target.exchange, target.symbol, step.away) });
      return;
    }
    case 'cancel': {
      const target = orders[step.which % Math.max(1, orders.length)];
      if (target) account.cancel(target.orderId);
      return;
    }
    case 'pin':
      exchange.setPrice(
        step.symbol[0],
        step.symbol[1],
        step.ticks === 0 ? null : priceAt(exchange, step.symbol[0], step.symbol[1], step.ticks),
      );
      return;
    case 'wait':
      clock.pass(step.ms);
  }
}

function sum(trades: readonly Trade[], side: 'BUY' | 'SELL'): { quantity: number; value: Big } {
  const mine = trades.filter((trade) => trade.side === side);
  const value = mine.reduce((total, trade) => total.plus(new Big(trade.price).times(trade.quantity)), new Big(0));
  return { quantity: mine.reduce((total, trade) => total + trade.quantity, 0), value };
}

/** Everything that must hold after every step. */
function check(exchange: Exchange): void {
  const account = exchange.account('zerodha');
  account.orders();
  const { orders, trades } = exchange.ledger();
  for (const entry of orders) {
    const mine = trades.filter((trade) => trade.orderId === entry.orderId);
    expect(mine.reduce((total, trade) => total + trade.quantity, 0)).toBe(entry.filled);
    expect(Number(entry.average)).toBe(averagePrice(mine));
    expect(entry.filled).toBeLessThanOrEqual(entry.quantity);
    if (entry.status === 'FILLED') expect(entry.filled).toBe(entry.quantity);
    if (entry.status === 'REJECTED') expect(entry.filled).toBe(0);
  }
  let realised = new Big(0);
  for (const position of account.positions()) {
    const today = account
      .trades()
      .filter((trade) => trade.symbol === position.symbol && trade.exchange === position.exchange && trade.product === position.product);
    const [bought, sold] = [sum(today, 'BUY'), sum(today, 'SELL')];
    expect([position.dayBuyQuantity, position.daySellQuantity]).toEqual([bought.quantity, sold.quantity]);
    expect([position.dayBuyValue, position.daySellValue]).toEqual([bought.value.toFixed(), sold.value.toFixed()]);
    expect(position.net).toBe(position.overnight + bought.quantity - sold.quantity);
    expect(position.net).toBe(position.buyQuantity - position.sellQuantity);
    // What was earned is what came in less what went out, the open part at its cost.
    const flow = new Big(position.sellValue).minus(position.buyValue).plus(new Big(position.openValue).times(Math.sign(position.net)));
    expect(flow.times(position.multiplier).toFixed()).toBe(new Big(position.realised).toFixed());
    // Seen as one flow of money or as what is closed and what is open, the profit is the same; of today and of what was carried it is the sum.
    const { total, day, carried, profit } = position;
    expect([total.profit.toFixed(), day.profit.plus(carried.profit).toFixed()]).toEqual([profit.toFixed(), profit.toFixed()]);
    expect([total.net, carried.net]).toEqual([position.net, position.overnight]);
    realised = realised.plus(position.realised);
  }
  const funds = account.funds();
  expect(funds.realised).toBe(realised.toFixed());
  expect(funds.balance).toBe(realised.plus(funds.opening).toFixed());
  expect(new Big(funds.available).plus(funds.used).toFixed()).toBe(new Big(funds.opening).plus(funds.realised).toFixed());
}

describe('whatever is done to the exchange', () => {
  const seed = Number(process.hrtime.bigint() % 1_000_000n);

  test(`fills, averages, positions and cash agree with the trades (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.array(act, { maxLength: 25 }), (priceSeed, acts) => {
        const here = world(priceSeed);
        for (const step of acts) {
          perform(here, step);
          check(here.exchange);
        }
      }),
      { seed, numRuns: 150 },
    );
  });

  test(`no limit is overrun and no final order moves again (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(act, { maxLength: 25 }), (acts) => {
        const here = world(3);
        for (const step of acts) perform(here, step);
        for (const found of here.exchange.account('zerodha').orders()) {
          const ends = found.history.findIndex((line) => ['FILLED', 'REJECTED', 'CANCELLED', 'EXPIRED'].includes(line.state));
          expect(ends === -1 || ends === found.history.length - 1).toBe(true);
          if (found.askedType !== 'LIMIT' || found.modifications > 0) continue;
          const worst = here.exchange.ledger().trades.filter((trade) => trade.orderId === found.orderId);
          const sign = found.side === 'BUY' ? 1 : -1;
          for (const trade of worst) expect(new Big(trade.price).cmp(found.price) * sign).toBeLessThanOrEqual(0);
        }
      }),
      { seed, numRuns: 100 },
    );
  });

  test(`one seed gives one history (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.array(act, { maxLength: 25 }), (priceSeed, acts) => {
        const [one, two] = [world(priceSeed), world(priceSeed)];
        for (const here of [one, two]) for (const step of acts) perform(here, step);
        expect(JSON.stringify(two.exchange.ledger())).toBe(JSON.stringify(one.exchange.ledger()));
      }),
      { seed, numRuns: 40 },
    );
  });
});
