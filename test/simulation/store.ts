import type { ExitRecords } from '../../server/exits/records.ts';
import type { Attempt, AttemptState } from '../../server/journal/attempt.ts';
import type { Journal } from '../../server/journal/journal.ts';
import type { TurnKeeper } from '../../server/journal/kill-switch-record.ts';
import { heard, type Life } from './outside.ts';
import type { World } from './world.ts';

const HANGS_MS = 5000;
/** Longer than anybody waits for a statement, and than the server lets one run. */
const LATEST_MS = 20_000;

/** The journal as one process sees it: slow, late, away at times, its acknowledgements lost at times, and never answering a dead process. */
export class SimulatedStore implements Journal {
  readonly #world: World;
  readonly #life: Life;
  readonly #withdrawn = new Set<string>();

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
    if (slow) this.#trouble();
    await this.#whileAway();
    const late = this.#isLate();
    if (late === 'before') await this.#late(name);
    // A statement on its way is carried out or not when its process dies; the next one ends its sessions first.
    if (!this.#life.alive && (world.life !== this.#life || chance.hit(0.5))) return await new Promise<T>(() => undefined);
    const result = await effect();
    written?.(result);
    if (late === 'after') await this.#late(name);
    world.step();
    if (world.troubled && chance.hit(world.lostAcknowledgements)) {
      world.note(`store: acknowledgement of ${name} lost`);
      this.#trouble();
      throw new Error('Connection lost');
    }
    await clock.sleep(chance.ms(0, 3));
    return result;
  }

  /** Whether a statement is carried out late, or carried out at once and told late. */
  #isLate(): 'before' | 'after' | null {
    const { lateness, lateStore, troubled } = this.#world;
    if (!troubled || !lateness.hit(lateStore)) return null;
    return lateness.hit(0.5) ? 'before' : 'after';
  }

  async #late(name: string): Promise<void> {
    const { lateness, clock } = this.#world;
    const lateMs = lateness.ms(1000, LATEST_MS);
    this.#world.note(`store: ${name} ends ${lateMs} ms late`);
    this.#trouble(this.#world.now() + lateMs);
    await clock.sleep(lateMs);
  }

  #trouble(until = this.#world.now()): void {
    this.#world.trouble(until);
    this.#world.storeTroubleAt = Math.max(this.#world.storeTroubleAt, until);
  }

  async #whileAway(): Promise<void> {
    const world = this.#world;
    if (world.now() >= world.storeAwayUntil) return;
    this.#trouble(world.storeAwayUntil);
    if (world.storeHangs) await world.clock.sleep(Math.min(HANGS_MS, world.storeAwayUntil - world.now()));
    if (world.now() < world.storeAwayUntil || !world.storeHangs) throw new Error('The store is away');
  }

  /** What has been withdrawn is never committed, as the session that might do it is ended first. */
  begin: Journal['begin'] = (attempt, event, now) =>
    this.#call(
      'begin',
      async () => {
        if (this.#withdrawn.has(attempt.tag)) throw new Error('The session was ended');
        return await this.#world.journal.begin(attempt, event, now);
      },
      (standing) => standing ?? this.#world.judge.begun(attempt),
    );
  find: Journal['find'] = (key, now) => this.#call('find', () => this.#world.journal.find(key, now));
  withdraw: Journal['withdraw'] = (attempt, event) =>
    this.#call('withdraw', async () => {
      this.#withdrawn.add(attempt.tag);
      await this.#world.journal.withdraw(attempt, event);
      this.#world.judge.withdrawn(attempt, await this.#world.journal.find(attempt.key, this.#world.now()));
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
  changedSince: Journal['changedSince'] = (since) => this.#call('changedSince', () => this.#world.journal.changedSince(since));
  livingKeys: Journal['livingKeys'] = (now, limit) => this.#call('livingKeys', () => this.#world.journal.livingKeys(now, limit));
  blocked: Journal['blocked'] = (now) => this.#call('blocked', () => this.#world.journal.blocked(now));
  end: Journal['end'] = (answers, now, event) => this.#call('end', () => this.#world.journal.end(answers, now, event));
  openRecords: Journal['openRecords'] = () => this.#call('openRecords', () => this.#world.journal.openRecords());
  askedQuantities: Journal['askedQuantities'] = () => this.#call('askedQuantities', () => this.#world.journal.askedQuantities());
  owners: Journal['owners'] = (broker, account, since, ids) =>
    this.#call('owners', () => this.#world.journal.owners(broker, account, since, ids));
  candidates: Journal['candidates'] = (name) => this.#call('candidates', () => this.#world.journal.candidates(name));
  expire: Journal['expire'] = (now) => this.#call('expire', () => this.#world.journal.expire(now));
  note: Journal['note'] = (event) => this.#call('note', () => this.#world.journal.note(event));

  /** Where exits are written down. */
  readonly exits: ExitRecords = {
    find: (key) => this.#call('find an exit', async () => this.#world.exits.get(key) ?? null),
    begin: (record) =>
      this.#call('begin an exit', async () => {
        if (this.#world.exits.has(record.key)) throw new Error('The key is taken');
        this.#world.exits.set(record.key, record);
      }),
    settle: (key, report) =>
      this.#call('settle an exit', async () => {
        const record = this.#world.exits.get(key);
        if (record) this.#world.exits.set(key, { ...record, report });
      }),
    forget: (key) =>
      this.#call('forget an exit', async () => {
        this.#world.exits.delete(key);
      }),
  };

  /** Where the kill switch is remembered. */
  readonly turns: TurnKeeper = {
    read: () => this.#call('read of the kill switch', async () => this.#world.killSwitch),
    write: (turn) =>
      this.#call('turn of the kill switch', async () => {
        if (turn.number > this.#world.killSwitch.number) this.#world.killSwitch = turn;
      }),
  };
}
