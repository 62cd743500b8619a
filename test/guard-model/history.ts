import { LAG_MS } from '../../server/orders/belief.ts';
import { Chance } from '../simulation/chance.ts';
import { Model, type ModelOrder, placeOf, type Question } from './model.ts';
import { kindOf, type Step, steps, traitsOf } from './plan.ts';
import { type Asking, broken } from './properties.ts';
import { HandClock, type Name, RealBook, type ToldOrder } from './real-book.ts';
import { type Shown, shownOrders, shownPositions, spelled } from './shown.ts';
import type { Answer } from './table.ts';
import { products, spellings, Venue, type VenueOrder } from './venue.ts';

/** A read under way; what it will show is drawn when it ends. */
interface Reading {
  kind: 'positions' | 'orders' | 'holdings';
  beganAt: number;
}

const sides = ['BUY', 'SELL'] as const;

export interface Outcome {
  questions: number;
  passed: number;
  /** Where guard and model differ, or a property of the truth is broken; the history ends there. */
  fault: string | null;
}

/** One random history of one account, told to the server's book and to the model alike. */
export class History {
  /** What happened, ms first; empty unless asked for. */
  readonly log: string[] = [];
  readonly #logs: boolean;
  readonly #chance: Chance;
  readonly #clock = new HandClock();
  readonly #venue = new Venue();
  readonly #model: Model;
  readonly #real: RealBook;
  readonly #traits;
  readonly #kind;
  /** Shares held when the day began, by instrument. */
  readonly #held: number[];
  readonly #accepted = new Set<ModelOrder>();
  /** When a change of an order was answered. */
  readonly #changedAt = new Map<ModelOrder, number>();
  readonly #fills: { order: ModelOrder; quantity: number; at: number }[] = [];
  #readings: Reading[] = [];
  #asking: Asking | null = null;
  /** Of the newest positions read that was heard. */
  #newestBeganAt = -1;
  readonly #unreadable = new Set<number>();
  #holdingsSeenAt = -1;
  #killed = false;
  /** Instruments of which this process has read positions. */
  readonly #known = new Set<number>();
  /** The first read of one was held against records that lack a position of the day before. */
  #misled = false;
  #outcome: Outcome = { questions: 0, passed: 0, fault: null };

  constructor(seed: number, logs = false) {
    this.#logs = logs;
    const chance = new Chance(seed);
    this.#chance = chance;
    this.#traits = traitsOf(chance);
    this.#kind = kindOf(chance);
    this.#held = spellings.map(() => (chance.hit(0.5) ? chance.whole(0, 12) : 0));
    this.#model = new Model(this.#traits);
    this.#real = new RealBook(this.#clock, this.#traits);
    if (this.#kind.carried) this.#venue.trade(this.#place(), chance.whole(-10, 10), 0);
    this.#note(() => `${JSON.stringify(this.#kind)} ${JSON.stringify(this.#traits)} held ${this.#held}`);
  }

  run(): Outcome {
    for (let left = this.#chance.whole(20, 80); left > 0 && !this.#outcome.fault; left -= 1) {
      this.#clock.ms += this.#chance.whole(1, 60);
      this.#step(this.#chance.pick(steps));
    }
    return this.#outcome;
  }

  #step(what: Step): void {
    const chance = this.#chance;
    if (what === 'wait') this.#clock.ms += chance.ms(1, 7000);
    if (what === 'fill') this.#fill();
    if (what === 'beginOrders') this.#begin('orders');
    if (what === 'beginPositions') this.#begin('positions');
    if (what === 'beginHoldings') this.#begin('holdings');
    if (what === 'end') this.#end();
    if (what === 'ask') this.#ask();
    if (what === 'fate') this.#fate();
    if (what === 'change') this.#change();
    if (what === 'trade' && this.#kind.strangers) this.#trade();
    if (what === 'restart' && chance.hit(0.5)) this.#restart();
    if (chance.hit(0.01)) this.#killed = !this.#killed;
  }

  #note(words: () => string): void {
    if (this.#logs) this.log.push(`${this.#clock.ms} ${words()}`);
  }

  #instrument(): number {
    return this.#kind.narrow || this.#chance.hit(0.7) ? 0 : 1;
  }

  #product() {
    return this.#kind.narrow && this.#chance.hit(0.7) ? products[0] : this.#chance.pick(products);
  }

  #place(): string {
    return placeOf({ instrument: this.#instrument(), product: this.#product() });
  }

  #name(instrument: number): Name {
    return spelled(this.#chance, instrument);
  }

  #alive(): VenueOrder[] {
    return [...this.#venue.orders.values()].filter(({ alive }) => alive);
  }

  #fill(): void {
    const alive = this.#alive();
    if (alive.length === 0) return;
    const one = this.#chance.pick(alive);
    const quantity = this.#chance.hit(0.5) ? one.left : this.#chance.whole(1, one.left);
    this.#venue.fill(one, quantity, this.#clock.ms);
    this.#note(() => `venue fills ${quantity} of ${one.order.id}`);
  }

  #trade(): void {
    const [place, amount] = [this.#place(), this.#chance.whole(-8, 8)];
    this.#venue.trade(place, amount, this.#clock.ms);
    this.#note(() => `a stranger trades ${amount} in ${place}`);
  }

  #begin(kind: Reading['kind']): Reading {
    const reading = { kind, beganAt: this.#clock.ms };
    this.#readings.push(reading);
    return reading;
  }

  #end(): void {
    if (this.#asking && this.#chance.hit(0.5)) this.#endTurn(this.#asking);
    else if (this.#readings.length > 0) this.#endRead();
  }

  #endRead(): void {
    const reading = this.#chance.pick(this.#readings);
    this.#readings = this.#readings.filter((one) => one !== reading);
    if (this.#chance.hit(0.08)) {
      this.#note(() => `the ${reading.kind} read of ${reading.beganAt} fails`);
      // A turn reads twice at most; here until one is heard.
      if (this.#asking?.question.read) this.#begin('positions');
      return;
    }
    if (reading.kind === 'positions') this.#hearPositions(reading);
    if (reading.kind === 'orders') this.#hearOrders(reading);
    if (reading.kind === 'holdings') this.#hearHoldings(reading);
  }

  #shown(beganAt: number, lagMs: number): Shown {
    return { venue: this.#venue, chance: this.#chance, beganAt, now: this.#clock.ms, lagMs };
  }

  #hearPositions({ beganAt }: Reading): void {
    const { rows, nets, unreadable } = shownPositions(this.#shown(beganAt, this.#traits.lagMs), this.#kind.lateLag);
    this.#note(
      () =>
        `positions of ${beganAt}: ${JSON.stringify(rows.map(({ name, product, net }) => [name.symbol, product, net]))}, unreadable ${[...unreadable.keys()]}`,
    );
    this.#real.hearPositions(rows, [...unreadable.values()], beganAt);
    if (beganAt < this.#newestBeganAt) return;
    this.#newestBeganAt = beganAt;
    nets.forEach((shown, instrument) => {
      if (unreadable.has(instrument)) this.#unreadable.add(instrument);
      else this.#unreadable.delete(instrument);
      if (unreadable.has(instrument)) return;
      if (this.#kind.carried && this.#model.orders.length > 0 && !this.#known.has(instrument)) this.#misled = true;
      this.#known.add(instrument);
      this.#model.read(instrument, shown, beganAt, this.#clock.ms);
    });
    if (this.#asking && beganAt >= this.#asking.begunAt) this.#asking.shown = nets[this.#asking.question.instrument] ?? null;
  }

  #hearOrders({ beganAt }: Reading): void {
    const rows = shownOrders(this.#shown(beganAt, this.#kind.modifies ? 0 : 3000));
    this.#note(
      () =>
        `orders of ${beganAt}: ${rows.map(({ order, filled, quantity, state }) => `${order.id} ${filled}/${quantity} ${state}`).join(', ')}`,
    );
    this.#real.hearOrders(rows, beganAt);
    for (const row of rows) this.#learn(row, beganAt);
  }

  #learn({ order, filled, quantity, state }: ToldOrder, beganAt: number): void {
    if (order.stage === 'over') return;
    const added = filled - order.seen;
    if (added > 0) this.#fills.push({ order, quantity: added, at: this.#clock.ms });
    this.#model.filled(order, filled, this.#clock.ms);
    // While a change is not known to have been refused the larger quantity may fill.
    if (beganAt > (this.#changedAt.get(order) ?? -1)) order.quantity = quantity;
    if (state !== 'OPEN' && order.stage === 'resting') order.stage = 'over';
    else if (state !== 'OPEN' && this.#accepted.has(order) && this.#chance.hit(0.8)) this.#close(order, 'over');
    else if (state === 'OPEN' && order.stage === 'unknown' && this.#accepted.has(order) && this.#chance.hit(0.4))
      this.#close(order, 'resting');
  }

  #close(order: ModelOrder, stage: 'resting' | 'over'): void {
    order.stage = stage;
    this.#real.closed(order, stage);
    this.#note(() => `order ${order.id} is ${stage}`);
  }

  #hearHoldings({ beganAt }: Reading): void {
    const at = this.#chance.whole(beganAt, this.#clock.ms);
    const falls = this.#traits.holdingsFall ?? this.#chance.hit(0.5);
    const sellable = this.#held.map((held, instrument) => {
      const net = this.#venue.net(placeOf({ instrument, product: 'DELIVERY' }), at);
      return Math.max(0, held + (falls ? Math.min(0, net) : 0));
    });
    this.#holdingsSeenAt = at;
    for (const [instrument, quantity] of sellable.entries()) this.#model.held.set(instrument, quantity);
    this.#note(() => `holdings of ${beganAt}: ${sellable}`);
    this.#real.hearHoldings(
      sellable.map((quantity, instrument) => ({ name: this.#name(instrument), sellable: quantity })),
      beganAt,
    );
  }

  /** An order's turn begins: positions, and holdings where they matter, are read for it. */
  #ask(): void {
    if (this.#asking) return;
    const chance = this.#chance;
    const guardOn = this.#kind.guardOn;
    const question: Question = {
      instrument: this.#instrument(),
      product: this.#product(),
      side: chance.pick(sides),
      quantity: chance.whole(1, 10),
      reduceOnly: chance.hit(0.25),
      guardOn,
      read: !chance.hit(0.12),
    };
    this.#asking = { question, begunAt: this.#clock.ms, shown: null };
    this.#real.begin(this.#name(question.instrument));
    this.#note(() => `asked: ${JSON.stringify(question)}`);
    if (question.read) this.#readings.push({ kind: 'positions', beganAt: this.#clock.ms });
    if (question.product === 'DELIVERY' && question.side === 'SELL') this.#readings.push({ kind: 'holdings', beganAt: this.#clock.ms });
  }

  #endTurn(asking: Asking): void {
    const { question } = asking;
    if (question.read && asking.shown === null) return;
    if (!question.read) asking.shown = null;
    this.#asking = null;
    this.#compare(asking);
    if (this.#outcome.fault) return;
    const answer = this.#model.ask({ ...question, read: this.#isRead(question) });
    if (answer.blocked || (this.#killed && !answer.leavesWhenKilled) || this.#chance.hit(0.1)) return;
    this.#send(question);
  }

  #isRead({ instrument, read }: Question): boolean {
    return read && !this.#unreadable.has(instrument);
  }

  /** Asks the order itself, and some others that might stand in its place. */
  #compare(asking: Asking): void {
    const chance = this.#chance;
    const { instrument } = asking.question;
    const others = [1, 2, 3].map(() => ({
      product: this.#product(),
      side: chance.pick(sides),
      quantity: chance.whole(1, 10),
      guardOn: chance.hit(0.75),
    }));
    for (const other of [{}, ...others])
      for (const reduceOnly of [false, true]) {
        const question: Question = { ...asking.question, ...other, reduceOnly, read: this.#isRead(asking.question) };
        this.#compareOne({ ...asking, question }, this.#name(instrument));
        if (!this.#outcome.fault) continue;
        this.#note(() => `${this.#outcome.fault}`);
        return;
      }
  }

  #compareOne(asking: Asking, name: Name): void {
    const { question } = asking;
    const expected = this.#model.ask(question);
    const { readable, ...given } = this.#real.ask({ ...question, read: asking.shown !== null }, name);
    this.#outcome.questions += 1;
    if (!given.blocked) this.#outcome.passed += 1;
    const words = () => `guard ${JSON.stringify(given)}, model ${JSON.stringify(expected)} of ${JSON.stringify(question)}`;
    this.#note(words);
    if (!equal(given, expected)) this.#outcome.fault = words();
    else if (readable !== question.read) this.#outcome.fault = `the guard takes positions for ${readable ? 'readable' : 'unreadable'}`;
    else this.#outcome.fault = this.#checkTruth(asking);
  }

  #checkTruth(asking: Asking): string | null {
    const { strangers, lateLag, carried } = this.#kind;
    if (this.#misled || strangers || lateLag || (carried && !asking.question.read)) return null;
    return broken(asking, {
      answer: this.#model.ask(asking.question),
      now: this.#clock.ms,
      venue: this.#venue,
      orders: this.#model.orders,
      held: this.#held[asking.question.instrument] ?? 0,
      holdingsSeenAt: this.#traits.holdingsFall === undefined ? null : this.#holdingsSeenAt,
      youngSince: asking.begunAt - this.#traits.lagMs,
      fills: this.#fills,
    });
  }

  #send({ instrument, product, side, quantity }: Question): void {
    const id = this.#model.orders.length + 1;
    const order: ModelOrder = { id, instrument, product, side, quantity, seen: 0, stage: 'unknown' };
    this.#model.sent(order);
    this.#real.send(order, this.#name(instrument));
    if (this.#chance.hit(0.85)) this.#venue.arrive(order, this.#clock.ms);
    this.#note(() => `order ${id}: ${side} ${quantity} ${product}${this.#venue.orders.has(order) ? '' : ', which does not arrive'}`);
  }

  /** What becomes of a send is learned: accepted or found by its tag, or rejected, withdrawn, absent. */
  #fate(): void {
    const waiting = this.#model.orders.filter((order) => order.stage === 'unknown' && !this.#accepted.has(order));
    if (waiting.length === 0) return;
    const order = this.#chance.pick(waiting);
    if (this.#venue.orders.has(order)) {
      this.#accepted.add(order);
      this.#real.accepted(order);
      this.#note(() => `order ${order.id} is accepted`);
    } else this.#close(order, 'over');
  }

  /** A cancel at the venue, or a modify of the quantity. */
  #change(): void {
    const alive = this.#alive();
    if (alive.length === 0) return;
    const one = this.#chance.pick(alive);
    const { order } = one;
    if (!this.#kind.modifies || this.#chance.hit(0.4)) {
      one.change(this.#clock.ms, { state: 'CANCELLED' });
      this.#note(() => `venue cancels ${order.id}`);
    } else if (this.#accepted.has(order) && order.stage !== 'over') this.#modify(one);
  }

  #modify(one: VenueOrder): void {
    const { order } = one;
    const { filled } = one.now;
    const quantity = this.#chance.whole(filled + 1, filled + 10);
    this.#real.beginModify(order, quantity);
    const taken = this.#chance.hit(0.7);
    if (taken) one.change(this.#clock.ms, { quantity });
    this.#clock.ms += this.#chance.whole(1, 500);
    const refused = !taken && this.#chance.hit(0.5);
    this.#real.endModify(refused);
    if (!refused) order.quantity = Math.max(order.quantity, quantity);
    if (!refused) this.#changedAt.set(order, this.#clock.ms);
    this.#note(() => `modify of ${order.id} to ${quantity}${refused ? ' refused' : ''}, now ${one.now.quantity}`);
  }

  /** A new process, which knows the records: own fills, open orders. */
  #restart(): void {
    const since = this.#clock.ms - 2 * LAG_MS;
    const records = new Map<string, number>();
    for (const order of this.#model.orders) {
      const amount = order.side === 'BUY' ? order.seen : -order.seen;
      records.set(placeOf(order), (records.get(placeOf(order)) ?? 0) + amount);
    }
    const young = this.#fills.filter(({ at }) => at > since).map((fill) => ({ ...fill, agoMs: this.#clock.ms - fill.at }));
    this.#real.restart(
      spellings.map(([name]) => name).filter((name) => name !== undefined),
      records,
      young,
    );
    this.#model.restart(records, since);
    this.#readings = [];
    this.#asking = null;
    this.#newestBeganAt = -1;
    this.#unreadable.clear();
    this.#known.clear();
    this.#holdingsSeenAt = -1;
    this.#changedAt.clear();
    this.#note(() => 'restart');
  }
}

function equal(a: Answer, b: Answer): boolean {
  return a.blocked === b.blocked && a.stored === b.stored && a.onlyReduces === b.onlyReduces && a.leavesWhenKilled === b.leavesWhenKilled;
}
