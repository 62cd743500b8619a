import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import { type Account, openAccount } from './account.ts';
import { createEngine } from './engine.ts';
import { instrumentNamed, instruments } from './instruments.ts';
import { mastersHold } from './listed.ts';
import { placeOrder } from './orders.ts';
import { createPrices } from './prices.ts';
import { openRecords, type RecordsOptions } from './records.ts';
import { type Ledger, summaryOf } from './summary.ts';
import {
  type BrokerId,
  type Effects,
  type ExchangeOrder,
  type Instrument,
  type Listed,
  type NewOrder,
  type Placed,
  PlaceRequest,
  type Quote,
  type Trade,
} from './types.ts';
import { type OrderView, orderView, type TradeView, tradeView } from './views.ts';

export interface ExchangeOptions extends RecordsOptions {
  clock: Clock;
  log: Log;
  /** Prices and transit times come from it. */
  seed: number;
  /** Least and most milliseconds before the exchange acknowledges; 0 to 20 unless given. */
  transitMs?: readonly [number, number] | undefined;
  /** So many made-up instruments stand in the brokers' masters beside what is traded; 0 unless given. Orders for them are refused. */
  listed?: number | undefined;
}

/** Where `npm run login` waits. */
const LOGIN_CLI = 'http://127.0.0.1:5001/';

export type OrderListener = (order: OrderView, trade: TradeView | undefined) => void;

export interface Exchange {
  readonly clock: Clock;
  readonly instruments: readonly Instrument[];
  /** What the brokers' masters list: the instruments first, the indices, odd rows, and what `listed` asked for. Made anew each time it is gone through. */
  readonly listed: Iterable<Listed>;
  /** Where the brokers' login pages send the browser that are told no address: what is registered with the practice apps. */
  readonly redirect: string;
  /** Registers another one. */
  sendBrowsersTo(address: string): void;
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

/** The matching engine with its accounts and ledger. All methods are synchronous; a change is on disk when the call returns. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { clock, log, seed, transitMs = [0, 20] } = options;
  const prices = createPrices(seed);
  const records = openRecords(options);
  const listeners = new Set<OrderListener>();
  const engine = createEngine({ clock, log, prices, records, seed, transitMs, told });
  const bookOf = (broker: BrokerId) => engine.bringUp(records.bookOf(broker));

  function told(order: ExchangeOrder, trade: Trade | undefined): void {
    if (listeners.size === 0) return;
    const view = orderView(order);
    const made = trade && tradeView(trade, order);
    // Later in this turn: a listener that reads the account would bring up an order that is being brought up.
    for (const listener of listeners) queueMicrotask(() => listener(view, made));
  }

  let redirect = LOGIN_CLI;

  function advance(): void {
    for (const book of records.books()) engine.bringUp(book);
  }

  return {
    get redirect() {
      return redirect;
    },
    sendBrowsersTo(address) {
      redirect = address;
    },
    clock,
    instruments,
    listed: mastersHold(options.listed ?? 0, seed),
    account: (broker, effects = {}) => openAccount({ engine, prices, book: () => bookOf(broker), effects }),
    placeByHand: (broker, order) => placeOrder(engine, bookOf(broker), { ...PlaceRequest.parse(order), tag: null }, {}, true),
    quote: (instrument) => prices.quote(instrument, clock.now()),
    setPrice(exchange, symbol, price) {
      prices.pin(instrumentNamed(exchange, symbol), price);
      advance();
    },
    onOrder(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    nextDueAt() {
      const live = records.books().flatMap((book) => [...book.live.values()]);
      return live.reduce((soonest, { agenda: [step] }) => Math.min(soonest, step?.at ?? soonest), Number.POSITIVE_INFINITY);
    },
    advance,
    ledger: () => summaryOf(records),
    received: (broker, tag, fault) => records.keepRequest({ broker, at: clock.now(), tag, fault }),
    keepToken: records.keepToken,
    tokenValidUntil: records.tokenValidUntil,
    close: records.close,
  };
}
