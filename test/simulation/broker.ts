import type {
  Broker,
  BrokerChange,
  BrokerEnv,
  BrokerId,
  BrokerOrder,
  BrokerTraits,
  Connected,
  HoldingRow,
  Listing,
  OrderRow,
  PositionRow,
  Read,
  Sent,
} from '../../server/brokers/broker.ts';
import { mayLeave } from '../../server/brokers/door.ts';
import { tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { nextIstHour } from '../../server/clock.ts';
import { arriving, opensAt } from './arrive.ts';
import { hidden } from './hidden.ts';
import type { Reading } from './judge/shown.ts';
import { heard, type Life } from './outside.ts';
import { drawCourse, drawPlan } from './plan.ts';
import type { Venue } from './venue.ts';
import type { Plan, VenueOrder } from './venue-order.ts';
import type { World } from './world.ts';

export const ACCOUNT = 'AB1234';
const CALL_TIMEOUT_MS = 7000;
const dead = () => new Promise<never>(() => undefined);

/** One sign-in at a simulated broker. Requests travel on when their process dies; answers do not. */
export class SimulatedBroker implements Broker {
  readonly id: BrokerId;
  readonly traits: BrokerTraits;
  readonly ordersByTag?: (tag: string) => Promise<Listing<OrderRow>>;
  /** Its session was ended, and that was answered: nothing may leave or arrive any more. */
  over = false;
  /** The gateway was shut down: what was on its way may arrive, as its wait for it is short. */
  shutDown = false;
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
    const { byToken, holdingsFall, showsTags } = venue.traits;
    this.traits = {
      tradedBy: byToken ? tradedByNumber : tradedBySymbol,
      orderLimits: [{ requests: 200, perMs: 60_000 }],
      readLimits,
      unattended: true,
      ...(world.seed % 3 !== 1 && { holdingsFall }),
    };
    if (showsTags && world.seed % 3 === 0) this.ordersByTag = (tag) => this.#byTag(tag);
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

  holdings(): Promise<Listing<HoldingRow>> {
    return this.#heard(this.#read((at) => this.#venue.holdings(at), 0));
  }

  orders(): Promise<Listing<OrderRow>> {
    const { shown } = this.#world.judge.truth;
    return this.#heard(
      this.#read(
        (at) => this.#venue.book(at),
        400,
        (rows, reading) => shown.orders(this.#venue, rows, reading),
      ),
    );
  }

  positions(): Promise<Listing<PositionRow>> {
    return this.#heard(this.#positions());
  }

  /** Now and then a row cannot be read, and with bad luck not even its name. */
  async #positions(): Promise<Listing<PositionRow>> {
    const world = this.#world;
    if (world.now() < world.positionsHangUntil) {
      world.trouble(world.now() + CALL_TIMEOUT_MS);
      await world.clock.sleep(CALL_TIMEOUT_MS);
      throw new Error('The broker did not answer');
    }
    let tell = () => {};
    const shown = (_: unknown, reading: Reading) => {
      tell = () => world.judge.truth.shown.positions(this.#venue, reading);
    };
    const listing = await this.#read((at) => this.#venue.positions(at), 5000, shown);
    if (!listing.success) return listing;
    if (world.troubled && world.chance.hit(world.unreadableRows)) {
      world.trouble();
      return hidden(listing, world.chance);
    }
    tell();
    return listing;
  }

  async #byTag(tag: string): Promise<Listing<OrderRow>> {
    return await this.#heard(this.#read((at) => this.#venue.book(at).filter((row) => row.tag?.toLowerCase() === tag), 0));
  }

  /** A read of the books, in troubled times as they were up to `lagMs` before it began. `shown` is told what a living process hears. */
  async #read<Row>(
    rows: (at: number) => Row[],
    lagMs: number,
    shown: (rows: readonly Row[], reading: Reading) => void = () => undefined,
  ): Promise<Extract<Listing<Row>, { success: true }> | { success: false; message: string }> {
    const { clock, chance } = this.#world;
    const world = this.#world;
    world.step();
    const slow = world.troubled && chance.hit(world.slowReads);
    const takesMs = slow ? chance.ms(300, CALL_TIMEOUT_MS + 1000) : chance.ms(2, 40);
    if (slow) world.trouble(world.now() + Math.min(takesMs, CALL_TIMEOUT_MS));
    const beganAt = world.now();
    const at = beganAt - (chance.hit(0.5) || !world.troubled ? 0 : Math.floor(chance.random.next() * lagMs));
    await clock.sleep(Math.min(CALL_TIMEOUT_MS, takesMs));
    if (takesMs > CALL_TIMEOUT_MS) throw new Error('The broker did not answer');
    if (!this.#stillIn()) return { success: false, message: 'The login has expired' };
    if (world.now() < world.readsAwayUntil) {
      world.trouble();
      return { success: false, message: 'HTTP 503' };
    }
    const normalized = rows(at);
    if (this.#life.alive) shown(normalized, { beganAt, heardAt: world.now(), asOf: at });
    return { success: true, data: normalized, normalized };
  }

  #stillIn(): boolean {
    if (this.#loggedIn) return true;
    this.#world.trouble();
    if (this.#life.alive) this.#onExpired('the broker says so');
    return false;
  }

  placeOrder(order: BrokerOrder, tag: string): Promise<Sent> {
    const reason = mayLeave();
    if (reason !== null) return this.#heard(Promise.resolve({ fate: 'not_sent', order_id: '', message: reason }));
    this.#world.judge.sent(this, order, tag);
    return this.#heard(this.#place(order, tag));
  }

  async #place(order: BrokerOrder, tag: string): Promise<Sent> {
    const { clock } = this.#world;
    const plan = drawPlan(this.#world, order);
    this.#world.step();
    this.#world.note(
      `place ${tag} ${order.transactiontype} ${order.quantity} ${order.symbol} ${order.producttype}: ${JSON.stringify(plan)}`,
    );
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
    const sentAt = this.#world.now();
    await clock.sleep(plan.arrivesMs);
    if (!this.#life.alive && chance.hit(0.5)) return await dead();
    this.#world.step();
    const taken = this.#arrive(order, tag, plan, sentAt);
    await clock.sleep(plan.answersMs);
    if (plan.answer === 'unclear') return { fate: 'unknown', order_id: '', message: 'HTTP 502' };
    const isHeard = plan.arrivesMs + plan.answersMs <= CALL_TIMEOUT_MS && this.#life.alive;
    if (!taken && isHeard) this.#world.judge.refused(tag);
    if (!taken) return { fate: 'rejected', order_id: '', message: plan.arrival === 'reject' ? 'Insufficient funds' : 'Too many requests' };
    return { fate: 'accepted', order_id: taken.id, data: { order_id: taken.id }, clockOffsetMs: chance.whole(0, 900) };
  }

  #arrive(order: BrokerOrder, tag: string, plan: Plan, sentAt: number): VenueOrder | null {
    if (plan.arrival === 'lost' || plan.arrival === 'reject') return null;
    if (!this.#stillIn()) return null;
    this.#world.judge.arrived(this, tag);
    return arriving(this.#world, this.#venue, order, tag, plan, sentAt);
  }

  async modifyOrder(change: BrokerChange): Promise<Sent> {
    const reason = mayLeave();
    if (reason !== null) return await this.#heard(Promise.resolve({ fate: 'not_sent', order_id: '', message: reason }));
    this.#world.judge.modifying(this, change);
    const askedAt = this.#world.now();
    return await this.#heard(this.#change(() => this.#modify(change, askedAt)));
  }

  async cancelOrder(orderId: string): Promise<Sent> {
    const reason = mayLeave();
    if (reason !== null) return await this.#heard(Promise.resolve({ fate: 'not_sent', order_id: '', message: reason }));
    return await this.#heard(this.#change(() => this.#venue.cancel(orderId, this.#world.now())));
  }

  #modify({ orderid, quantity, ordertype, price }: BrokerChange, askedAt: number): boolean {
    const world = this.#world;
    const [order, now] = [this.#venue.order(orderid, world.now()), world.now()];
    if (!order) return false;
    const version = order.versions.at(-1);
    const opens = opensAt(order.day, now);
    const orderType = ordertype ?? version?.orderType ?? 'LIMIT';
    const wanted = {
      askedAt,
      ...(quantity !== undefined && { quantity: Number(quantity) }),
      ...(price !== undefined && { price: Number(price) }),
      orderType,
    };
    const left =
      (wanted.quantity ?? version?.quantity ?? 0) -
      order.fills.filter((fill) => fill.at <= now).reduce((sum, fill) => sum + fill.quantity, 0);
    return (
      left > 0 &&
      this.#venue.modify(
        orderid,
        wanted,
        now,
        drawCourse(world, orderType, left).fills.map((fill) => ({ ...fill, at: opens + fill.at })),
      )
    );
  }

  async #change(act: () => boolean): Promise<Sent> {
    const { clock, chance } = this.#world;
    await clock.sleep(chance.hit(0.1) ? chance.whole(200, 6000) : chance.ms(5, 200));
    if (chance.hit(0.1)) return { fate: 'unknown', order_id: '' };
    if (!this.#stillIn()) return { fate: 'rejected', order_id: '', message: 'The login has expired' };
    this.#world.judge.arrived(this, 'a change');
    const done = act();
    await clock.sleep(chance.ms(2, 50));
    if (chance.hit(0.1)) return { fate: 'unknown', order_id: '' };
    return done ? { fate: 'accepted', order_id: '' } : { fate: 'rejected', order_id: '', message: 'Order is not open' };
  }

  #heard<T>(answer: Promise<T>): Promise<T> {
    return heard(this.#life, answer);
  }
}
