import type {
  Broker,
  BrokerEnv,
  BrokerId,
  BrokerOrder,
  BrokerTraits,
  Connected,
  Listing,
  OrderRow,
  PositionRow,
  Read,
  Sent,
} from '../../server/brokers/broker.ts';
import { nextIstHour } from '../../server/clock.ts';
import { drawPlan, type Plan } from './plan.ts';
import { EXCHANGE, type Venue, type VenueOrder } from './venue.ts';
import { heard, type Life, type World } from './world.ts';

export const ACCOUNT = 'AB1234';
const CALL_TIMEOUT_MS = 7000;
const symbols = ['SBIN', 'INFY', 'TCS'];
const dead = () => new Promise<never>(() => undefined);

/** One sign-in at a simulated broker. Requests travel on when their process dies; answers do not. */
export class SimulatedBroker implements Broker {
  readonly id: BrokerId;
  readonly traits: BrokerTraits;
  readonly ordersByTag?: (tag: string) => Promise<Listing<OrderRow>>;
  readonly #world: World;
  readonly #life: Life;
  readonly #venue: Venue;
  readonly #onExpired: (reason: string) => void;
  #loggedIn = false;

  constructor(world: World, life: Life, venue: Venue, id: BrokerId, env: BrokerEnv) {
    this.id = id;
    this.#world = world;
    this.#life = life;
    this.#venue = venue;
    this.#onExpired = env.onExpired;
    const readLimits = world.seed % 5 === 0 ? [{ requests: 2, perMs: 1000 }] : [];
    this.traits = { orderLimits: [{ requests: 200, perMs: 60_000 }], readLimits, unattended: true };
    if (venue.showsTags && world.seed % 3 === 0) this.ordersByTag = (tag) => this.#byTag(tag);
  }

  connect(): Promise<Connected> {
    return this.#heard(this.#connect());
  }

  async #connect(): Promise<Connected> {
    const { clock, chance } = this.#world;
    await clock.sleep(chance.ms(20, 400));
    if (this.#world.now() < this.#world.loginsAwayUntil) return { success: false, message: 'The login desk is away' };
    this.#loggedIn = true;
    const expiresAt = new Date(nextIstHour(this.#world.now(), 6)).toISOString();
    return { success: true, account: ACCOUNT, login: { values: {}, expiresAt } };
  }

  /** The broker ends the login: every call from now on says so. */
  expire(): void {
    this.#loggedIn = false;
  }

  async close(): Promise<void> {}
  logout = async (): Promise<Read> => ({ success: true, data: null });
  profile = this.logout;
  funds = this.logout;
  holdings = async (): Promise<Listing<never>> => ({ success: true, data: [], normalized: [] });

  orders(): Promise<Listing<OrderRow>> {
    return this.#heard(this.#read((at) => this.#venue.book(at), 400));
  }

  positions(): Promise<Listing<PositionRow>> {
    return this.#heard(this.#read((at) => symbols.map((symbol) => positionRow(symbol, this.#venue.net(symbol, at))), 5000));
  }

  async #byTag(tag: string): Promise<Listing<OrderRow>> {
    return await this.#heard(this.#read((at) => this.#venue.book(at).filter((row) => row.tag === tag), 0));
  }

  /** A read of the books, in troubled times as they were up to `lagMs` before it began. */
  async #read<Row>(rows: (at: number) => Row[], lagMs: number): Promise<Listing<Row>> {
    const { clock, chance } = this.#world;
    const world = this.#world;
    world.step();
    const slow = world.troubled && chance.hit(world.slowReads);
    const takesMs = slow ? chance.ms(300, CALL_TIMEOUT_MS + 1000) : chance.ms(2, 40);
    if (slow) world.trouble(world.now() + Math.min(takesMs, CALL_TIMEOUT_MS));
    const at = world.now() - (chance.hit(0.5) || !world.troubled ? 0 : Math.floor(chance.random.next() * lagMs));
    await clock.sleep(Math.min(CALL_TIMEOUT_MS, takesMs));
    if (takesMs > CALL_TIMEOUT_MS) throw new Error('The broker did not answer');
    if (!this.#stillIn()) return { success: false, message: 'The login has expired' };
    if (world.now() < world.readsAwayUntil) {
      world.trouble();
      return { success: false, message: 'HTTP 503' };
    }
    const normalized = rows(at);
    return { success: true, data: normalized, normalized };
  }

  #stillIn(): boolean {
    if (this.#loggedIn) return true;
    this.#world.trouble();
    if (this.#life.alive) this.#onExpired('the broker says so');
    return false;
  }

  placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    this.#world.judge.sent(this.id, order, tag);
    return this.#heard(this.#place(order, tag));
  }

  async #place(order: BrokerOrder, tag: string): Promise<Sent> {
    const { clock } = this.#world;
    const plan = drawPlan(this.#world, order);
    this.#world.step();
    this.#world.note(`place ${tag} ${order.transactiontype} ${order.quantity} ${order.symbol}: ${JSON.stringify(plan)}`);
    if (plan.answer === 'not_sent') this.#world.judge.notSent(tag);
    if (plan.answer === 'not_sent') return { fate: 'not_sent', order_id: '', message: 'Connection refused' };
    const answered = this.#carry(order, tag, plan);
    if (plan.arrivesMs + plan.answersMs <= CALL_TIMEOUT_MS) return await answered;
    await clock.sleep(CALL_TIMEOUT_MS);
    return { fate: 'unknown', order_id: '', message: 'The broker did not answer in time' };
  }

  /** The request on its way: it arrives even when nobody waits for the answer any more. */
  async #carry(order: BrokerOrder, tag: string, plan: Plan): Promise<Sent> {
    const { clock, chance } = this.#world;
    await clock.sleep(plan.arrivesMs);
    if (!this.#life.alive && chance.hit(0.5)) return await dead();
    this.#world.step();
    const taken = this.#arrive(order, tag, plan);
    await clock.sleep(plan.answersMs);
    if (plan.answer === 'unclear') return { fate: 'unknown', order_id: '', message: 'HTTP 502' };
    if (!taken) return { fate: 'rejected', order_id: '', message: plan.arrival === 'reject' ? 'Insufficient funds' : 'Too many requests' };
    return { fate: 'accepted', order_id: taken.id, data: { order_id: taken.id }, clockOffsetMs: chance.whole(0, 900) };
  }

  #arrive(order: BrokerOrder, tag: string, plan: Plan): VenueOrder | null {
    if (plan.arrival === 'lost' || plan.arrival === 'reject') return null;
    if (!this.#stillIn()) return null;
    const now = this.#world.now();
    const taken = this.#venue.take({
      tag,
      symbol: order.symbol,
      side: order.transactiontype,
      orderType: order.ordertype,
      quantity: Number(order.quantity),
      receivedAt: now,
      visibleAt: now + plan.visibleAfterMs,
      ackAt: now + plan.ackAfterMs,
      fills: plan.fills.map((fill) => ({ ...fill, at: now + fill.at })),
      end: plan.end && { ...plan.end, at: now + plan.end.at },
      averageLagMs: plan.averageLagMs,
    });
    this.#world.note(`venue ${this.id} took ${taken.id} ${tag}`);
    return taken;
  }

  modifyOrder = async (): Promise<Sent> => this.#heard(this.#change(() => true));
  cancelOrder = async (orderId: string): Promise<Sent> => this.#heard(this.#change(() => this.#venue.cancel(orderId, this.#world.now())));

  async #change(act: () => boolean): Promise<Sent> {
    const { clock, chance } = this.#world;
    await clock.sleep(chance.ms(5, 200));
    if (chance.hit(0.1)) return { fate: 'unknown', order_id: '' };
    const done = act();
    await clock.sleep(chance.ms(2, 50));
    if (chance.hit(0.1)) return { fate: 'unknown', order_id: '' };
    return done ? { fate: 'accepted', order_id: '' } : { fate: 'rejected', order_id: '', message: 'Order is not open' };
  }

  #heard<T>(answer: Promise<T>): Promise<T> {
    return heard(this.#life, answer);
  }
}

function positionRow(symbol: string, net: number): PositionRow {
  const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
  return { symbol, token: null, exchange: EXCHANGE, product_type: 'INTRADAY', net_quantity: net, ...money };
}
