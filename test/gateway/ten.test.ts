import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type HoldingRow,
  NamedHolding,
  NamedOrder,
  NamedPosition,
  NamedTrade,
  type OrderRow,
  type PositionRow,
  type TradeRow,
} from '../../contract/rows.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { practice } from '../exchange/practice.ts';
import { ownWords } from './ten-words.ts';

/** What one strategy, unchanged but for the names of instruments, does and sees at each of the ten. What its own rows and messages say of it is in ten-words.ts; what else is a broker's own in test/exchange/<id>.test.ts. */
const schemas = { orders: NamedOrder, positions: NamedPosition, holdings: NamedHolding, tradebook: NamedTrade };
type List = keyof typeof schemas;
const lists = Object.keys(schemas) as List[];
type Row = Record<string, unknown>;

/** For each list of each broker so far: every key with the types its values had. */
const shapes = new Map<string, Record<List, Map<string, Set<string>>>>();

/** A change may take the tag off an order, as Kotak does: the one that was changed and cancelled is left out. */
function tagOf({ status, tag }: { status: string; tag: string | null }): string | null {
  return status === 'CANCELLED' ? null : tag;
}

function shapeOf(rows: readonly Row[]): Map<string, Set<string>> {
  const shape = new Map<string, Set<string>>();
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      const types = shape.get(key) ?? new Set();
      shape.set(key, value === null ? types : types.add(typeof value));
    }
  }
  return shape;
}

describe.each(emulators.map((emulator) => emulator.id))('%s', (id) => {
  const { bid, call, order, place, read, venue, venueOrders } = practice(id);
  const own = ownWords[id];
  const found = async (orderId: string) => {
    const { body } = await call('GET', '/broker/orders');
    return body.normalized.find((row: { order_id: string }) => row.order_id === orderId);
  };

  it('connects at start and again, and passes six tests of six', async () => {
    expect((await call('GET', '/')).body).toMatchObject({ broker: id, status: 'ready' });
    expect((await call('POST', `/broker/connect?broker=${id}`)).body).toMatchObject({ success: true, broker: id });
    expect((await call('POST', `/broker/test/${id}`)).body).toMatchObject({ status: 'PASSED', passed: 6, failed: 0, total: 6 });
  });
  it.each([
    ['MARKET', 'SBIN', 'INTRADAY'],
    ['LIMIT', 'INFY', 'DELIVERY'],
  ])('fills a %s order with quantity and average price, and shows its trades', async (order_type, symbol, product_type) => {
    const price = order_type === 'LIMIT' ? Math.ceil(bid(symbol) * 1.03) : 0;
    const { body, text } = await place(order(symbol, { order_type, price, product_type }));
    const [made, ...more] = venueOrders(symbol);
    expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: Number(made?.average) });
    expect(body.avg_fill_price).toBeGreaterThan(0);
    expect(made?.tag).toMatch(/^[a-z][a-z0-9]{15}$/);
    expect([made?.orderId, made?.tag]).toContain(body.order_id);
    expect(more).toEqual([]);
    const trades = (await call('GET', '/broker/tradebook')).body.normalized.filter((trade: Row) => trade.order_id === body.order_id);
    expect(trades.reduce((sum: number, trade: { quantity: number }) => sum + trade.quantity, 0)).toBe(10);
  });
  it('lets an order rest, changes it, finds it by its id and cancels it', async () => {
    const price = Math.round(bid('TCS') * 0.95);
    const { body, text } = await place(order('TCS', { order_type: 'LIMIT', price }));
    expect(body, text).toMatchObject({ success: true, fill_status: 'PENDING', filled_quantity: 0, avg_fill_price: 0 });
    const { order_id } = body;
    expect((await call('POST', '/broker/orders/modify', { order_id, price: price + 2 })).body).toMatchObject({ success: true });
    await expect.poll(() => found(order_id), { timeout: 5000 }).toMatchObject({ price: price + 2, quantity: 10, state: 'OPEN' });
    expect((await call('POST', '/broker/orders/modify', { order_id, quantity: 12 })).body).toMatchObject({ success: true });
    await expect.poll(() => found(order_id), { timeout: 5000 }).toMatchObject({ price: price + 2, quantity: 12, status: 'PLACED' });
    await expect.poll(() => read(order_id), { timeout: 5000 }).toMatchObject({ order_id, ...own.rests(price + 2, 12) });
    expect((await call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject({ success: true });
    await expect
      .poll(() => found(order_id), { timeout: 5000 })
      .toMatchObject({ status: 'CANCELLED', state: 'CANCELLED', filled_quantity: 0 });
    expect(await read(order_id)).toMatchObject(own.cancelled);
    expect((await call('POST', '/broker/orders/cancel', { order_id })).body).toMatchObject(own.cancelledAgain);
  });
  it('blocks a second entry, lets the exit pass, and then blocks nothing', async () => {
    const again = await place(order('SBIN', { quantity: 3 }));
    expect(again.body).toMatchObject({ success: false, status: 'BLOCKED', fill_status: 'REJECTED' });
    expect(again.body.message).toMatch(/SBIN.*LONG/);
    expect(venueOrders('SBIN')).toHaveLength(1);
    expect((await place(order('SBIN', { transaction_type: 'SELL' }))).body).toMatchObject({ fill_status: 'FILLED', filled_quantity: 10 });
    expect((await place(order('SBIN', { idempotency_key: 'anew' }))).body).toMatchObject({ fill_status: 'FILLED' });
  });
  it('adds up partial fills', async () => {
    const plan = [
      { quantity: 3, afterMs: 0 },
      { quantity: 7, afterMs: 200 },
    ];
    venue().faults.plant({ kind: 'partialFills', operation: 'place', plan });
    const { body } = await place(order('WIPRO'));
    const average = Number(venueOrders('WIPRO')[0]?.average);
    expect(body).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10, avg_fill_price: average });
  });
  it.each([
    ['resetAfterAccept', 'ITC'],
    ['timeoutTextAfterAccept', 'HDFCBANK'],
    ['statusAfterAccept', 'TITAN'],
    ['garbageAfterAccept', 'CIPLA'],
  ] as const)('after %s finds the order by its tag, beside a twin placed by hand', async (kind, symbol) => {
    const twin = { exchange: 'NSE', symbol, side: 'BUY', orderType: 'LIMIT', product: 'INTRADAY', quantity: 10 } as const;
    expect(venue().exchange.placeByHand(id, { ...twin, price: String(Math.round(bid(symbol) * 0.95)) }).ok).toBe(true);
    venue().faults.plant({ kind, operation: 'place' });
    const { body, text } = await place(order(symbol));
    expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 10 });
    const [byHand, ours, ...more] = venueOrders(symbol);
    expect([byHand?.byHand, ours?.byHand, more]).toEqual([true, false, []]);
    expect([ours?.orderId, ours?.tag]).toContain(body.order_id);
  });
  it.each([
    ['rateLimited', 'AXISBANK'],
    ['unregisteredAddress', 'LT'],
  ] as const)('says what %s means at once, places nothing and stays connected', async (kind, symbol) => {
    venue().faults.plant({ kind, operation: 'place' });
    const { body } = await place(order(symbol));
    // Shoonya does not tell whether an order refused for its rate was taken before: it is looked up.
    const fate = id === 'shoonya' && kind === 'rateLimited' ? 'UNKNOWN' : 'REJECTED';
    expect(body).toMatchObject({ success: false, fill_status: fate, message: expect.stringMatching(own[kind]) });
    expect(venueOrders(symbol)).toEqual([]);
    expect((await call('GET', '/')).body.broker).toBe(id);
  });
  it('shows the keys of every other broker, with values of the same types, in each list', async () => {
    const mine = {} as Record<List, Map<string, Set<string>>>;
    for (const list of lists) {
      const { body } = await call('GET', `/broker/${list}`);
      const rows = z.array(schemas[list].strict()).min(1).parse(body.normalized);
      expect(rows, list).toHaveLength(body.data.length);
      mine[list] = shapeOf(rows);
    }
    for (const [other, theirs] of shapes) {
      for (const list of lists) {
        expect([...mine[list].keys()].toSorted(), `${list} of ${id} and ${other}`).toEqual([...theirs[list].keys()].toSorted());
        for (const [key, types] of mine[list]) {
          const both = new Set([...types, ...(theirs[list].get(key) ?? [])]);
          expect(both.size, `${list}.${key} of ${id} and ${other}: ${[...both]}`).toBeLessThanOrEqual(1);
        }
      }
    }
    shapes.set(id, mine);
  });
  it('says of its orders what the exchange says, under the names that orders take', async () => {
    const { normalized } = (await call('GET', '/broker/orders')).body as { normalized: OrderRow[] };
    const told = normalized.map((row) =>
      [row.symbol, row.transaction_type, row.product_type, row.quantity, row.filled_quantity, row.status, tagOf(row)].join(),
    );
    const words: Record<string, string> = { OPEN: 'PLACED', FILLED: 'FILLED', CANCELLED: 'CANCELLED' };
    const { orders } = venue().exchange.ledger();
    const held = orders.map((one) =>
      [order(one.symbol).symbol, one.side, one.product, one.quantity, one.filled, words[one.status], tagOf(one)].join(),
    );
    expect(told.toSorted()).toEqual(held.toSorted());
    const recent = (at: string | null) => at === null || Math.abs(Date.parse(at) - Date.now()) < 180_000;
    expect(normalized.filter((row) => row.placed_at === null || !recent(row.placed_at))).toEqual([]);
    const trades = (await call('GET', '/broker/tradebook')).body.normalized as TradeRow[];
    expect(trades.filter((row) => !recent(row.traded_at))).toEqual([]);
    const positions = (await call('GET', '/broker/positions')).body.normalized as PositionRow[];
    expect(positions).toContainEqual(expect.objectContaining({ symbol: order('WIPRO').symbol, net_quantity: 10, multiplier: 1 }));
    const holdings = (await call('GET', '/broker/holdings')).body.normalized as HoldingRow[];
    expect(holdings).toContainEqual(expect.objectContaining({ symbol: order('SBIN').symbol, quantity: 50, average_price: 781.4 }));
  });
});
