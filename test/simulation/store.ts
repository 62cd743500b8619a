import type { Attempt, AttemptState, Journal } from '../../server/orders/attempt.ts';
import { heard, type Life, type World } from './world.ts';

const HANGS_MS = 5000;

/** The journal as one process sees it: slow, away at times, its acknowledgements lost at times, and never answering a dead process. */
export class SimulatedStore implements Journal {
  readonly #world: World;
  readonly #life: Life;

  constructor(world: World, life: Life) {
    this.#world = world;
    this.#life = life;
  }

  #call<T>(name: string, effect: () => Promise<T>, written?: (result: T) => void): Promise<T> {
    if (!this.#life.alive) return new Promise(() => undefined);
    return heard(this.#life, this.#run(name, effect, written));
  }

  async #run<T>(name: string, effect: () => Promise<T>, written?: (result: T) => void): Promise<T> {
    const { clock, chance } = this.#world;
    const world = this.#world;
    world.step();
    const slow = world.troubled && chance.hit(world.slowStore);
    await clock.sleep(slow ? chance.ms(20, 1500) : chance.ms(0, 4));
    if (slow) world.trouble();
    await this.#whileAway();
    // A statement on its way is carried out or not when its process dies.
    if (!this.#life.alive && chance.hit(0.5)) return await new Promise<T>(() => undefined);
    const result = await effect();
    written?.(result);
    world.step();
    if (world.troubled && chance.hit(world.lostAcknowledgements)) {
      world.note(`store: acknowledgement of ${name} lost`);
      world.trouble();
      throw new Error('Connection lost');
    }
    await clock.sleep(chance.ms(0, 3));
    return result;
  }

  async #whileAway(): Promise<void> {
    const world = this.#world;
    if (world.now() >= world.storeAwayUntil) return;
    world.trouble(world.storeAwayUntil);
    if (world.storeHangs) await world.clock.sleep(Math.min(HANGS_MS, world.storeAwayUntil - world.now()));
    if (world.now() < world.storeAwayUntil || !world.storeHangs) throw new Error('The store is away');
  }

  claim: Journal['claim'] = (attempt, now) =>
    this.#call(
      'claim',
      () => this.#world.journal.claim(attempt, now),
      ({ standing }) => standing ?? this.#world.judge.claimed(attempt),
    );
  find: Journal['find'] = (key, now) => this.#call('find', () => this.#world.journal.find(key, now));
  release: Journal['release'] = (attempt, event) =>
    this.#call('release', async () => {
      await this.#world.journal.release(attempt, event);
      this.#world.judge.released(attempt, await this.#world.journal.find(attempt.key, this.#world.now()));
    });
  move: Journal['move'] = (attempt: Attempt, to: AttemptState, change, event, now, truth) =>
    this.#call(
      `move to ${to}`,
      () => this.#world.journal.move(attempt, to, change, event, now, truth),
      (moved) => this.#world.judge.moved(moved),
    );
  takeOver: Journal['takeOver'] = (attempt, owner) => this.#call('takeOver', () => this.#world.journal.takeOver(attempt, owner));
  open: Journal['open'] = () => this.#call('open', () => this.#world.journal.open());
  unresolved: Journal['unresolved'] = (since) => this.#call('unresolved', () => this.#world.journal.unresolved(since));
  exposure: Journal['exposure'] = (where) => this.#call('exposure', () => this.#world.journal.exposure(where));
  changedSince: Journal['changedSince'] = (since) => this.#call('changedSince', () => this.#world.journal.changedSince(since));
  owners: Journal['owners'] = (broker, account, ids) => this.#call('owners', () => this.#world.journal.owners(broker, account, ids));
  dropClaims: Journal['dropClaims'] = () => this.#call('dropClaims', () => this.#world.journal.dropClaims());
  expire: Journal['expire'] = (now) => this.#call('expire', () => this.#world.journal.expire(now));
  recordedNet: Journal['recordedNet'] = (where) => this.#call('recordedNet', () => this.#world.journal.recordedNet(where));
  note: Journal['note'] = (event) => this.#call('note', () => this.#world.journal.note(event));
}
