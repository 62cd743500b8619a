import type { z } from 'zod';
import { type Clock, nextIstHour, seededRandom } from '../clock.ts';
import type { Log } from '../log.ts';
import { Big } from '../money.ts';
import { type AccountBook, bookTrade, newBook, seenHolder, seenOrders, seenTrades, turnDay } from './accounts.ts';
import { findInstrument, instruments } from './instruments.ts';
import { openLedger, type PlacingRequest } from './ledger.ts';
import { advance, averageOf, inState } from './matching.ts';
import { assess, cancelOrder, type Engine, modifyOrder, placeOrder, takenUpAt } from './orders.ts';
import type { Holder, Holding, Position } from './positions.ts';
import { createPrices } from './prices.ts';
import { type Funds, fundsOf } from './rules.ts';
import {
  type AccountTraits,
  type BrokerId,
  type Change,
  type Effects,
  type ExchangeOrder,
  type Instrument,
  isFinal,
  type Placed,
  PlaceRequest,
  type Quote,
  type Refusal,
  type Trade,
} from './types.ts';

export interface ExchangeOptions {
  clock: Clock;
  log: Log;
  /** Prices and transit times come from it. */
  seed: number;
  /** Path of the ledger; kept in memory alone when absent. */
  ledgerFile?: string | undefined;
  /** Least and most milliseconds before the exchange acknowledges; 0 to 20 unless given. */
  transitMs?: readonly [number, number] | undefined;
  traits?: Partial<Record<BrokerId, AccountTraits>> | undefined;
}

export type NewOrder = z.input<typeof PlaceRequest>;

/** One order as the judge of the tests sees it. */
export interface LedgerOrder
  extends Pick<
    ExchangeOrder,
    'orderId' | 'tag' | 'byHand' | 'exchange' | 'symbol' | 'side' | 'orderType' | 'product' | 'quantity' | 'filled'
  > {
  broker: BrokerId;
  status: ExchangeOrder['state'];
  /** Average fill price, rupees as decimal text, 4 places; 0 when nothing filled. */
  average: string;
  /** Epoch ms. */
  receivedAt: number;
  /** When the newest change of it was taken, epoch ms; null: never changed. */
  changedAt: number | null;
}

export interface Ledger {
  /** In the order they were received, all days. */
  orders: LedgerOrder[];
  trades: Trade[];
  /** Every placing request an emulator received, lost ones too. */
  requests: readonly PlacingRequest[];
  placingRequests: Partial<Record<BrokerId, number>>;
}

/** One account as an emulator sees it during one call: effects of planted faults are in it already. */
export interface Account {
  place(order: NewOrder): Placed;
  modify(orderId: string, change: Change): Placed;
  cancel(orderId: string): Placed;
  /** The day's orders, oldest first. */
  orders(): ExchangeOrder[];
  order(orderId: string): ExchangeOrder | undefined;
  trades(): Trade[];
  positions(): Position[];
  holdings(): Holding[];
  funds(): Funds;
  /** Margin an order would bind, rupees, and what would stand against it; null for an unknown instrument. */
  marginFor(order: NewOrder): { required: string; objection: Refusal | null } | null;
}

export type OrderListener = (order: ExchangeOrder, trade: Trade | undefined) => void;

export interface Exchange {
  readonly clock: Clock;
  readonly instruments: readonly Instrument[];
  account(broker: BrokerId, effects?: Effects): Account;
  /** An order placed in the broker's own app: no tag, no request counted. */
  placeByHand(broker: BrokerId, order: NewOrder): Placed;
  quote(instrument: Instrument): Quote;
  /** Pins a price (rupees), or with null lets it walk again. Throws for an unknown instrument. */
  setPrice(exchange: string, symbol: string, price: string | null): void;
  /** Hears of every change of an order, with the trade that caused it. Returns what ends it. */
  onOrder(listener: OrderListener): () => void;
  /** When the next step of an order is due (epoch ms); Infinity when none is. */
  nextDueAt(): number;
  /** Brings all orders up to now. Every call does it first; the host does it on each price tick. */
  advance(): void;
  ledger(): Ledger;
  /** Notes a placing request an emulator has received. */
  received(broker: BrokerId, tag: string | null, fault: string | null): void;
  /** Login tokens live in the ledger so that they outlive a restart. Epoch ms. */
  keepToken(broker: BrokerId, token: string, validUntil: number): void;
  /** Undefined for a token never kept. */
  tokenValidUntil(broker: BrokerId, token: string): number | undefined;
  close(): void;
}

/** No order is held against more price ticks than this at once: a long gap is skipped to its last two minutes. */
const LONGEST_LOOK_BACK_TICKS = 240;

const plainTraits: AccountTraits = { refusedInBook: [], orderId: (serial) => serial };

/** The matching engine with its accounts and ledger. All methods are synchronous; a change is on disk when the call returns. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { clock } = options;
  const random = seededRandom(options.seed);
  const prices = createPrices(options.seed);
  const [least, most] = options.transitMs ?? [0, 20];
  const books = new Map<BrokerId, AccountBook>();
  const requests: PlacingRequest[] = [];
  const tokens = new Map<string, number>();
  const checked = new Map<string, number>();
  const listeners = new Set<OrderListener>();
  let lastSerial = 0n;
  let orders = 0;
  let trades = 0;

  const ledger = openLedger(options.ledgerFile, (record) => {
    if (record.kind === 'order') remember(record.order, record.trade);
    if (record.kind === 'request') requests.push(record.request);
    if (record.kind === 'token') tokens.set(`${record.broker}:${record.token}`, record.validUntil);
  });

  function bookOf(broker: BrokerId): AccountBook {
    const book = books.get(broker) ?? newBook(broker, options.traits?.[broker] ?? plainTraits);
    books.set(broker, book);
    return book;
  }

  function remember(order: ExchangeOrder, trade: Trade | undefined): void {
    const book = bookOf(order.account);
    if (!book.orders.has(order.orderId)) orders += 1;
    book.orders.set(order.orderId, order);
    if (isFinal(order)) book.live.delete(order.orderId);
    else book.live.set(order.orderId, order);
    if (isFinal(order)) checked.delete(order.orderId);
    if (BigInt(order.serial) > lastSerial) lastSerial = BigInt(order.serial);
    if (!trade) return;
    trades += 1;
    bookTrade(book, trade);
  }

  const engine: Engine = {
    now: () => clock.now(),
    tickAt: prices.tickAt,
    touch: prices.touch,
    transitMs: () => Math.round(least + random.next() * (most - least)),
    instrumentOf: (order) => instrumentNamed(order.exchange, order.symbol),
    nextSerial() {
      const fromTime = (BigInt(Math.floor(clock.now())) << 20n) + BigInt(orders & 0xf_ffff);
      lastSerial = fromTime > lastSerial ? fromTime : lastSerial + 1n;
      return String(lastSerial);
    },
    newTicks(order, now) {
      const to = prices.tickAt(now);
      if (prices.pinned(engine.instrumentOf(order))) return [to];
      const from = Math.max(checked.get(order.orderId) ?? prices.tickAt(order.updatedAt), to - LONGEST_LOOK_BACK_TICKS);
      checked.set(order.orderId, to);
      return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + 1 + index);
    },
    save(order, made) {
      const trade = made && { ...made, tradeId: String(10_000_001 + trades) };
      ledger.append({ kind: 'order', order, trade });
      options.log.debug({ broker: order.account, orderId: order.orderId, state: order.state, filled: order.filled }, 'exchange order');
      remember(order, trade);
      // Later in this turn: a listener that reads the account would bring up an order that is being brought up.
      for (const listener of listeners) queueMicrotask(() => listener(order, trade));
      return order;
    },
  };

  function bringUp(book: AccountBook): AccountBook {
    const now = clock.now();
    for (const order of [...book.live.values()]) {
      const dayEnd = nextIstHour(takenUpAt(order), 0);
      const current = advance(order, Math.min(now, dayEnd - 1), engine);
      if (now >= dayEnd && !isFinal(current)) engine.save(inState({ ...current, agenda: [] }, dayEnd - 1, 'EXPIRED'));
    }
    turnDay(book, now);
    return book;
  }

  function unrealised(holder: Holder): string {
    const tick = prices.tickAt(clock.now());
    return Object.values(holder.positions)
      .reduce((sum, position) => {
        const { last } = prices.touch(instrumentNamed(position.exchange, position.symbol), tick);
        const cost = new Big(position.openValue).times(Math.sign(position.net));
        return sum.plus(new Big(last).times(position.net).minus(cost).times(position.multiplier));
      }, new Big(0))
      .toFixed();
  }

  function account(broker: BrokerId, effects: Effects = {}): Account {
    const now = () => clock.now();
    const book = () => bringUp(bookOf(broker));
    return {
      place: (order) => placeOrder(engine, book(), PlaceRequest.parse(order), effects, false),
      modify: (orderId, change) => modifyOrder(engine, book(), orderId, change),
      cancel: (orderId) => cancelOrder(engine, book(), orderId),
      orders: () => seenOrders(book(), now()),
      order: (orderId) => seenOrders(book(), now()).find((order) => order.orderId === orderId),
      trades: () => seenTrades(book(), now()),
      positions: () => Object.values(seenHolder(book(), now(), effects).positions),
      holdings: () => Object.values(seenHolder(book(), now(), effects).holdings),
      funds() {
        const { holder, live } = book();
        return fundsOf(holder, [...live.values()], unrealised(holder));
      },
      marginFor(order) {
        const assessed = assess(engine, book(), PlaceRequest.parse(order), null);
        return assessed && { required: assessed.required, objection: assessed.objection };
      },
    };
  }

  return {
    clock,
    instruments,
    account,
    placeByHand: (broker, order) => placeOrder(engine, bringUp(bookOf(broker)), { ...PlaceRequest.parse(order), tag: null }, {}, true),
    quote: (instrument) => prices.quote(instrument, clock.now()),
    setPrice(exchange, symbol, price) {
      prices.pin(instrumentNamed(exchange, symbol), price);
      for (const book of books.values()) bringUp(book);
    },
    onOrder(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextDueAt() {
      const live = [...books.values()].flatMap((book) => [...book.live.values()]);
      return live.reduce((soonest, { agenda: [step] }) => Math.min(soonest, step?.at ?? soonest), Number.POSITIVE_INFINITY);
    },
    advance() {
      for (const book of books.values()) bringUp(book);
    },
    ledger: () => viewOf(books, requests),
    received(broker, tag, fault) {
      const request = { broker, at: clock.now(), tag, fault };
      ledger.append({ kind: 'request', request });
      requests.push(request);
    },
    keepToken(broker, token, validUntil) {
      ledger.append({ kind: 'token', broker, token, validUntil });
      tokens.set(`${broker}:${token}`, validUntil);
    },
    tokenValidUntil: (broker, token) => tokens.get(`${broker}:${token}`),
    close: () => ledger.close(),
  };
}

function instrumentNamed(exchange: string, symbol: string): Instrument {
  const instrument = findInstrument(exchange, symbol);
  if (!instrument) throw new Error(`The practice exchange does not trade ${exchange}:${symbol}`);
  return instrument;
}

function viewOf(books: ReadonlyMap<BrokerId, AccountBook>, requests: readonly PlacingRequest[]): Ledger {
  const orders = [...books.values()].flatMap((book) => [...book.orders.values()]).map(ledgerOrder);
  const placingRequests: Partial<Record<BrokerId, number>> = {};
  for (const { broker } of requests) placingRequests[broker] = (placingRequests[broker] ?? 0) + 1;
  return { orders, trades: [...books.values()].flatMap((book) => book.trades), requests, placingRequests };
}

function ledgerOrder(order: ExchangeOrder): LedgerOrder {
  const { account, orderId, tag, byHand, exchange, symbol, side, orderType, product, quantity, filled, state, receivedAt } = order;
  const named = { broker: account, orderId, tag, byHand, exchange, symbol, side, orderType, product };
  const changedAt = order.history.findLast((line) => line.state === 'MODIFY_PENDING')?.at ?? null;
  return { ...named, quantity, filled, average: averageOf(order), status: state, receivedAt, changedAt };
}
