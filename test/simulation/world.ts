import type { BrokerId } from '../../contract/words.ts';
import { MemoryJournal } from '../../server/orders/memory-journal.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { Chance } from './chance.ts';
import { Judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { Venue } from './venue.ts';

/** One running gateway process: what belongs to a dead one gets no answers any more. */
export interface Life {
  readonly number: number;
  alive: boolean;
}

/** Everything outside the gateway, and the faults that are in force. */
export class World {
  readonly seed: number;
  readonly clock = new VirtualClock('2026-11-20T15:00:00+05:30');
  readonly chance: Chance;
  readonly journal = new MemoryJournal();
  readonly venues: ReadonlyMap<BrokerId, Venue>;
  readonly judge: Judge;
  readonly log: string[] = [];
  life: Life = { number: 0, alive: false };
  /** This day's share of slow reads, of slow store calls, and of acknowledgements that are lost. */
  readonly slowReads: number;
  readonly slowStore: number;
  readonly lostAcknowledgements: number;
  /** Random troubles are in force; off while the day is wound up. */
  troubled = true;
  /** Until when a part is away, epoch ms. */
  storeAwayUntil = 0;
  readsAwayUntil = 0;
  loginsAwayUntil = 0;
  /** How calls to a store that is away behave. */
  storeHangs = false;
  /** The last moment anything kept the gateway from reading the truth, epoch ms. */
  troubleAt = 0;
  /** What becomes of the next placing requests where a test says so, in their order. */
  readonly plans: Partial<Plan>[] = [];
  /** The process dies after this many more calls to store or broker. */
  crashAfterCalls = Number.POSITIVE_INFINITY;

  /** `showsTags`: whether the first venue's order book shows tags; drawn unless given. */
  constructor(seed: number, showsTags?: boolean) {
    this.seed = seed;
    this.chance = new Chance(seed);
    this.venues = new Map<BrokerId, Venue>([
      ['zerodha', new Venue('zerodha', showsTags ?? this.chance.hit(0.65))],
      ['fivepaisa', new Venue('fivepaisa', this.chance.hit(0.3))],
    ]);
    this.slowReads = this.chance.pick([0.005, 0.02, 0.25]);
    this.slowStore = this.chance.pick([0, 0.02, 0.15, 0.4]);
    this.lostAcknowledgements = this.chance.pick([0, 0.005, 0.04]);
    this.judge = new Judge(this);
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
