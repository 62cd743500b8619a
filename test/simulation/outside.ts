import type { BrokerId } from '../../contract/words.ts';
import type { ExitRecord } from '../../server/exits/records.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Chance } from './chance.ts';
import { instruments } from './instruments.ts';
import { Venue } from './venue.ts';
import type { Plan } from './venue-order.ts';

/** One running gateway process: what belongs to a dead one gets no answers any more. */
export interface Life {
  readonly number: number;
  alive: boolean;
}

/** In the middle of a session, before and across midnight, and in the evening. */
const starts = [
  '2026-11-20T15:00:00+05:30',
  '2026-11-20T11:00:00+05:30',
  '2026-11-19T23:58:00+05:30',
  '2026-11-19T20:00:00+05:30',
] as const;

/** Everything outside the gateway, and the faults that are in force. */
export class Outside {
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly chance: Chance;
  readonly journal = new MemoryJournal();
  readonly venues: ReadonlyMap<BrokerId, Venue>;
  readonly log: string[] = [];
  life: Life = { number: 0, alive: false };
  /** When it began, epoch ms. */
  lifeBeganAt = 0;
  /** This day's share of slow reads, of slow store calls, and of acknowledgements that are lost. */
  readonly slowReads: number;
  readonly slowStore: number;
  readonly lostAcknowledgements: number;
  readonly unreadableRows: number;
  /** This day's share of store calls that end seconds late. Drawn apart, so that a day without them stays as it was. */
  lateStore: number;
  readonly lateness: Chance;
  /** Exits as one operation, by their keys, as they stand in the store. */
  readonly exits = new Map<string, ExitRecord>();
  /** This day's share of steps that leave by one beside them. Drawn apart, too. */
  exitShare: number;
  readonly exiting: Chance;
  /** Until when such an exit ran; infinity while one does. It sends what nobody else asked for. */
  exitsRanUntil = Number.NEGATIVE_INFINITY;
  /** Random troubles are in force; off while the day is wound up. */
  troubled = true;
  /** Until when a part is away, epoch ms. */
  storeAwayUntil = 0;
  readsAwayUntil = 0;
  positionsHangUntil = 0;
  loginsAwayUntil = 0;
  /** How calls to a store that is away behave. */
  storeHangs = false;
  /** The last moment anything kept the gateway from reading the truth, epoch ms. */
  troubleAt = 0;
  /** The last moment a call to the store was slow, failed or went unheard, and the last a session came, went or was asked for. */
  storeTroubleAt = 0;
  sessionTroubleAt = 0;
  /** Where the kill switch stands in the store. */
  killSwitch: { on: boolean; since: number | null; by: string | null; number: number } = { on: false, since: null, by: null, number: 0 };
  /** What becomes of the next placing requests where a test says so, in their order. */
  readonly plans: Partial<Plan>[] = [];
  /** The process dies after this many more calls to store or broker. */
  crashAfterCalls = Number.POSITIVE_INFINITY;

  /** `showsTags`: whether the first venue's order book shows tags, the rest of it plain; drawn unless given. */
  constructor(seed: number, showsTags?: boolean) {
    this.seed = seed;
    this.chance = new Chance(seed);
    const { chance } = this;
    const drawn = showsTags === undefined;
    this.clock = new VirtualClock(drawn ? chance.pick(starts) : starts[0]);
    const traits = () => ({ capitalTags: drawn && chance.hit(0.3), holdingsFall: drawn && chance.hit(0.5) });
    this.venues = new Map<BrokerId, Venue>([
      ['zerodha', new Venue('zerodha', { ...traits(), showsTags: showsTags ?? chance.hit(0.65) })],
      ['fivepaisa', new Venue('fivepaisa', { ...traits(), byToken: true, showsTags: chance.hit(0.5) })],
    ]);
    // Shares from the days before, at every venue alike.
    for (const { symbol } of instruments)
      for (const venue of this.venues.values()) if (drawn && chance.hit(0.4)) venue.held.set(symbol, chance.whole(5, 20));
    this.unreadableRows = drawn ? chance.pick([0, 0, 0.02]) : 0;
    this.slowReads = this.chance.pick([0.005, 0.02, 0.25]);
    this.slowStore = this.chance.pick([0, 0.02, 0.15, 0.4]);
    this.lostAcknowledgements = this.chance.pick([0, 0.005, 0.04]);
    this.lateness = new Chance(~seed);
    this.lateStore = drawn ? this.lateness.pick([0, 0, 0.01, 0.06]) : 0;
    this.exiting = new Chance(seed ^ 0x5eed_e817);
    this.exitShare = drawn ? this.exiting.pick([0, 0.1, 0.3]) : 0;
  }

  now(): number {
    return this.clock.now();
  }

  note(text: string): void {
    this.log.push(`${this.clock.mono().toFixed(3)} ${text}`);
  }

  trouble(until = this.now()): void {
    this.troubleAt = Math.max(this.troubleAt, until);
  }

  venue(broker: string): Venue {
    for (const [id, venue] of this.venues) if (id === broker) return venue;
    throw new Error(`No venue ${broker}`);
  }

  /** Counts one step of a call; the process may die at any. */
  step(): void {
    this.crashAfterCalls -= 1;
    if (this.crashAfterCalls > 0 || !this.life.alive) return;
    this.life.alive = false;
    this.crashAfterCalls = Number.POSITIVE_INFINITY;
    this.note('CRASH');
  }
}

/** The answer of a call that outlives its process is heard by nobody. */
export function heard<T>(life: Life, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    answer.then(
      (value) => {
        if (life.alive) resolve(value);
      },
      (error) => {
        if (life.alive) reject(error);
      },
    );
  });
}
