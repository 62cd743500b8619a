import { PlaceOrderRequest } from '../../contract/orders.ts';
import type { PlaceReply } from '../../server/gateway.ts';
import { drawCourse } from './plan.ts';
import { type GatewayProcess, startProcess } from './process.ts';
import { EXCHANGE } from './venue.ts';
import { World } from './world.ts';

const LONGEST_ANSWER_MS = 120_000;
const symbols = ['SBIN', 'INFY', 'TCS'];

export interface Outcome {
  seed: number;
  violations: string[];
  /** What happened, one line each; the same seed gives the same lines. */
  log: string[];
  /** Orders that reached a venue by our hands. */
  orders: number;
}

/** Weights of what the day brings, a step at a time. */
const steps = {
  place: 40,
  retry: 16,
  ask: 3,
  twinByHand: 5,
  byHand: 3,
  cancel: 5,
  storeAway: 4,
  readsAway: 4,
  expire: 3,
  switchBroker: 2,
  disconnect: 1,
  killSwitch: 1,
  crash: 4,
} as const;
type Step = keyof typeof steps;

/** One random trading day of the whole order core, in simulated time, judged at every step and at its end. */
export class Day {
  readonly world: World;
  #process: GatewayProcess | null = null;
  readonly #asked: PlaceOrderRequest[] = [];
  readonly #waiting = new Set<{ life: number; since: number; name: string }>();
  #keys = 0;

  constructor(seed: number) {
    this.world = new World(seed);
  }

  async run(): Promise<Outcome> {
    const { world } = this;
    await world.clock.settle(this.#play());
    const orders = [...world.venues.values()].flatMap((venue) => venue.orders).filter((order) => order.tag !== null).length;
    return { seed: world.seed, violations: world.judge.violations, log: world.log, orders };
  }

  async #play(): Promise<void> {
    const { world } = this;
    const { chance, clock } = world;
    await this.#restart();
    const count = chance.whole(8, 30);
    const pace = chance.pick([300, 2000, 8000]);
    for (let done = 0; done < count; done += 1) {
      await clock.sleep(chance.ms(0, chance.hit(0.08) ? 70_000 : pace));
      if (!world.life.alive) await this.#restart();
      await this.#step(chance.weighted(steps));
    }
    await this.#windUp();
  }

  async #step(step: Step): Promise<void> {
    const { world } = this;
    const { chance } = world;
    const [at, sessions] = [world.now(), this.#process?.sessions];
    if (step !== 'place') world.note(step);
    if (step === 'place') await this.#placeNew();
    if (step === 'retry') this.#retry(false);
    if (step === 'ask') this.#retry(true);
    if (step === 'twinByHand') await this.#twinByHand();
    if (step === 'byHand') this.#byHand(chance.pick(symbols), chance.pick(['BUY', 'SELL']), chance.whole(1, 6));
    if (step === 'cancel') this.#cancel();
    if (step === 'storeAway') this.#storeAway();
    if (step === 'readsAway') {
      world.readsAwayUntil = at + chance.ms(500, chance.hit(0.2) ? 90_000 : 20_000);
      world.trouble(world.readsAwayUntil);
    }
    if (step === 'expire') {
      world.loginsAwayUntil = at + (chance.hit(0.5) ? 0 : chance.ms(100, 8000));
      this.#process?.brokers.get('zerodha')?.expire();
    }
    if (step === 'switchBroker') void this.#connect(chance.hit(0.5) ? 'fivepaisa' : 'zerodha');
    if (step === 'disconnect') void sessions?.disconnect();
    if (step === 'killSwitch') void this.#process?.killSwitch.set(chance.hit(0.5));
    if (step === 'crash') await this.#crash();
  }

  /** Now and then the store goes away while the order is under way. */
  async #placeNew(): Promise<void> {
    const { chance, clock } = this.world;
    this.#place(this.#newRequest());
    if (!chance.hit(0.08)) return;
    await clock.sleep(chance.ms(0, 400));
    this.#storeAway();
  }

  #storeAway(): void {
    const { world } = this;
    world.storeAwayUntil = world.now() + world.chance.ms(100, 15_000);
    world.storeHangs = world.chance.hit(0.5);
    world.trouble(world.storeAwayUntil);
    world.note(`store away until ${world.storeAwayUntil}`);
    // Callers come back the moment the store does.
    if (world.chance.hit(0.6))
      void world.clock.sleep(world.storeAwayUntil - world.now() + world.chance.ms(0, 900)).then(() => this.#retry(false));
  }

  async #connect(name: string): Promise<void> {
    await this.#process?.sessions.connect(name);
    this.world.trouble();
  }

  async #crash(): Promise<void> {
    const { world } = this;
    const { chance, clock } = world;
    // Most often in the middle of something.
    if (chance.hit(0.7)) this.#place(this.#newRequest());
    world.crashAfterCalls = chance.whole(1, chance.pick([6, 15, 60]));
    const until = clock.mono() + 3000;
    while (world.life.alive && clock.mono() < until) await clock.sleep(20);
    if (world.life.alive) world.note('CRASH');
    world.life.alive = false;
    world.crashAfterCalls = Number.POSITIVE_INFINITY;
    await clock.sleep(chance.ms(300, 20_000));
  }

  async #restart(): Promise<void> {
    const { world } = this;
    world.judge.crashed();
    do {
      await world.clock.sleep(300);
      this.#process = await startProcess(world);
    } while (!this.#process);
    world.trouble();
    const { chance } = world;
    for (const request of this.#asked.slice(-4)) if (chance.hit(0.6)) this.#place(request);
  }

  #newRequest(): PlaceOrderRequest {
    const { chance } = this.world;
    const keyed = chance.hit(0.7);
    this.#keys += 1;
    const market = chance.hit(0.7);
    const symbol = chance.pick(symbols);
    const net = this.world.venue(this.#process?.sessions.activeName() ?? 'zerodha').net(symbol, this.world.now());
    // Mostly in and out again, as a strategy does.
    const way = net !== 0 && chance.hit(0.6) ? (net > 0 ? 'SELL' : 'BUY') : chance.pick(['BUY', 'SELL']);
    const request = PlaceOrderRequest.parse({
      symbol,
      token: '1',
      exchange: EXCHANGE,
      transaction_type: way,
      order_type: market ? 'MARKET' : 'LIMIT',
      product_type: 'INTRADAY',
      quantity: chance.hit(0.5) && net !== 0 ? Math.abs(net) : chance.whole(1, 6),
      price: market ? 0 : 100,
      ...(keyed && { idempotency_key: `key-${this.#keys}` }),
    });
    this.#asked.push(request);
    return request;
  }

  #retry(replayOnly: boolean): void {
    const { chance } = this.world;
    const request = this.#asked[this.#asked.length - 1 - Math.min(this.#asked.length - 1, chance.ms(0, 8))];
    if (!request) return;
    const changed = request.idempotency_key && chance.hit(0.1) ? { ...request, quantity: request.quantity + 1 } : request;
    const times = chance.hit(0.2) ? 3 : 1;
    for (let time = 0; time < times; time += 1) this.#place(changed, replayOnly);
  }

  #place(request: PlaceOrderRequest, replayOnly = false): void {
    const { world } = this;
    const process = this.#process;
    if (!process?.life.alive) return;
    const name = request.idempotency_key ?? 'unkeyed';
    world.note(`ask ${name} ${request.transaction_type} ${request.quantity} ${request.symbol} ${request.order_type}`);
    const waiting = { life: process.life.number, since: world.now(), name };
    this.#waiting.add(waiting);
    process.desk.place(request, { replayOnly }).then(
      (reply) => {
        this.#waiting.delete(waiting);
        if (process.life.alive) this.#answered(request, reply, waiting.since);
      },
      (error) => world.judge.violation(`${name}: place threw ${error}`),
    );
  }

  #answered(request: PlaceOrderRequest, reply: PlaceReply, since: number): void {
    const { world } = this;
    const key = request.idempotency_key;
    world.note(`answer ${key ?? 'unkeyed'} ${JSON.stringify(reply.body)} ${JSON.stringify(reply.headers)}`);
    const tookMs = world.now() - since;
    if (tookMs > LONGEST_ANSWER_MS) world.judge.violation(`${key}: the answer took ${tookMs} ms`);
    if (key) world.judge.answered(`k:${key}`, reply);
    else world.judge.answeredUnkeyed(reply);
  }

  /** The same order once more, placed in the broker's own app a second before or after. */
  async #twinByHand(): Promise<void> {
    const request = this.#newRequest();
    const byHand = () => this.#byHand(request.symbol, request.transaction_type, request.quantity);
    const { clock, chance } = this.world;
    const before = chance.hit(0.5);
    if (before) byHand();
    if (before) await clock.sleep(1000);
    this.#place(request);
    if (!before) await clock.sleep(1000);
    if (!before) byHand();
  }

  #byHand(symbol: string, side: string, quantity: number): void {
    const { world } = this;
    const venue = world.venue(this.#process?.sessions.activeName() ?? 'zerodha');
    const { ackAfterMs, fills, end } = drawCourse(world, 'MARKET', quantity);
    const now = world.now();
    const taken = venue.take({
      tag: null,
      symbol,
      side,
      orderType: 'MARKET',
      quantity,
      receivedAt: now,
      visibleAt: now,
      ackAt: now + ackAfterMs,
      fills: fills.map((fill) => ({ ...fill, at: now + fill.at })),
      end: end && { ...end, at: now + end.at },
      averageLagMs: 0,
    });
    world.note(`by hand at ${venue.broker}: ${taken.id} ${side} ${quantity} ${symbol}`);
  }

  #cancel(): void {
    const { world } = this;
    const name = this.#process?.sessions.activeName();
    const order = name ? world.venue(name).orders.findLast((one) => one.tag !== null) : undefined;
    if (order && this.#process) void this.#process.desk.cancel({ order_id: order.id, variety: 'NORMAL' });
  }

  /** No more trouble; all that can be learned must be known soon. Some days end with a night instead. */
  async #windUp(): Promise<void> {
    const { world } = this;
    const { clock, chance } = world;
    world.troubled = false;
    world.crashAfterCalls = Number.POSITIVE_INFINITY;
    if (chance.hit(0.15)) {
      world.note('night');
      world.life.alive = false;
      await clock.sleep(18 * 3_600_000);
    }
    if (!world.life.alive) await this.#restart();
    await clock.sleep(Math.max(0, Math.max(world.storeAwayUntil, world.readsAwayUntil, world.loginsAwayUntil) - world.now()) + 30_000);
    const sessions = this.#process?.sessions;
    if (sessions && !sessions.active()) await this.#connect('zerodha');
    await clock.sleep(300_000);
    for (const request of this.#asked) this.#place(request, true);
    await clock.sleep(60_000);
    for (const { life, name } of this.#waiting) if (life === world.life.number) world.judge.violation(`${name} was never answered`);
    world.judge.close(sessions?.activeName() ?? null);
    world.life.alive = false;
  }
}
