import type { Account } from '../brokers/account.ts';
import type { HoldingRow, Listing, OrderRow, PositionRow, Unreadable } from '../brokers/broker.ts';
import { type InstrumentName, InstrumentNames, type TradedBy } from '../brokers/instrument.ts';
import { type Clock, tradingDay } from '../clock.ts';
import { LAG_MS } from './belief.ts';
import { ElsewhereFills, type Reducing } from './elsewhere.ts';
import type { Endings } from './endings.ts';
import { Entry, type Home } from './entry.ts';
import { fittingRows, isSince, isUntil } from './find.ts';
import { Instrument, type PositionSource } from './instrument.ts';
import type { LeftBehind } from './left-behind.ts';

type Success<Answer> = Extract<Answer, { success: true }>;

/** The live book of one account: its instruments by their one key, and our open orders in them. It hears every read of the account. */
export class AccountBook implements Home {
  readonly names: InstrumentNames;
  readonly #clock: Clock;
  readonly #tradedBy: TradedBy;
  readonly #source: PositionSource;
  readonly #instruments = new Map<string, Instrument>();
  /** Instruments that are not flat and idle: a read that does not name them says something of them. */
  readonly #alive = new Set<Instrument>();
  readonly #instrumentOf = new WeakMap<Entry, Instrument>();
  /** When the newest read of positions began, monotonic ms. */
  #positionsAt = Number.NEGATIVE_INFINITY;
  /** The same for one whose rows could all be read, also as it was when an instrument came to life: it was flat then. */
  #wholeAt = Number.NEGATIVE_INFINITY;
  readonly #flatAt = new WeakMap<Instrument, number>();
  readonly #byOrderId = new Map<string, Entry>();
  readonly #byTag = new Map<string, Entry>();
  /** Sign-ins whose reads are heard. */
  readonly #heard = new WeakSet<Account>();
  #holdings: readonly HoldingRow[] = [];
  /** Rows of the newest positions that could not be read. */
  #unread: readonly Unreadable[] = [];
  readonly #endings: Endings;
  readonly #elsewhere = new ElsewhereFills();

  constructor(clock: Clock, account: Account, left: LeftBehind, endings: Endings) {
    const { traits } = account.broker;
    [this.#clock, this.#endings] = [clock, endings];
    this.#tradedBy = (name) => traits.tradedBy(name);
    this.names = new InstrumentNames(this.#tradedBy);
    const { positionsLagMs = LAG_MS, holdingsFall } = traits;
    this.#source = {
      positionsLagMs,
      holdingsFall,
      wasRead: () => this.#positionsAt > Number.NEGATIVE_INFINITY,
      sellable: (name) => this.#sellable(name),
      unread: (name) => this.#isUnread(name),
      filledElsewhere: (name, order, instant, unknown) => this.#filledElsewhere(name, order, instant, unknown),
    };
    this.#takeOver(left);
    this.attach(account);
  }

  /** Hears the reads of a sign-in of this account from now on. */
  attach(account: Account): void {
    if (this.#heard.has(account)) return;
    this.#heard.add(account);
    account.positions.listen((answer, beganAt) => answer.success && this.#hearPositions(answer, beganAt));
    account.orderBook.listen((answer, beganAt) => answer.success && this.#hearOrders(answer, beganAt));
    account.holdings.listen((answer) => answer.success && this.#hearHoldings(answer));
  }

  instrument(name: InstrumentName): Instrument {
    const key = this.names.key(name);
    let instrument = this.#instruments.get(key);
    if (!instrument) {
      instrument = new Instrument(this.#clock, name, this.#source);
      this.#instruments.set(key, instrument);
    }
    return instrument;
  }

  /** Instruments that are not flat and idle. */
  living(): Instrument[] {
    return [...this.#alive];
  }

  /** Counts an order from now on. */
  add(entry: Entry, instrument: Instrument): void {
    entry.home = this;
    this.#instrumentOf.set(entry, instrument);
    instrument.add(entry);
    if (!this.#alive.has(instrument)) this.#flatAt.set(instrument, this.#wholeAt);
    this.#alive.add(instrument);
    if (entry.tag) this.#byTag.set(entry.tag.toLowerCase(), entry);
    this.#named(entry);
  }

  /** Something has become of an order: it has an id now, or can do nothing any more and is forgotten. */
  settle(entry: Entry): void {
    if (entry.stage !== 'over') {
      this.#named(entry);
    } else {
      if (this.#byOrderId.get(entry.orderId) === entry) this.#byOrderId.delete(entry.orderId);
      // Its id may be known only with its end, and its row was another hand's so far.
      if (entry.orderId) this.#elsewhere.ours(entry.orderId, entry.day);
      if (this.#byTag.get(entry.tag.toLowerCase()) === entry) this.#byTag.delete(entry.tag.toLowerCase());
    }
    this.#instrumentOf.get(entry)?.sweep();
  }

  filled(entry: Entry, quantity: number): void {
    const instrument = this.#instrumentOf.get(entry);
    if (!instrument) return;
    instrument.filled(entry, quantity);
    this.#endings.filled(entry, instrument);
  }

  /** An id names one order of a day: what rested under it ends where it is of an earlier one, and where it is this order, counted as another hand's. */
  #named(entry: Entry): void {
    if (!entry.orderId) return;
    const before = this.#byOrderId.get(entry.orderId);
    if (before && before.day > entry.day) return;
    this.#byOrderId.set(entry.orderId, entry);
    this.#elsewhere.ours(entry.orderId, entry.day);
    if (before && before !== entry) this.#end(before);
  }

  #end(entry: Entry): void {
    if (entry.stage !== 'resting') return;
    entry.stage = 'over';
    this.settle(entry);
  }

  /** Counts a resting order that was placed elsewhere, from what it had filled when the order book was read. Does nothing where it counts already. */
  countElsewhere(order: ElsewhereOrder): void {
    if (this.known(order.orderId)) return;
    const instrument = this.instrument(order.name);
    this.add(atRest(order, tradingDay(this.#clock.now())), instrument);
  }

  /** What this book knows of the order that has an id today: what it has seen filled of it, or that it has ended; null where it does not count it. */
  known(orderId: string): KnownOrder | null {
    const entry = this.#byOrderId.get(orderId);
    if (entry) return { filled: entry.filled, over: false };
    return this.#elsewhere.isOurs(orderId, tradingDay(this.#clock.now())) ? { filled: 0, over: true } : null;
  }

  order(orderId: string): Entry | undefined {
    return this.#byOrderId.get(orderId);
  }

  #takeOver({ orders, positions, entries, fills, asked, blocked }: LeftBehind): void {
    for (const record of [...positions, ...orders]) this.#learn(record);
    for (const record of positions) {
      const instrument = this.instrument(record);
      instrument.name ??= record.symbol;
      instrument.recorded(record.product, record.net);
      this.#alive.add(instrument);
    }
    for (const { entry, filled } of entries) {
      if (!entry.attempt || (entry.stage === 'over' && entry.filled === filled)) continue;
      const instrument = this.instrument(entry.attempt);
      instrument.name ??= entry.attempt.symbol;
      this.add(entry, instrument);
    }
    for (const record of orders) {
      const known = this.#byOrderId.get(record.orderId);
      if (record.external || (known && known.day >= record.tradingDay)) continue;
      const instrument = this.instrument(record);
      instrument.name ??= record.symbol;
      this.add(atRest({ ...record, product: record.product ?? '', filled: record.filledQuantity }, record.tradingDay), instrument);
    }
    const now = this.#clock.mono();
    for (const { orderId, quantity } of asked) this.#byOrderId.get(orderId)?.changing(quantity)(false, now);
    for (const { name, product, side, quantity, agoMs } of fills)
      this.instrument(name)
        .belief(product)
        .remember(side, quantity, now - agoMs);
    for (const { attempt, lifeMs } of blocked) this.#endings.blocked(this.instrument(attempt), attempt, lifeMs);
    // What a person said of an order before its account signed in: the positions above are from before that.
    for (const { entry, filled } of entries) {
      if (entry.filled === filled) continue;
      this.filled(entry, entry.filled - filled);
      this.settle(entry);
    }
  }

  #hearPositions({ normalized, unreadable = [] }: Success<Listing<PositionRow>>, beganAt: number): void {
    // Two reads may run at once, and the one that began first end last.
    if (beganAt < this.#positionsAt) return;
    this.#positionsAt = beganAt;
    if (unreadable.length === 0) this.#wholeAt = beganAt;
    // A row may tell the token of one before it.
    for (const row of normalized) this.#learn(row);
    const nets = new Map<Instrument, Map<string, number>>();
    for (const row of normalized) {
      const instrument = this.instrument(row);
      const products = nets.get(instrument) ?? new Map<string, number>();
      nets.set(instrument, products.set(row.product_type, (products.get(row.product_type) ?? 0) + row.net_quantity));
    }
    this.#unread = unreadable;
    for (const instrument of new Set([...this.#alive, ...nets.keys()])) {
      instrument.read(nets.get(instrument) ?? new Map(), beganAt);
      if (!instrument.idle) this.#alive.add(instrument);
      else this.#alive.delete(instrument);
    }
  }

  /** Whether positions that could not be read may be an instrument's: a row without a name may be anybody's. */
  #isUnread(instrument: InstrumentName): boolean {
    return this.#unread.some((row) => {
      const { exchange, symbol, token } = row;
      if (exchange === null || (symbol === null && token === null)) return true;
      const name = { exchange, symbol: symbol ?? '', token };
      if (this.names.key(name) === this.names.key(instrument)) return true;
      return this.#tradedBy(name) === null && this.names.mayBeSame(row, instrument);
    });
  }

  #hearOrders({ normalized, unreadable = [] }: Success<Listing<OrderRow>>, beganAt: number): void {
    this.#elsewhere.heardOrders(normalized, this.#clock.mono(), tradingDay(this.#clock.now()));
    const seen = new Set<Entry>();
    for (const row of normalized) {
      const entry = this.#entryOf(row);
      if (!entry) continue;
      seen.add(entry);
      this.#elsewhere.ours(row.order_id, entry.day);
      this.#learn(row);
      const added = entry.saw(row, beganAt);
      if (added > 0) this.filled(entry, added);
      this.settle(entry);
    }
    if (unreadable.length === 0) this.#endYesterdays(seen);
  }

  /** A resting order that left the order book with its day can do nothing any more, also where its id names another one now. */
  #endYesterdays(seen: ReadonlySet<Entry>): void {
    const today = tradingDay(this.#clock.now());
    for (const { orders } of this.#alive) for (const entry of [...orders]) if (entry.day < today && !seen.has(entry)) this.#end(entry);
  }

  /** A tag names one order ever, an id one order of a day. */
  #entryOf(row: OrderRow): Entry | undefined {
    const tagged = this.#byTag.get((row.tag ?? '').toLowerCase());
    if (tagged) return tagged;
    const entry = this.#byOrderId.get(row.order_id);
    if (!entry || !isUntil(row, entry.day)) return undefined;
    return !entry.attempt || isSince(row, tradingDay(entry.attempt.startedAt)) ? entry : undefined;
  }

  #hearHoldings({ normalized }: Success<Listing<HoldingRow>>): void {
    for (const row of normalized) this.#learn(row);
    this.#holdings = normalized;
  }

  #sellable(name: InstrumentName): number {
    return this.#holdings.reduce((sum, row) => (this.names.holds(row, name) ? sum + row.sellable_quantity : sum), 0);
  }

  #filledElsewhere(name: InstrumentName, order: Reducing, instant: number, unknown: readonly Entry[]): number {
    const [key, of] = [this.names.key(name), this.instrument(name)];
    const isIt = (row: InstrumentName) => this.names.key(row) === key || (this.#tradedBy(row) === null && this.names.mayBeSame(row, name));
    const flatAt = (this.#alive.has(of) ? this.#flatAt.get(of) : this.#wholeAt) ?? Number.NEGATIVE_INFINITY;
    const nameless = unknown.flatMap(({ attempt }) => (attempt?.orderId === '' ? attempt : []));
    const ours = nameless.map((attempt) => (row: OrderRow) => fittingRows(attempt, [row], this.names).length > 0);
    return this.#elsewhere.since(order, Math.max(instant, flatAt - this.#source.positionsLagMs), isIt, ours);
  }

  #learn(name: InstrumentName): void {
    const learned = this.names.learn(name);
    const from = learned && this.#instruments.get(learned.from);
    if (!from) return;
    // Only rows and old records lack what the broker trades by: nobody waits in the queue of what they named.
    const to = this.instrument(name);
    this.#instruments.delete(learned.from);
    to.absorb(from);
    for (const entry of from.orders) this.add(entry, to);
    this.#alive.delete(from);
    this.#alive.add(to);
  }
}

/** An order as the live book knows it. `filled` tells nothing of one that is over. */
export interface KnownOrder {
  filled: number;
  over: boolean;
}

/** A resting order that was placed elsewhere, such as in the broker's own app. */
export interface ElsewhereOrder {
  name: InstrumentName;
  orderId: string;
  product: string;
  side: string;
  quantity: number;
  filled: number;
}

/** A resting order that has no attempt here: of another hand, or of which only the record is left. */
function atRest({ orderId, product, side, quantity, filled }: Omit<ElsewhereOrder, 'name'>, day: string): Entry {
  const entry = new Entry('', '', null);
  return Object.assign(entry, { stage: 'resting' as const, product, side, held: quantity, filled, orderId, day });
}
