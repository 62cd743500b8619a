import type { Account } from '../../server/brokers/account.ts';
import type { HoldingRow, Listing, OrderRow, OrderState, PositionRow, Unreadable } from '../../server/brokers/broker.ts';
import { type InstrumentName, tradedByNumber } from '../../server/brokers/instrument.ts';
import { ReadBudget } from '../../server/brokers/read-budget.ts';
import { SharedRead } from '../../server/brokers/shared-read.ts';
import type { Clock } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';
import { AccountBook } from '../../server/orders/account-book.ts';
import { Endings } from '../../server/orders/endings.ts';
import { Entry } from '../../server/orders/entry.ts';
import { judge, onlyReduces } from '../../server/orders/guard.ts';
import { type LeftBehind, nothingLeft } from '../../server/orders/left-behind.ts';
import { attempt, orderRow } from '../orders/parts.ts';
import { accountOf } from '../support/account.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import type { ModelOrder, Question, Traits } from './model.ts';
import type { Answer } from './table.ts';

const DAY = '2026-11-20';

/** Time that a history moves by hand. */
export class HandClock implements Clock {
  ms = 0;
  now(): number {
    return Date.parse(`${DAY}T10:00:00+05:30`) + this.ms;
  }
  mono(): number {
    return this.ms;
  }
  sleep(): Promise<void> {
    throw new Error('Nobody sleeps in a history');
  }
}

/** A read whose answers a history tells. */
class ToldRead<Row> extends SharedRead<Listing<Row>> {
  #hear: (answer: Listing<Row>, beganAt: number) => void = () => undefined;

  override listen(listener: (answer: Listing<Row>, beganAt: number) => void): () => void {
    this.#hear = listener;
    return () => undefined;
  }

  tell(normalized: Row[], beganAt: number, unreadable: Unreadable[] = []): void {
    this.#hear({ success: true, data: [], normalized, ...(unreadable.length > 0 && { unreadable }) }, beganAt);
  }
}

/** How a history names an instrument. */
export interface Name extends InstrumentName {
  exchange: 'NSE';
}

const budget = new ReadBudget(new HandClock(), []);
/** No answer is stored in a history. */
const endings = new Endings({ clock: new HandClock(), journal: new MemoryJournal(), log: silentLog(), stop: new AbortController().signal });
const neverRead = () => Promise.reject(new Error('Nothing is read in a history'));
const unsaid = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };

/** What an order-book row says of an order of ours. */
export interface ToldOrder {
  order: ModelOrder;
  name: Name;
  quantity: number;
  filled: number;
  state: OrderState;
}

/** The server's own live book of one account, hearing what a history tells. */
export class RealBook {
  readonly clock: HandClock;
  readonly #traits: Traits;
  readonly #entries = new Map<ModelOrder, Entry>();
  /** Ends the modify that is under way. */
  #modified: (refused: boolean, at: number) => void = () => undefined;
  #positions = new ToldRead<PositionRow>(neverRead, budget);
  #orders = new ToldRead<OrderRow>(neverRead, budget);
  #holdings = new ToldRead<HoldingRow>(neverRead, budget);
  #book: AccountBook;

  constructor(clock: HandClock, traits: Traits) {
    this.clock = clock;
    this.#traits = traits;
    this.#book = this.#newBook(nothingLeft());
  }

  #newBook(left: LeftBehind): AccountBook {
    const { lagMs: positionsLagMs, holdingsFall } = this.#traits;
    const traits = { tradedBy: tradedByNumber, orderLimits: [], readLimits: [], unattended: true, positionsLagMs };
    const broker = standInBroker({ traits: { ...traits, ...(holdingsFall !== undefined && { holdingsFall }) } });
    const reads = { positions: this.#positions, orderBook: this.#orders, holdings: this.#holdings };
    const account: Account = accountOf(broker, this.clock, reads);
    return new AccountBook(this.clock, account, left, endings);
  }

  /** A new process, with what the records hold: nets by place, and fills of the last moments. */
  restart(
    names: readonly Name[],
    records: ReadonlyMap<string, number>,
    fills: readonly { order: ModelOrder; quantity: number; agoMs: number }[],
  ): void {
    const left: LeftBehind = nothingLeft();
    const of = { broker: 'dhan', account: 'TEST1' };
    for (const [place, net] of records) {
      const [name, product] = [names[Number(place.split(' ')[0])], place.split(' ')[1]];
      if (name && product && net !== 0) left.positions.push({ ...of, ...name, product, net });
    }
    for (const { order, quantity, agoMs } of fills) {
      const name = names[order.instrument];
      if (name) left.fills.push({ name, product: order.product, side: order.side, quantity, agoMs });
    }
    for (const [order, before] of [...this.#entries]) {
      if (before.stage === 'over') continue;
      const { orderId, quantity, filled: filledQuantity, side, product } = before;
      const name = names[order.instrument];
      if (!name) continue;
      if (before.stage === 'resting') {
        left.orders.push({
          ...of,
          ...name,
          orderId,
          quantity,
          filledQuantity,
          side,
          product,
          orderType: null,
          price: null,
          external: false,
          tradingDay: DAY,
        });
        continue;
      }
      const entry = new Entry(before.key, '', null);
      if (before.attempt) entry.hold({ ...before.attempt, orderId, quantity, filledQuantity });
      left.entries.push({ entry, filled: entry.filled });
      this.#entries.set(order, entry);
    }
    this.#book = this.#newBook(left);
    for (const [order, entry] of this.#entries) {
      const taken = entry.stage === 'resting' ? this.#book.order(entry.orderId) : undefined;
      if (taken) this.#entries.set(order, taken);
    }
  }

  /** An order's turn begins. */
  begin(name: Name): void {
    this.#book.instrument(name);
  }

  send(order: ModelOrder, name: Name): void {
    const { id, side, product, quantity } = order;
    const entry = new Entry(`k:${id}`, '', this.clock.mono());
    entry.hold(attempt({ key: entry.key, tag: `t${id}`, ...name, side, product, quantity, tradingDay: DAY }));
    this.#entries.set(order, entry);
    this.#book.add(entry, this.#book.instrument(name));
  }

  accepted(order: ModelOrder): void {
    const entry = this.#entry(order);
    entry.orderId = `o${order.id}`;
    this.#book.settle(entry);
  }

  /** The tracker has closed the order, at rest or over. */
  closed(order: ModelOrder, stage: 'resting' | 'over'): void {
    const entry = this.#entry(order);
    entry.stage = stage;
    this.#book.settle(entry);
  }

  /** A modify is under way; `endModify` when the broker has answered. */
  beginModify(order: ModelOrder, quantity: number): void {
    this.#modified = this.#entry(order).changing(quantity);
  }

  endModify(refused: boolean): void {
    this.#modified(refused, this.clock.mono());
  }

  hearOrders(rows: readonly ToldOrder[], beganAt: number): void {
    const shown = ({ order: { id, side, product }, name, quantity, filled, state }: ToldOrder) =>
      orderRow({
        ...name,
        order_id: `o${id}`,
        tag: `t${id}`,
        transaction_type: side,
        product_type: product,
        quantity,
        filled_quantity: filled,
        state,
      });
    this.#orders.tell(rows.map(shown), beganAt);
  }

  hearPositions(rows: readonly { name: Name; product: string; net: number }[], unreadable: readonly Name[], beganAt: number): void {
    const shown = ({ name, product, net }: (typeof rows)[number]): PositionRow => ({
      ...name,
      product_type: product,
      net_quantity: net,
      ...unsaid,
    });
    const doubtful = unreadable.map((name) => ({ ...name, row: {}, reason: 'net_quantity must be a number' }));
    this.#positions.tell(rows.map(shown), beganAt, doubtful);
  }

  hearHoldings(rows: readonly { name: Name; sellable: number }[], beganAt: number): void {
    const shown = ({ name, sellable }: (typeof rows)[number]): HoldingRow => {
      const { average_price, last_price } = unsaid;
      return { ...name, isin: null, quantity: sellable, sellable_quantity: sellable, average_price, last_price, pnl: null };
    };
    this.#holdings.tell(rows.map(shown), beganAt);
  }

  ask({ product, side, quantity, reduceOnly, guardOn, read }: Question, name: Name): Answer & { readable: boolean } {
    const instrument = this.#book.instrument(name);
    const readable = read && !instrument.unreadable;
    const asked = { symbol: name.symbol, exchange: name.exchange, product, side, quantity };
    const situation = instrument.situation(asked, readable);
    const verdict = judge(asked, situation, { reduceOnly, guardOff: !guardOn });
    const blocked = verdict.kind === 'blocked';
    return {
      blocked,
      stored: blocked ? verdict.keep : 'not',
      onlyReduces: blocked ? instrument.reduces(asked) : verdict.onlyReduces,
      leavesWhenKilled: onlyReduces(asked, situation),
      readable,
    };
  }

  #entry(order: ModelOrder): Entry {
    const entry = this.#entries.get(order);
    if (!entry) throw new Error(`No entry of order ${order.id}`);
    return entry;
  }
}
