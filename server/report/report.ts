import type { Overview } from '../../contract/overview.ts';
import type { Latencies, PriceHistory, DayProfit as ProfitTold } from '../../contract/profit.ts';
import type { RecordedOrders, RecordedPositions, RecordedTrades } from '../../contract/records.ts';
import type { AccountKey } from '../books/keys.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Failure } from '../brokers/broker.ts';
import type { Reason } from '../brokers/wake.ts';
import type { Handle } from '../db/handle.ts';
import type { Feed } from '../feed/feed.ts';
import type { FindByName } from '../instruments/by-name.ts';
import type { Instruments } from '../instruments/instruments.ts';
import type { Log } from '../log.ts';
import { Closes } from './closes.ts';
import { type Day, dayOf } from './day.ts';
import { type DayProfit, earningsOf, type PriceSource } from './day-profit.ts';
import { Equity, readEquity } from './equity.ts';
import { latenciesOf } from './latencies.ts';
import { namer } from './names.ts';
import { readOrderDay } from './order-rows.ts';
import { ordersOf } from './orders.ts';
import { type OverviewParts, overviewOf } from './overview.ts';
import { positionsOf } from './positions.ts';
import { type PriceQuery, priceHistory } from './price-history.ts';
import { PricePoints } from './price-points.ts';
import { profitOfDay } from './profit.ts';
import { type DayStands, RunningProfit } from './running-profit.ts';
import { ReportStore } from './store.ts';
import { tradesOf } from './trades.ts';
import { Whose } from './whose.ts';

export interface ReportParts extends Omit<OverviewParts, 'store' | 'whose' | 'feed'> {
  log: Log;
  /** For the little that is written. */
  db: Handle;
  /** For all that is read. */
  reports: Handle;
  accounts: Pick<Accounts, 'active'> & OverviewParts['accounts'];
  instruments: Pick<Instruments, 'of'>;
  feed: Pick<Feed, 'flow' | 'price' | 'quote' | 'lastPrices'>;
  find: FindByName;
}

interface OfDay {
  day?: string | undefined;
}

export interface ReportOperations {
  overview(): Promise<Overview>;
  recordedPositions(query: OfDay & { status?: string | undefined }): Promise<RecordedPositions | Failure>;
  recordedOrders(query: OfDay): Promise<RecordedOrders | Failure>;
  recordedTrades(query: OfDay): Promise<RecordedTrades | Failure>;
  profit(query: OfDay): Promise<ProfitTold | Failure>;
  prices(query: PriceQuery): Promise<PriceHistory | Failure>;
  latencies(query: OfDay): Promise<Latencies | Failure>;
}

/** What the console and the alerts read of our records. On connections of its own and without asking a broker: no order waits for it. */
export class Report implements ReportOperations {
  readonly #parts: ReportParts;
  readonly #store: ReportStore;
  readonly #whose: Whose;
  readonly #named: ReturnType<typeof namer>;
  readonly #closes: Closes;
  readonly #prices: PriceSource;
  readonly #points = new PricePoints();
  readonly #running: RunningProfit;
  readonly #equity: Equity;
  readonly #stop = new AbortController();
  #following: Promise<void> = Promise.resolve();

  constructor(parts: ReportParts) {
    const { clock, feed, reports } = parts;
    this.#parts = parts;
    this.#store = new ReportStore(reports, clock);
    this.#whose = new Whose(parts);
    this.#named = namer(parts);
    this.#closes = new Closes(parts);
    this.#prices = {
      price: (exchange, symbol) => feed.price(exchange, symbol),
      close: (exchange, symbol) => this.#closes.get(exchange, symbol),
    };
    this.#running = new RunningProfit({ ...this.#sources(), clock });
    this.#equity = new Equity({ ...parts, earned: () => this.#earned(), learn: (instruments) => this.#closes.learn(instruments) });
  }

  /** Reads who was connected last. Rejects as the database does. */
  async start(): Promise<void> {
    const { feed, clock } = this.#parts;
    await this.#whose.start();
    this.#equity.start();
    this.#following = this.#points.follow(feed, clock, this.#stop.signal);
  }

  /** A session came up. */
  up(account: Account): void {
    this.#whose.up(account);
  }

  /** Something may have filled. */
  wake(reason: Reason): void {
    if (reason === 'records') this.#equity.wake();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#equity.stop(), this.#following]);
  }

  /** What the connected account, else the last one, earned today. Null where nobody was ever connected. Rejects as the database does. */
  async dayProfit(): Promise<DayProfit | null> {
    return (await this.#earned())?.profit ?? null;
  }

  overview(): Promise<Overview> {
    return overviewOf({ ...this.#parts, store: this.#store, whose: this.#whose });
  }

  recordedPositions({ status = 'ALL', day: name }: OfDay & { status?: string | undefined }): Promise<RecordedPositions | Failure> {
    return this.#told(name, { positions: [] }, async (who, day) => {
      const earnings = await earningsOf(this.#sources(), who, day);
      const listed = earnings.filter(({ row }) => isListed(row, day) && (status === 'ALL' || row.status === status));
      return { positions: await this.#named(who.broker, positionsOf(listed)) };
    });
  }

  recordedOrders({ day: name }: OfDay): Promise<RecordedOrders | Failure> {
    return this.#told(name, { orders: [] }, async (who, day) => {
      const orders = await this.#named(who.broker, ordersOf(await this.#store.read((db) => readOrderDay(db, who, day))));
      return { orders: orders.map(({ token: _, ...order }) => order) };
    });
  }

  recordedTrades({ day: name }: OfDay): Promise<RecordedTrades | Failure> {
    return this.#told(name, { trades: [] }, async (who, day) => {
      const trades = await this.#store.read((db) => tradesOf(db, who, day));
      return { trades: await this.#named(who.broker, trades) };
    });
  }

  profit({ day: name }: OfDay): Promise<ProfitTold | Failure> {
    const nothing = { realised: 0, unrealised: 0, total: 0, known: 0, unknown: [], by_instrument: [], by_strategy: [], equity: [] };
    return this.#told<Omit<ProfitTold, keyof Told>>(name, nothing, async (who, day) => {
      const points = await this.#store.read((db) => readEquity(db, who, day));
      const found = profitOfDay(day, await earningsOf(this.#sources(), who, day), points);
      const named = await this.#named(who.broker, found.by_instrument);
      return { ...found, by_instrument: named.map(({ token: _, ...one }) => one) };
    });
  }

  prices(query: PriceQuery): Promise<PriceHistory | Failure> {
    return priceHistory({ find: this.#parts.find, points: this.#points }, query, (read) =>
      this.#told(query.day, { trades: [] }, async (who, day) => ({ trades: await this.#store.read((db) => read(db, who, day)) })),
    );
  }

  latencies({ day: name }: OfDay): Promise<Latencies | Failure> {
    return this.#told(name, { orders: [] }, async (who, day) => {
      return { orders: latenciesOf(ordersOf(await this.#store.read((db) => readOrderDay(db, who, day)))) };
    });
  }

  #sources() {
    return { store: this.#store, prices: this.#prices };
  }

  async #earned(): Promise<DayStands | null> {
    const who = this.#whose.now();
    return who && (await this.#running.read(who, dayOf(this.#parts.clock.now())));
  }

  /** Whatever goes wrong is said in words; where nobody was ever connected there is nothing to read. */
  async #told<Found extends object>(
    name: string | undefined,
    nobody: Found,
    read: (who: AccountKey, day: Day) => Promise<Found>,
  ): Promise<(Told & Found) | Failure> {
    const day = dayOf(this.#parts.clock.now(), name);
    const who = this.#whose.now();
    try {
      const found = who ? await read(who, day) : nobody;
      return { success: true, day: day.name, broker: who?.broker ?? null, ...found };
    } catch (error) {
      this.#parts.log.warn({ error: String(error) }, 'A report could not be read');
      return { success: false, message: 'The records cannot be read right now' };
    }
  }
}

/** The operations of a report, for the routes. */
export function reportOperations(report: ReportOperations): ReportOperations {
  return {
    overview: () => report.overview(),
    recordedPositions: (query) => report.recordedPositions(query),
    recordedOrders: (query) => report.recordedOrders(query),
    recordedTrades: (query) => report.recordedTrades(query),
    profit: (query) => report.profit(query),
    prices: (query) => report.prices(query),
    latencies: (query) => report.latencies(query),
  };
}

interface Told {
  success: true;
  day: string;
  broker: string | null;
}

/** Of a past day nobody kept what stood open: only what was closed on it is listed. */
function isListed({ status, closedMs }: { status: string; closedMs: number | null }, day: Day): boolean {
  return status === 'OPEN' ? day.isToday : closedMs !== null && closedMs >= day.from && closedMs < day.to;
}
