import { Caller } from './caller.ts';
import { products } from './instruments.ts';
import { type GatewayProcess, startProcess } from './process.ts';
import { Requests } from './requests.ts';
import { dayBegins, dayNumber } from './venue-order.ts';
import { World } from './world.ts';

export interface Outcome {
  seed: number;
  violations: string[];
  /** What happened, one line each; the same seed gives the same lines. */
  log: string[];
  /** Orders that reached a venue by our hands. */
  orders: number;
}

/** What an exit left goes with another one. */
const LEAVING_ROUNDS = 15;
const LEAVING_EVERY_MS = 50_000;

/** Weights of what the day brings, a step at a time. */
const steps = {
  place: 34,
  exits: 10,
  pressedExits: 8,
  slices: 3,
  twoSpellings: 3,
  afterMarket: 2,
  retry: 16,
  ask: 3,
  twinByHand: 4,
  byHand: 3,
  cancel: 4,
  modify: 8,
  settle: 2,
  storeAway: 4,
  readsAway: 3,
  positionsHang: 3,
  expire: 3,
  switchBroker: 2,
  disconnect: 1,
  killSwitch: 4,
  shutdown: 1,
  midnight: 1,
  crash: 4,
} as const;
type Step = keyof typeof steps;

/** One random trading day of the whole order core, in simulated time, judged at every step and at its end. */
export class Day {
  readonly world: World;
  readonly #caller: Caller;
  readonly #requests: Requests;

  constructor(seed: number) {
    this.world = new World(seed);
    this.#caller = new Caller(this.world);
    this.#requests = new Requests(this.world);
  }

  async run(): Promise<Outcome> {
    const { world } = this;
    await world.clock.settle(this.#play());
    const orders = world.judge.truth.orders.filter((order) => order.tag !== null).length;
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
      if (world.exiting.hit(world.exitShare)) this.#caller.leave();
    }
    await this.#windUp();
  }

  async #step(step: Step): Promise<void> {
    const { world } = this;
    const { chance } = world;
    const [at, caller] = [world.now(), this.#caller];
    if (step !== 'place') world.note(step);
    if (step === 'place') await this.#place();
    if (step === 'exits') for (const request of this.#requests.exits(caller.venue)) caller.placeNew(request);
    if (step === 'pressedExits') await this.#pressedExits();
    if (step === 'slices') for (const request of this.#requests.slices(caller.venue)) caller.placeNew(request);
    if (step === 'twoSpellings') for (const request of this.#requests.twoSpellings()) caller.placeNew(request);
    if (step === 'afterMarket') caller.placeNew(this.#requests.afterMarket(caller.venue));
    if (step === 'retry') caller.retry(false);
    if (step === 'ask') caller.retry(true);
    if (step === 'twinByHand') await this.#twinByHand();
    if (step === 'byHand') {
      const { symbol } = this.#requests.draw(caller.venue);
      caller.byHand(symbol.trim().toUpperCase(), chance.pick(products.slice(0, 2)), chance.pick(['BUY', 'SELL']), chance.whole(1, 6));
    }
    if (step === 'cancel') caller.cancel();
    if (step === 'modify') caller.modify();
    if (step === 'settle') caller.settle();
    if (step === 'storeAway') this.#storeAway();
    if (step === 'readsAway') world.readsAwayUntil = this.#away(chance.ms(500, chance.hit(0.2) ? 90_000 : 20_000));
    if (step === 'positionsHang') world.positionsHangUntil = this.#away(chance.ms(500, 30_000));
    if (step === 'expire') this.#expire(at);
    if (step === 'switchBroker') void this.#connect(chance.hit(0.5) ? 'fivepaisa' : 'zerodha');
    if (step === 'disconnect') void this.#disconnect();
    if (step === 'killSwitch') await this.#killSwitch();
    if (step === 'shutdown') await this.#shutdown();
    if (step === 'midnight') await this.#midnight();
    if (step === 'crash') await this.#crash();
  }

  /** Now and then the store goes away while the order is under way. */
  async #place(): Promise<void> {
    const { chance, clock } = this.world;
    this.#caller.placeNew(this.#requests.draw(this.#caller.venue));
    if (!chance.hit(0.08)) return;
    await clock.sleep(chance.ms(0, 400));
    this.#storeAway();
  }

  /** Exits behind an order that holds the instrument's turn, while positions cannot be read or the send before stalls. */
  async #pressedExits(): Promise<void> {
    const { world } = this;
    const { chance, clock } = world;
    const caller = this.#caller;
    const pressed = this.#requests.pressed(caller.venue);
    if (!pressed) return this.#place();
    if (chance.hit(0.5)) world.positionsHangUntil = this.#away(chance.whole(3000, 15_000));
    caller.placeNew(pressed.entry);
    await clock.sleep(chance.ms(0, 500));
    for (const exit of pressed.exits) caller.placeNew(exit);
  }

  #away(ms: number): number {
    const until = this.world.now() + ms;
    this.world.trouble(until);
    return until;
  }

  #storeAway(): void {
    const { world } = this;
    world.storeAwayUntil = this.#away(world.chance.ms(100, 15_000));
    world.storeTroubleAt = Math.max(world.storeTroubleAt, world.storeAwayUntil);
    world.storeHangs = world.chance.hit(0.5);
    world.note(`store away until ${world.storeAwayUntil}`);
    // Callers come back the moment the store does.
    if (world.chance.hit(0.6))
      void world.clock.sleep(world.storeAwayUntil - world.now() + world.chance.ms(0, 900)).then(() => this.#caller.retry(false));
  }

  #expire(at: number): void {
    const { world } = this;
    const awayMs = world.chance.hit(0.5) ? 0 : world.chance.ms(100, 8000);
    world.loginsAwayUntil = at + awayMs;
    this.#sessionTrouble(awayMs + 1000);
    this.#caller.process?.brokers.get('zerodha')?.expire();
  }

  #sessionTrouble(forMs = 0): void {
    this.world.trouble();
    this.world.sessionTroubleAt = Math.max(this.world.sessionTroubleAt, this.world.now() + forMs);
  }

  async #connect(name: string): Promise<void> {
    this.#sessionTrouble(8000);
    await this.#caller.process?.sessions.connect(name);
    this.#sessionTrouble();
  }

  async #disconnect(): Promise<void> {
    this.#sessionTrouble(Number.POSITIVE_INFINITY);
    await this.#caller.process?.disconnect();
    this.world.sessionTroubleAt = this.world.now();
  }

  /** Turned at any moment, on most often in the middle of a send or while the store is away, and off again soon. */
  async #killSwitch(): Promise<void> {
    const { world } = this;
    const { chance, clock } = world;
    const on = !this.#caller.process?.killSwitch.on || chance.hit(0.2);
    if (on && chance.hit(0.3)) this.#storeAway();
    if (on && chance.hit(0.7)) this.#caller.placeNew(this.#requests.draw(this.#caller.venue));
    if (on && chance.hit(0.3)) this.#caller.modify();
    await clock.sleep(chance.ms(0, 600));
    this.#turn(on);
    for (let time = chance.whole(0, 2); on && time > 0; time -= 1)
      void clock.sleep(chance.whole(50, 2000)).then(() => this.#caller.modify());
    if (on && chance.hit(0.6)) void clock.sleep(chance.ms(200, 20_000)).then(() => this.#turn(false));
  }

  #turn(on: boolean): void {
    const { process } = this.#caller;
    if (!process?.life.alive) return;
    this.world.note(`kill switch ${on}`);
    process.killSwitch.set(on, 'somebody').catch(() => undefined);
    this.world.judge.leaving.turned(on);
  }

  async #shutdown(): Promise<void> {
    const { world } = this;
    if (world.chance.hit(0.7)) await this.#place();
    await world.clock.sleep(world.chance.ms(0, 300));
    await this.#caller.process?.shutdown();
    await world.clock.sleep(world.chance.ms(100, 3000));
    world.note('shut down');
    world.life.alive = false;
  }

  /** Goes on shortly before the next midnight. */
  async #midnight(): Promise<void> {
    const { world } = this;
    const midnight = dayBegins(dayNumber(world.now()) + 1);
    await world.clock.sleep(Math.max(0, midnight - world.chance.ms(100, 20_000) - world.now()));
    this.#sessionTrouble();
  }

  async #crash(): Promise<void> {
    const { world } = this;
    const { chance, clock } = world;
    // Most often in the middle of something.
    if (chance.hit(0.7)) this.#caller.placeNew(this.#requests.draw(this.#caller.venue));
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
    const caller = this.#caller;
    world.judge.answers.crashed();
    let process: GatewayProcess | null = null;
    while (!process) {
      await world.clock.sleep(300);
      process = await startProcess(world);
    }
    caller.begun(process);
    this.#sessionTrouble(3000);
    world.judge.leaving.turned(process.killSwitch.on);
    const { chance } = world;
    for (const request of caller.asked.slice(-4)) if (chance.hit(0.6)) caller.place(request);
    const left = caller.left.at(-1);
    if (left && world.exiting.hit(0.8)) caller.exit(left);
  }

  /** The same order once more, placed in the broker's own app a second before or after. */
  async #twinByHand(): Promise<void> {
    const caller = this.#caller;
    const request = this.#requests.draw(caller.venue);
    const symbol = request.symbol.trim().toUpperCase();
    const byHand = () => caller.byHand(symbol, request.product_type, request.transaction_type, request.quantity);
    const { clock, chance } = this.world;
    const before = chance.hit(0.5);
    if (before) byHand();
    if (before) await clock.sleep(1000);
    caller.placeNew(request);
    if (!before) await clock.sleep(1000);
    if (!before) byHand();
  }

  /** No more trouble; all that can be learned must be known soon. Some days end with a night instead. */
  async #windUp(): Promise<void> {
    const { world } = this;
    const { clock, chance } = world;
    const caller = this.#caller;
    world.troubled = false;
    world.crashAfterCalls = Number.POSITIVE_INFINITY;
    if (chance.hit(0.15)) {
      world.note('night');
      world.life.alive = false;
      await clock.sleep(18 * 3_600_000);
    }
    if (!world.life.alive) await this.#restart();
    const last = Math.max(world.storeAwayUntil, world.readsAwayUntil, world.positionsHangUntil, world.loginsAwayUntil);
    await clock.sleep(Math.max(0, last - world.now()) + 30_000);
    const brokers: string[] = [];
    for (const broker of ['fivepaisa', 'zerodha']) {
      const isOpen = [...world.judge.truth.cases.values()].some(({ attempt }) => attempt.broker === broker && attempt.expiresAt === null);
      if (!isOpen && broker !== 'zerodha') continue;
      if (caller.process?.sessions.activeName() !== broker) await this.#connect(broker);
      if (isOpen) await clock.sleep(300_000);
      if (world.exitShare > 0) await this.#leave();
      brokers.push(broker);
    }
    for (const request of caller.asked) caller.place(request, true);
    await clock.sleep(60_000);
    caller.close();
    world.judge.close(brokers);
    world.life.alive = false;
  }

  /** In calm everybody gets out of everything: an exit under a key of its own for what the one before left, as orders fill in part or are refused. */
  async #leave(): Promise<void> {
    const { judge, clock } = this.world;
    const { venue, left, process } = this.#caller;
    for (const request of left) this.#caller.exit(request);
    for (let round = 0; round < LEAVING_ROUNDS && !judge.reports.isLeft(venue); round += 1) {
      this.#caller.exit({ all: true, idempotency_key: `last ${venue.broker} ${round}` });
      await clock.sleep(LEAVING_EVERY_MS);
    }
    if (process?.life.alive) judge.reports.close(venue);
  }
}
