import { pino } from 'pino';
import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Account } from '../../server/brokers/account.ts';
import type { Broker, BrokerChange, BrokerOrder, Listing, OrderRow, PositionRow, Read, Sent } from '../../server/brokers/broker.ts';
import { Door } from '../../server/brokers/door.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import { OrderBudget, type OrderRank, type Refused } from '../../server/brokers/order-budget.ts';
import { seededRandom, tradingDay } from '../../server/clock.ts';
import type { Directory } from '../../server/instruments/instruments.ts';
import type { Attempt, AttemptState, OrderTruth } from '../../server/journal/attempt.ts';
import type { Journal } from '../../server/journal/journal.ts';
import type { Meters, OrderStep } from '../../server/meters.ts';
import type { PlaceReply } from '../../server/orders/answer.ts';
import { requestHash } from '../../server/orders/key.ts';
import { createOrderService, type OrderService } from '../../server/orders/order-service.ts';
import { accountOf } from '../support/account.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt, orderRow, request } from './parts.ts';

const nothing = async (): Promise<Read> => ({ success: true, data: null });

/** A broker that does what a test says. Unless told otherwise it takes every order, fills it at once and shows it with its tag. */
export class ScriptedBroker implements Broker {
  readonly id = 'zerodha';
  readonly traits = { tradedBy: tradedBySymbol, orderLimits: [], readLimits: [], unattended: true };
  readonly sends: { order: BrokerOrder; tag: string }[] = [];
  readonly changes: (BrokerChange | string)[] = [];
  reads = 0;
  book: OrderRow[] = [];
  net = 0;
  ordersByTag?: (tag: string) => Promise<Listing<OrderRow>>;

  /** Replaced by tests: the fate of a placing call, and of a modify or cancel. */
  place = async (order: BrokerOrder, tag: string): Promise<Sent> => {
    this.book.push(this.row(order, tag));
    return { fate: 'accepted', order_id: '1001', message: 'taken', data: { order_id: '1001' } };
  };
  change = async (): Promise<Sent> => ({ fate: 'accepted', order_id: '1001', message: 'done', data: { id: 7 } });
  readBook = async (): Promise<Listing<OrderRow>> => ({ success: true, data: [], normalized: this.book });
  readPositions = async (): Promise<Listing<PositionRow>> => {
    const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
    const row = { symbol: 'SBIN', token: '779521', exchange: 'NSE', product_type: 'INTRADAY', net_quantity: this.net, ...money };
    return { success: true, data: [], normalized: [row] };
  };

  /** The row of an order that filled whole at 100.50. */
  row(order: BrokerOrder, tag: string | null, change: Partial<OrderRow> = {}): OrderRow {
    const filled = { state: 'FILLED', status: 'FILLED', filled_quantity: Number(order.quantity), average_price: 100.5 } as const;
    return orderRow({ tag, transaction_type: order.transactiontype, quantity: Number(order.quantity), ...filled, ...change });
  }

  placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    this.sends.push({ order, tag });
    return this.place(order, tag);
  }
  modifyOrder(change: BrokerChange): Promise<Sent> {
    this.changes.push(change);
    return this.change();
  }
  cancelOrder(orderId: string): Promise<Sent> {
    this.changes.push(orderId);
    return this.change();
  }
  orders(): Promise<Listing<OrderRow>> {
    this.reads += 1;
    return this.readBook();
  }
  positions(): Promise<Listing<PositionRow>> {
    return this.readPositions();
  }
  connect = async () => ({ success: false as const, message: 'not used here' });
  close = async () => undefined;
  logout = nothing;
  profile = nothing;
  funds = nothing;
  holdings = async (): Promise<Listing<never>> => ({ success: true, data: [], normalized: [] });
}

/** Remembers who asked for the order budget, and how. */
class WatchedBudget extends OrderBudget {
  readonly asked: OrderRank[] = [];

  override take(priority: OrderRank): Promise<Refused | null> {
    this.asked.push(priority);
    return super.take(priority);
  }
}

/** The order service in simulated time with everything around it in a test's hands. */
export class Core {
  readonly clock: VirtualClock;
  readonly journal = new MemoryJournal();
  readonly broker = new ScriptedBroker();
  readonly limiter: WatchedBudget;
  readonly account: Account;
  readonly killSwitch = { on: false, since: null, by: null, set: async () => undefined };
  /** Warnings and errors told to people. */
  readonly logged: { level: number; msg: string; [field: string]: unknown }[] = [];
  /** How often the records were told to read an order again. */
  changed = 0;
  /** The session is up; a handle for reading lives. */
  connected = true;
  readable = true;
  guardOff = false;
  /** Why nothing of this process may leave. */
  held: string | null = null;
  /** What the broker's file says of instruments. */
  directory: Directory | null = null;
  /** Session of AMO orders. */
  amoDay = '2026-11-23';
  /** Calls of these names find the store away. */
  away: (name: keyof Journal) => boolean = () => false;
  /** Waits for the first auto-connect round, ms each; what comes of them. */
  readonly waits: number[] = [];
  firstRound = async (): Promise<void> => undefined;
  /** What the commits told the order record. */
  readonly truths: OrderTruth[] = [];
  /** The waits of orders, told as they ended, ms. */
  readonly steps: [OrderStep, number][] = [];
  /** Who hears of them; nobody in an order service opened without. */
  meters: Meters | undefined = {
    step: (step, ms) => void this.steps.push([step, ms]),
    ...{ budget: () => undefined, placed: () => undefined, changed: () => undefined, called: () => undefined },
    ...{ storeFailed: () => undefined, cut: () => undefined },
  };
  orders: OrderService;

  constructor({ start = '2026-11-20T10:00:00+05:30', limits = 0 } = {}) {
    // The machine has been up for a while: an instant of its clock is no duration.
    this.clock = new VirtualClock(start, 1_000_000);
    this.limiter = new WatchedBudget(this.clock, limits > 0 ? [{ requests: limits, perMs: 60_000 }] : []);
    this.account = accountOf(this.broker, this.clock, { id: 'AB1234', budget: this.limiter, door: new Door(() => this.held) });
    this.orders = this.open('process-1');
  }

  /** An order service over the same store and broker, as the next process would open it. */
  open(owner: string): OrderService {
    const log = pino({ level: 'warn' }, { write: (line) => void this.logged.push(JSON.parse(line)) });
    this.orders = createOrderService({
      instruments: { of: () => this.directory },
      clock: this.clock,
      random: seededRandom(11),
      log,
      journal: this.#store(),
      accounts: {
        active: () => (this.connected ? this.account : null),
        activeName: () => (this.connected ? this.broker.id : null),
        settled: (waitMs) => {
          this.waits.push(waitMs);
          return this.firstRound();
        },
        of: () => (this.readable ? this.account : null),
      },
      killSwitch: this.killSwitch,
      owner,
      guardOff: this.guardOff,
      meters: this.meters,
      opensAt: (_exchange, day) => Date.parse(`${day}T09:15:00+05:30`),
      sessionDay: (variety, _exchange, at) => (variety === 'AMO' ? this.amoDay : tradingDay(at)),
      wake: (reason) => {
        if (reason === 'change') this.changed += 1;
      },
    });
    return this.orders;
  }

  /** The journal as the order service sees it: a call that finds the store away changes nothing. */
  #store(): Journal {
    return new Proxy<Journal>(this.journal, {
      get: (journal, name: keyof Journal) => {
        const call: unknown = Reflect.get(journal, name);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]) => {
          if (this.away(name)) throw new Error(`The store is away for ${name}`);
          const answer: unknown = await Reflect.apply(call, journal, args);
          if (name === 'move' && args[5]) this.truths.push(args[5] as OrderTruth);
          return answer;
        };
      },
    });
  }

  ask(change: Partial<PlaceOrderRequest> = {}, replayOnly = false): Promise<PlaceReply> {
    return this.orders.place(request({ idempotency_key: 'one', ...change }), { replayOnly });
  }

  async place(change: Partial<PlaceOrderRequest> = {}, replayOnly = false): Promise<PlaceReply> {
    return await this.clock.settle(this.ask(change, replayOnly));
  }

  /** Leaves an attempt in the store as an earlier process would have. */
  async leave(state: AttemptState, change: Partial<Attempt> = {}): Promise<Attempt> {
    const now = this.clock.now();
    const left = attempt({ owner: 'process-0', requestHash: requestHash(request()), startedAt: now, updatedAt: now, ...change, state });
    await this.journal.begin(left, { kind: 'left' }, now);
    return left;
  }

  /** The record under a caller's key, as the store holds it. */
  record(key = 'one'): Promise<Attempt | null> {
    return this.journal.find(`k:${key}`, this.clock.now());
  }

  /** The audit trail of a caller's key, oldest first. */
  trail(key = 'one'): { kind: string; detail?: Record<string, unknown> }[] {
    return this.journal.events.filter((event) => event.key === `k:${key}`).map(({ kind, detail }) => ({ kind, ...(detail && { detail }) }));
  }
}
