import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExitReport } from '../../contract/exits.ts';
import { type Random, seededRandom } from '../../server/clock.ts';
import { everything, proven, trialsOf } from '../support/proven.ts';
import { type Fast, type FaultSpec, marketOrder, SYMBOLS, shareAt, startFast, venueOf } from './fast.ts';

/** EXITS_SEED replays one. */
const seed = Number(process.env.EXITS_SEED ?? Math.floor(Math.random() * 1_000_000));
const trials = Number(process.env.EXITS_TRIALS ?? trialsOf(2, 40));
/** So often the same request is sent again until everything is settled. */
/** With it trials that take their time. */
const long = everything || process.env.EXITS_TRIALS !== undefined;
const REPEATS = 40;
const OVER: readonly string[] = ['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'];

type Found = ExitReport['positions'][number];
interface Held {
  symbol: string;
  product: string;
  /** Signed. */
  net: number;
}

/** What may go wrong on the way of an exit. */
function faultsOf(random: Random): FaultSpec[] {
  const times = 1 + Math.floor(random.next() * 2);
  const all: FaultSpec[] = [
    { kind: 'delay', operation: 'place', delayMs: 200 + random.next() * 2000, times },
    { kind: 'delay', operation: 'cancel', delayMs: 200 + random.next() * 2000, times },
    { kind: 'resetAfterAccept', operation: 'place', times },
    { kind: 'hangAfterAccept', operation: 'place', times },
    // Its fate is known two minutes later.
    ...(long ? [{ kind: 'lostRequest' as const, operation: 'place' as const, times }] : []),
    { kind: 'garbageAfterAccept', operation: 'place', times },
    { kind: 'resetAfterAccept', operation: 'cancel', times },
    { kind: 'lostRequest', operation: 'cancel', times },
    { kind: 'hangAfterAccept', operation: 'cancel', times },
    { kind: 'status5xxBefore', operation: 'orders', times: times + 1 },
    { kind: 'hangBefore', operation: 'positions', times: times + 1 },
    { kind: 'laggingPositions', operation: 'positions', lagMs: 3000, times: 6 },
    { kind: 'lateVisibility', operation: 'place', visibleAfterMs: 2500, times },
    { kind: 'rejectByRisk', operation: 'place', times },
    {
      kind: 'partialFills',
      operation: 'place',
      plan: [
        { quantity: 3, afterMs: 300 },
        { quantity: 'rest', afterMs: 2500 },
      ],
      times,
    },
  ];
  return all.filter(() => random.next() < 0.2);
}

describe.each(proven)('%s: exits in a bad hour', (id) => {
  let fast: Fast;
  beforeAll(async () => {
    fast = await startFast(id, { env: { POSITION_GUARD: 'off' } });
  });
  afterAll(() => fast.gateway.stop());

  const call = (body: object) => fast.gateway.call('POST', '/broker/exits', body);
  const ledger = () => venueOf(fast.gateway).exchange.ledger();
  const ordersOf = ({ symbol, product }: Held) => ledger().orders.filter((one) => one.symbol === symbol && one.product === product);

  /** The net after each trade of a position, from the first on. */
  function netsOf(held: Held): number[] {
    const sides = new Map(ordersOf(held).map(({ orderId, side }) => [orderId, side === 'BUY' ? 1 : -1]));
    let net = 0;
    return ledger().trades.flatMap((trade) => {
      const sign = sides.get(trade.orderId);
      if (sign === undefined) return [];
      net += sign * trade.quantity;
      return [net];
    });
  }
  const netOf = (held: Held) => netsOf(held).at(-1) ?? 0;

  async function enter(random: Random, symbol: string, key: string): Promise<Held> {
    venueOf(fast.gateway).exchange.setPrice('NSE', symbol, String(priceOf(symbol)));
    const long = random.next() < 0.6;
    const product = long && random.next() < 0.3 ? 'DELIVERY' : 'INTRADAY';
    const held = { symbol, product, net: 0 };
    const before = netOf(held);
    const quantity = 10 + Math.floor(random.next() * 30);
    const order = { ...marketOrder(fast, symbol), product_type: product, quantity, transaction_type: long ? 'BUY' : 'SELL' };
    const { body, text } = await fast.gateway.place({ ...order, idempotency_key: key });
    expect(body, text).toMatchObject({ fill_status: 'FILLED' });
    expect(before).toBe(0);
    return { ...held, net: long ? quantity : -quantity };
  }

  /** A price in the middle of the day's band, so that orders can rest on both sides of it. */
  function priceOf(symbol: string): number {
    const { lowerCircuit, upperCircuit } = shareAt(fast.gateway, symbol);
    return Math.round((Number(lowerCircuit) + Number(upperCircuit)) / 2);
  }

  /** Orders of the exit side at rest, of ours and by hand, together no more than the position. */
  async function rest(random: Random, { symbol, product, net }: Held, key: string): Promise<void> {
    let free = Math.abs(net);
    for (let index = 0; index < 2 && free > 2; index += 1) {
      if (random.next() < 0.4) continue;
      const quantity = 1 + Math.floor(random.next() * (free - 1));
      free -= quantity;
      const [side, away] = net > 0 ? (['SELL', 1] as const) : (['BUY', -1] as const);
      const limit = priceOf(symbol) + away * (5 + index);
      const stop = priceOf(symbol) - away * (5 + index);
      const isStop = random.next() < 0.5;
      if (random.next() < 0.3) {
        const prices = isStop
          ? { orderType: 'SL' as const, triggerPrice: String(stop), price: String(stop - away) }
          : { orderType: 'LIMIT' as const, price: String(limit) };
        venueOf(fast.gateway).exchange.placeByHand(id, {
          exchange: 'NSE',
          symbol,
          side,
          product: product as 'INTRADAY',
          quantity,
          ...prices,
        });
        continue;
      }
      const prices = isStop
        ? { order_type: 'SL', variety: 'STOPLOSS', trigger_price: stop, price: stop - away }
        : { order_type: 'LIMIT', price: limit };
      const order = { ...marketOrder(fast, symbol), product_type: product, quantity, transaction_type: side, ...prices };
      const { body, text } = await fast.gateway.place({ ...order, idempotency_key: `${key} ${index}` });
      expect(body, text).toMatchObject({ fill_status: 'PENDING' });
    }
  }

  /** The market moves while the exit runs, so that what rests fills. */
  async function move(random: Random, held: readonly Held[]): Promise<void> {
    for (const { symbol } of held) {
      await fast.clock.sleep(random.next() * 600);
      if (random.next() < 0.5) continue;
      const away = random.next() < 0.5 ? 8 : -8;
      venueOf(fast.gateway).exchange.setPrice('NSE', symbol, String(priceOf(symbol) + away));
    }
  }

  /** What a report says is held against the ledger of that moment: `live` are orders of the exit that may still fill. */
  function judge(found: Found, held: Held, words: string): void {
    const left = Math.abs(netOf(held));
    const live = ordersOf(held).some((order) => !OVER.includes(order.status));
    if (found.outcome === 'FLAT') expect(left, words).toBe(0);
    if (found.left_quantity !== null && !live) expect(found.left_quantity, words).toBe(left);
    expect(found.filled_quantity, words).toBeLessThanOrEqual(Math.abs(held.net));
  }

  it.each(Array.from({ length: trials }, (_, index) => seed + index))(
    'seed %i',
    async (own) => {
      const random = seededRandom(own);
      const { faults } = venueOf(fast.gateway);
      const chosen = SYMBOLS.filter(() => random.next() < 0.3).slice(0, 4);
      const symbols = chosen.length > 0 ? chosen : ['SBIN'];
      const held = await Promise.all(symbols.map((symbol, index) => enter(random, symbol, `in ${own} ${index}`)));
      await Promise.all(held.map((one, index) => rest(random, one, `rest ${own} ${index}`)));
      const firstTrade = held.map((one) => netsOf(one).length);
      const planted = faultsOf(random);
      for (const fault of planted) faults.plant({ broker: id, ...fault });
      const words = JSON.stringify({ own, held, planted });
      const request = { all: true, idempotency_key: `out ${own}` };
      const [first, twin, other] = await Promise.all([
        call(request),
        call(request),
        random.next() < 0.4 ? call({ all: true, idempotency_key: `other ${own}` }) : null,
        move(random, held),
      ]);
      expect(first.body, words).toMatchObject({ success: true });
      expect(twin.body, words).toEqual(first.body);
      if (process.env.EXITS_SHOW)
        console.log(words, JSON.stringify(first.body.positions.map((one: Found) => [one.symbol, one.outcome, one.message])));
      if (!other) for (const one of held) judge(positionOf(first.body, one), one, `${words} ${first.text}`);
      faults.clear();
      let last = first;
      for (let round = 0; round < REPEATS && isOpen(last.body); round += 1) {
        await fast.clock.sleep(5000);
        last = await call(request);
        expect(last.body.success, last.text).toBe(true);
      }
      expect(isOpen(last.body), `${words} ${last.text}`).toBe(false);
      // What was refused or rests goes with another exit, and then nothing is left anywhere.
      for (let round = 0; round < REPEATS && held.some((one) => netOf(one) !== 0); round += 1) {
        await call({ all: true, idempotency_key: `again ${own} ${round}` });
        await fast.clock.sleep(2000);
      }
      for (const [index, one] of held.entries()) {
        const nets = netsOf(one).slice((firstTrade[index] ?? 1) - 1);
        expect(
          nets.every((net) => net === 0 || Math.sign(net) === Math.sign(one.net)),
          `flipped: ${words} ${nets} ${JSON.stringify(ordersOf(one).slice(-8))} ${first.text} ${other?.text}`,
        ).toBe(true);
        expect(nets.at(-1), words).toBe(0);
        const sent = ordersOf(one).reduce(
          (sum, order) => sum + (Math.sign(one.net) === (order.side === 'SELL' ? 1 : -1) ? order.filled : 0),
          0,
        );
        expect(sent, words).toBeGreaterThanOrEqual(Math.abs(one.net));
      }
    },
    300_000,
  );
});

function positionOf({ positions }: ExitReport, { symbol, product }: Held): Found {
  const found = positions.find((one) => one.symbol.includes(symbol) && one.product_type === product);
  if (!found) throw new Error(`the report has no ${symbol} ${product}: ${JSON.stringify(positions)}`);
  return found;
}

function isOpen({ finished, positions }: ExitReport): boolean {
  return !finished || positions.some(({ orders }) => orders.some(({ answer }) => answer.fill_status === 'UNKNOWN'));
}
