import type { Account } from '../brokers/account.ts';
import type { HoldingRow, OrderRow, PositionRow } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Clock } from '../clock.ts';
import { inTime } from '../instruments/in-time.ts';
import { isOver } from '../orders/fill.ts';
import { type Read, readNow, type Seen, type SurveyParts } from './frame.ts';
import type { Leg, Plan, Resting } from './plan.ts';
import { positionWarnings, surveyWarnings, unresolvedWarning } from './warnings.ts';

/** How often positions are read again because an order of the exit side filled meanwhile. */
const ROUNDS = 3;
/** So long an order book that cannot be read is asked for again. */
const READ_MS = 2500;
const PAUSE_MS = 250;
/** Exchanges where one share may be traded. */
const SHARES: ReadonlySet<string> = new Set(['NSE', 'BSE']);

/** A position as its rows show it, or our own books. */
interface Found {
  key: string;
  name: InstrumentName;
  product: string;
  holding: boolean;
  net: number;
  lastPrice: number | null;
}

/** Reads what is open and what rests, and says what an exit of each would do. Shares held from earlier days only with `holdings`. Sends nothing. */
export async function survey(parts: SurveyParts, account: Account, { holdings }: { holdings: boolean }): Promise<Plan> {
  const { clock } = parts;
  const held = holdings ? readNow(clock, account.holdings) : null;
  let book = await bookNow(clock, account);
  let positions: Read<PositionRow> = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    positions = await readNow(clock, account.positions);
    const rests = book?.normalized.some((row) => !isOver(row)) ?? false;
    if (!book || !rests) break;
    // What fills between the two reads would count in both of them, or in none.
    const again = await readNow(clock, account.orderBook);
    const unchanged = again && fillsOf(again.normalized) === fillsOf(book.normalized);
    book = again ?? book;
    if (unchanged || !positions) break;
  }
  const seen: Seen = { book, positions, holdings: held && (await held) };
  const found = [...foundPositions(parts, account, positions), ...foundHoldings(parts, account, seen.holdings)];
  const legs = await Promise.all(found.map((one) => legOf(parts, account, one, seen, holdings)));
  // Positions may show for a while what our own last fill has closed already.
  const open = legs.filter(({ side, net, target }) => net !== 0 && (side === null || target > 0));
  return { at: clock.now(), legs: open, warnings: [...surveyWarnings(seen, holdings), ...unresolvedEntries(parts, account, open)] };
}

/** Orders of ours whose fate nobody knows and that no leg waits for: what they fill, or have filled, no exit of now can close. */
function unresolvedEntries({ orders }: SurveyParts, account: Account, legs: readonly Leg[]): string[] {
  return orders
    .unresolved()
    .filter(({ broker, account: whose }) => broker === account.broker.id && whose === account.id)
    .filter((order) => {
      const key = orders.instrumentKey(account, order);
      const isExit = ({ product, side, exchange, symbol, token }: Leg) =>
        product === order.product &&
        side === order.side &&
        orders.instrumentKey(account, { exchange, symbol, token: token || null }) === key;
      return !legs.some(isExit);
    })
    .map(unresolvedWarning);
}

/** A broker in trouble may answer the next time. */
async function bookNow(clock: Clock, account: Account): Promise<Read<OrderRow>> {
  const until = clock.mono() + READ_MS;
  for (;;) {
    const book = await readNow(clock, account.orderBook);
    if (book || clock.mono() >= until) return book;
    await clock.sleep(PAUSE_MS);
  }
}

function fillsOf(rows: readonly OrderRow[]): string {
  return rows
    .map(({ order_id, filled_quantity }) => `${order_id}:${filled_quantity}`)
    .sort()
    .join();
}

/** Each product of an instrument once: what the positions show, and what our live book holds that they do not show yet. */
function foundPositions({ orders }: SurveyParts, account: Account, positions: Read<PositionRow>): Found[] {
  const found = new Map<string, Found>();
  const add = (name: InstrumentName, product: string, net: number, lastPrice: number | null) => {
    const key = orders.instrumentKey(account, name);
    const known = found.get(`${key} ${product}`);
    if (known) known.net += net;
    else found.set(`${key} ${product}`, { key, name, product, holding: false, net, lastPrice });
  };
  for (const { exchange, symbol, token, product_type, net_quantity, last_price } of positions?.normalized ?? [])
    add({ exchange, symbol, token }, product_type, net_quantity, last_price);
  for (const { name, product, net } of orders.held(account))
    if (!found.has(`${orders.instrumentKey(account, name)} ${product}`)) add(name, product, net, null);
  return [...found.values()];
}

function foundHoldings({ orders }: SurveyParts, account: Account, holdings: Read<HoldingRow>): Found[] {
  return (holdings?.normalized ?? [])
    .filter((row) => row.sellable_quantity > 0)
    .map(({ exchange, symbol, token, sellable_quantity, last_price }) => {
      const name = { exchange, symbol, token };
      return {
        key: orders.instrumentKey(account, name),
        name,
        product: 'DELIVERY',
        holding: true,
        net: sellable_quantity,
        lastPrice: last_price,
      };
    });
}

/** Positions may lag behind fills: where the live book is sure of the net, with the newest read counted in, that is the one. */
function netOf({ orders }: SurveyParts, account: Account, { name, product, net }: Found): number {
  return orders.standing(account, { name, product, side: net < 0 ? 'BUY' : 'SELL' }).net ?? net;
}

async function legOf(parts: SurveyParts, account: Account, found: Found, seen: Seen, holdings: boolean): Promise<Leg> {
  const { name, product, holding } = found;
  const directory = parts.instruments.of(account.broker.id);
  const [row = null] = (directory && (await inTime(parts.clock, directory.rowsOf([name])))) ?? [];
  const most = row?.freezeQuantity == null ? null : row.freezeQuantity - (row.freezeQuantity % row.lotSize) || null;
  // From here on in one turn of the event loop: what fills between the net and the resting orders would count in both, or in none.
  const net = holding ? found.net : netOf(parts, account, found);
  // Shares sold for delivery come out of what is held: below zero there is nothing to buy back.
  const side = net === 0 || (product === 'DELIVERY' && net < 0) ? null : net > 0 ? 'SELL' : 'BUY';
  const standing = side && parts.orders.standing(account, { name, product, side, positionAlone: !holdings });
  const known = ({ order_id }: OrderRow) => parts.orders.known(account, order_id);
  const isAlive = (order: OrderRow) => !isOver(order) && !known(order)?.over;
  const mine = (seen.book?.normalized ?? []).filter((order) => isAlive(order) && parts.orders.instrumentKey(account, order) === found.key);
  const rests = mine
    .filter((order) => order.product_type === product && order.transaction_type === side)
    .map((order) => restingOf(order, known(order)?.filled ?? 0));
  if (!seen.book) rests.push(...ownRests(parts, account, found, side));
  const leg: Leg = {
    instrument: row?.instrument ?? null,
    exchange: name.exchange,
    symbol: name.symbol,
    token: name.token ?? '',
    product,
    holding,
    net,
    side,
    target: standing ? Math.min(Math.abs(net), standing.room) : 0,
    quantity: standing ? Math.min(Math.abs(net), standing.whole) : 0,
    lastPrice: found.lastPrice,
    most,
    lot: row?.lotSize ?? (SHARES.has(name.exchange) ? 1 : null),
    rests,
    warnings: [],
  };
  const others = mine.filter((order) => side !== null && order.transaction_type !== side);
  return { ...leg, warnings: positionWarnings(leg, standing, others) };
}

/** What rests by our own book, where the broker's cannot be read. */
function ownRests({ orders }: SurveyParts, account: Account, { key, product }: Found, side: string | null): Resting[] {
  return orders
    .resting(account)
    .filter((order) => order.product === product && order.side === side && orders.instrumentKey(account, order.name) === key)
    .map(({ orderId, orderType, quantity, filled, price }) => {
      return {
        order_id: orderId,
        order_type: orderType ?? '',
        quantity,
        filled,
        price: price === null ? null : Number(price),
        trigger_price: null,
      };
    });
}

/** `seen`: what the live book has seen filled of it, which may be newer than the row. */
function restingOf({ order_id, order_type, quantity, filled_quantity, price, trigger_price }: OrderRow, seen: number): Resting {
  return { order_id, order_type, quantity, filled: Math.max(filled_quantity, seen), price, trigger_price };
}
