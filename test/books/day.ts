import type { Sql } from 'postgres';
import { loadRecords } from '../../server/books/open-positions.ts';
import { exchangeTrades, followOrders, type PassParts, reconcileAccount } from '../../server/books/pass.ts';
import type { Account } from '../../server/brokers/account.ts';
import { tradingDay } from '../../server/clock.ts';
import type { Handle } from '../../server/db/handle.ts';
import { createExchange, type Exchange } from '../../server/exchange/exchange.ts';
import { findInstrument, roundToTick } from '../../server/exchange/instruments.ts';
import type { Instrument, NewOrder } from '../../server/exchange/types.ts';
import { type Attempt, isFinal } from '../../server/journal/attempt.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { silentLog } from '../../server/log.ts';
import { Big } from '../../server/money.ts';
import { truthOf } from '../../server/orders/steps.ts';
import { type ManualClock, manualClock } from '../exchange/manual-clock.ts';
import { attempt as blankAttempt } from '../journal/parts.ts';
import { DailyIds } from './daily-ids.ts';
import { judgeBooks, readCapital } from './judge.ts';
import { type Act, instruments, type OrderAct, type Plan } from './plan.ts';
import { fair, orderRow, venueAccount, type Weather } from './venue.ts';

/** Time moves in steps of the host's, so that resting orders meet each price. */
const LONGEST_STEP_MS = 5000;

/** One random day: the practice exchange's engine in virtual time on the one side, the real books on a real PostgreSQL on the other. */
export class BooksDay {
  readonly #db: Handle;
  readonly #sql: Sql;
  readonly #plan: Plan;
  readonly #name: string;
  readonly #clock: ManualClock = manualClock();
  readonly #exchange: Exchange;
  readonly #ids: DailyIds;
  readonly #journal: PostgresJournal;
  readonly #account: Account;
  readonly #parts: PassParts;
  #weather: Weather = fair;
  /** Attempts of ours that are not final, as the process holds them. */
  #open: Attempt[] = [];
  #serial = 0;

  /** `name`: the account; each day of a database has its own, and a broker's name of its own, because a broker's position is one row. */
  constructor(db: Handle, plan: Plan, name: string) {
    this.#db = db;
    this.#sql = db.$client;
    this.#plan = plan;
    this.#name = name;
    this.#exchange = createExchange({ clock: this.#clock, log: silentLog(), seed: plan.seed, transitMs: [0, 20] });
    this.#ids = new DailyIds(this.#exchange);
    this.#journal = new PostgresJournal(db, 'practice');
    const account = venueAccount(this.#exchange, this.#ids, this.#clock, name, () => this.#weather);
    // Only texts travel: a broker of the test's own name.
    this.#account = { ...account, broker: { ...account.broker, id: name as Account['broker']['id'] } };
    this.#parts = { db, clock: this.#clock, log: silentLog(), mode: 'practice' };
  }

  /** Every difference between books and ledger, one line each. */
  async run(): Promise<string[]> {
    const before = await readCapital(this.#sql);
    await reconcileAccount(this.#parts, this.#account);
    for (const act of this.#plan.acts) await this.#do(act);
    await this.#settle();
    const corrections = await this.#sql<{ kind: string; symbol: string; detail: object }[]>`
      select kind, symbol, detail from tsm_events where account = ${this.#name} and kind in ('position.closed', 'position.adopted', 'position.corrected')`;
    const wrong = await judgeBooks(this.#sql, this.#name, this.#sorted(), { funds: 1_000_000, before });
    return [...corrections.map((row) => `a correction in a day without reason: ${JSON.stringify(row)}`), ...wrong];
  }

  get trades(): number {
    return this.#exchange.ledger().trades.length;
  }

  /** The ledger in the order of its trades, everything by the names the books have for it. */
  #sorted() {
    const ledger = this.#exchange.ledger();
    const trades = [...ledger.trades].sort((a, b) => a.at - b.at || Number(a.tradeId) - Number(b.tradeId));
    const nameOf = (orderId: string) => Object.values(this.#ids.order(orderId)).join(' of ');
    return {
      ...ledger,
      orders: ledger.orders.map((order) => ({ ...order, orderId: nameOf(order.orderId) })),
      trades: trades.map((trade) => ({ ...trade, tradeId: `${this.#ids.trade(trade)} of ${nameOf(trade.orderId)}` })),
    };
  }

  /** Everything comes to rest and is read in fair weather, as it is within some minutes of every day. */
  async #settle(): Promise<void> {
    this.#weather = fair;
    this.#pass(120_000);
    // Nothing rests any more: it could fill after the last read.
    for (const order of this.#exchange.account('zerodha').orders()) this.#exchange.account('zerodha').cancel(order.orderId);
    this.#pass(1000);
    for (const attempt of [...this.#open]) await this.#follow(attempt);
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await reconcileAccount(this.#parts, this.#account);
      this.#pass(6000);
    }
  }

  #pass(ms: number): void {
    for (let left = ms; left > 0; left -= LONGEST_STEP_MS) {
      this.#clock.pass(Math.min(left, LONGEST_STEP_MS));
      this.#exchange.advance();
    }
  }

  async #do(act: Act): Promise<void> {
    const live = this.#exchange.ledger().orders.filter((order) => !['FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'].includes(order.status));
    const picked = 'which' in act ? live[act.which % Math.max(1, live.length)] : undefined;
    const engine = this.#exchange.account('zerodha');
    switch (act.do) {
      case 'wait':
        return this.#pass(act.ms);
      case 'weather':
        this.#weather = { ...act, failing: new Set(act.failing) };
        return;
      case 'price':
        return this.#move(act.instrument, act.ticks);
      case 'byHand':
        this.#exchange.placeByHand('zerodha', this.#order(act));
        return;
      case 'place':
        return await this.#place(act);
      case 'follow': {
        const attempt = this.#open[act.which % Math.max(1, this.#open.length)];
        if (attempt) await this.#follow(attempt);
        return;
      }
      case 'cancel':
        if (picked) engine.cancel(picked.orderId);
        return;
      case 'modify':
        if (picked) engine.modify(picked.orderId, { quantity: act.lots * (findInstrument(picked.exchange, picked.symbol)?.lotSize ?? 1) });
        return;
      case 'restart':
        await loadRecords(this.#db);
        this.#open = await this.#journal.open().then((open) => open.filter((one) => one.account === this.#name));
        return;
      case 'nextDay':
        return await this.#nextDay();
      default:
        return await this.#reconcile(act.do);
    }
  }

  /** A read that fails is tried again later. */
  async #reconcile(what: 'orders' | 'whole' | 'trades'): Promise<void> {
    const run = { orders: followOrders, whole: reconcileAccount, trades: exchangeTrades }[what];
    await run(this.#parts, this.#account).catch((error: unknown) => {
      if (!String(error).includes('cannot be read')) throw error;
    });
  }

  /** All is read before the night: what fills unseen after the last read of a day nobody can tell exactly. */
  async #nextDay(): Promise<void> {
    await this.#settle();
    const morning = Date.parse(`${tradingDay(this.#clock.now() + 86_400_000)}T09:20:00+05:30`);
    this.#clock.pass(morning - this.#clock.now());
    this.#exchange.advance();
    await reconcileAccount(this.#parts, this.#account);
  }

  #instrument(index: number): Instrument {
    const [exchange, symbol] = instruments[index] ?? instruments[0];
    const found = findInstrument(exchange, symbol);
    if (!found) throw new Error(`no ${symbol}`);
    return found;
  }

  #move(index: number, ticks: number): void {
    const instrument = this.#instrument(index);
    const price = new Big(this.#exchange.quote(instrument).last).plus(new Big(instrument.tick).times(ticks));
    this.#exchange.setPrice(instrument.exchange, instrument.symbol, roundToTick(price, instrument.tick));
  }

  #order(act: OrderAct): NewOrder {
    const instrument = this.#instrument(act.instrument);
    const cash = instrument.exchange === 'NSE';
    const product = act.carried ? (cash ? 'DELIVERY' : 'CARRYFORWARD') : 'INTRADAY';
    const away = new Big(this.#exchange.quote(instrument).last).plus(new Big(instrument.tick).times(act.away));
    const price = act.orderType === 'LIMIT' ? roundToTick(away, instrument.tick) : '0';
    const { side, orderType } = act;
    const lots = 1 + (act.lots % (instruments[act.instrument]?.[2] ?? 1));
    return {
      exchange: instrument.exchange,
      symbol: instrument.symbol,
      side,
      orderType,
      product,
      quantity: lots * instrument.lotSize,
      price,
    };
  }

  /** As the order desk does it: written down, sent; its answer may be lost. */
  async #place(act: Extract<OrderAct, { do: 'place' }>): Promise<void> {
    const order = this.#order(act);
    this.#serial += 1;
    const now = () => this.#clock.now();
    const tag = `t${this.#name}x${this.#serial}`;
    const { exchange, symbol, side, orderType, product, quantity, price = '0' } = order;
    const facts = { exchange, symbol, token: `T-${symbol}`, side, orderType, product, quantity, price };
    const day = { broker: this.#name, account: this.#name, tradingDay: tradingDay(now()), startedAt: now(), updatedAt: now() };
    const sending = blankAttempt({ key: `k:${tag}`, owner: this.#name, tag, ...facts, ...day });
    await this.#journal.begin(sending, { kind: 'order.sending' }, now());
    const plan = act.plan ?? undefined;
    const placed = this.#exchange.account('zerodha', plan ? { plan } : {}).place({ ...order, tag });
    this.#pass(5);
    if (!placed.ok) return void (await this.#journal.move(sending, 'DONE', { response: '{}' }, { kind: 'order.rejected' }, now()));
    if (act.lost) {
      this.#open.push(await this.#journal.move(sending, 'AMBIGUOUS', {}, { kind: 'order.ambiguous' }, now()));
      return;
    }
    const truth = { orderId: this.#ids.order(placed.order.orderId).id, status: 'PLACED' as const, filledQuantity: 0, averagePrice: null };
    this.#open.push(await this.#journal.move(sending, 'ACCEPTED', { orderId: truth.orderId }, { kind: 'order.accepted' }, now(), truth));
  }

  /** As an order tracker does it: the order is read, found by its tag where its id is not known, and what is known is written. */
  async #follow(attempt: Attempt): Promise<void> {
    const rows = this.#exchange
      .account('zerodha')
      .orders()
      .map((order) => orderRow(order, { exchange: this.#exchange, ids: this.#ids, clock: this.#clock, weather: this.#weather }));
    const row = rows.find((one) => one.tag === attempt.tag);
    if (!row || row.state === 'TRANSIT') return;
    if (row.filled_quantity > 0 && row.average_price === null) return;
    const change = { orderId: row.order_id, response: '{}', filledQuantity: row.filled_quantity };
    const moved = await this.#journal.move(attempt, 'DONE', change, { kind: 'order.done' }, this.#clock.now(), truthOf(row));
    this.#open = this.#open.filter((one) => one !== attempt);
    if (!isFinal(moved)) this.#open.push(moved);
  }
}
