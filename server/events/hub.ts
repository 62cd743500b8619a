import type { GatewayEvent } from '../../contract/events.ts';
import { type Clock, Cut } from '../clock.ts';
import type { Handle } from '../db/handle.ts';
import type { Log } from '../log.ts';
import { eventOf } from './event.ts';
import { Horizon } from './horizon.ts';
import { lastEvent, readEvents } from './read-events.ts';
import { Ring, type Told } from './ring.ts';

/** Events kept in memory for those who follow. */
const RING = 4096;
/** Rows of one read. */
const PAGE = 500;
/** What commits within this is read together. */
const GAP_MS = 5;
/** Without a word of ours it looks all the same: other processes write, too. */
const IDLE_MS = 250;
/** Somebody was writing at the last look: it is repeated after this, then twice that, up to IDLE_MS. */
const REPEAT_MS = 5;
/** What was being written at a call is waited for this long. */
const SETTLE_MS = 2000;

export interface HubParts {
  db: Handle;
  clock: Clock;
  log: Log;
}

/** The events of tsm_events in the order of their numbers: one reader for all who follow, and pages for those who ask. */
export class EventHub {
  readonly #parts: HubParts;
  readonly #horizon: Horizon;
  readonly #followers = new Set<() => void>();
  #ring: Ring | null = null;
  /** Events told since the start of this process. */
  #total = 0;
  #woken = new Cut();
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  /** Reads for those who fell out of the ring go one after the other. */
  #catching: Promise<unknown> = Promise.resolve();
  #failing = false;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.#horizon = new Horizon(parts.db, parts.clock);
    parts.db.commits.heardBy(() => this.#woken.abort());
  }

  /** Events told since the start of this process: what a follower's own count is held against. */
  get total(): number {
    return this.#total;
  }

  /** Where "now" is: the number of the newest event that is settled. Null while somebody has been writing for 2 s. Rejects as the database does. */
  async position(): Promise<number | null> {
    const seen = await this.#horizon.settled(SETTLE_MS);
    return seen && (await lastEvent(this.#parts.db, seen.through));
  }

  /** The newest number given to an event. Rejects as the database does. */
  async newest(): Promise<number> {
    return (await this.#horizon.look()).newest;
  }

  /** The number up to which the events are settled; what was written before the call is among them. Rejects as the database does. */
  async settled(): Promise<number> {
    const { through } = (await this.#horizon.settled(SETTLE_MS)) ?? (await this.#horizon.look());
    return through;
  }

  /** Settled events after a number, oldest first, at most `limit`. Rejects as the database does. */
  async page(after: number, limit: number): Promise<GatewayEvent[]> {
    const { db } = this.#parts;
    const rows = await readEvents(db, { after, through: await this.settled(), most: limit });
    return rows.map(eventOf);
  }

  /** Calls `hear` whenever there is more to read, until the returned function is called. */
  follow(hear: () => void): () => void {
    this.#followers.add(hear);
    if (this.#followers.size === 1 && !this.#stopped) {
      const before = this.#running;
      this.#running = before.then(() => this.#run());
    }
    return () => {
      this.#followers.delete(hear);
      if (this.#followers.size === 0) this.#woken.abort();
    };
  }

  /** Up to `most` events after a number that were told by now: at once where the ring has them. Rejects as the database does. */
  after(id: number, most: number): readonly Told[] | Promise<readonly Told[]> {
    if (!this.#ring) return [];
    return this.#ring.after(id, most) ?? this.#fromStore(id, most);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#woken.abort();
    await this.#running;
  }

  #fromStore(after: number, most: number): Promise<readonly Told[]> {
    const read = this.#catching.then(async () => {
      const rows = await readEvents(this.#parts.db, { after, through: this.#ring?.head ?? 0, most });
      return rows.map((row) => toldOf(eventOf(row)));
    });
    this.#catching = read.catch(() => undefined);
    return read;
  }

  /** Reads as long as somebody follows. The ring begins anew each time: what was told meanwhile stands in the database. */
  async #run(): Promise<void> {
    const { clock } = this.#parts;
    let repeatMs = REPEAT_MS;
    let readThrough = -1;
    this.#ring = null;
    while (this.#followers.size > 0 && !this.#stopped) {
      this.#woken = new Cut();
      const { through, newest } = await this.#look(readThrough);
      const waits = through < newest;
      repeatMs = waits && through === readThrough ? Math.min(2 * repeatMs, IDLE_MS) : REPEAT_MS;
      readThrough = through;
      await clock.sleep(GAP_MS);
      await clock.sleep(waits ? repeatMs : IDLE_MS, this.#woken);
    }
    this.#ring = null;
  }

  async #look(readThrough: number): Promise<{ through: number; newest: number }> {
    const { db, log } = this.#parts;
    try {
      const seen = await this.#horizon.look();
      const begins = this.#ring === null;
      this.#ring ??= new Ring(await lastEvent(db, seen.through), RING);
      if (seen.through > readThrough) await this.#read(this.#ring, seen.through);
      // Who resumes has missed what is older than the ring.
      if (begins) this.#call();
      if (this.#failing) log.info('The events can be read again');
      this.#failing = false;
      return seen;
    } catch (error) {
      if (!this.#failing) log.warn({ error: String(error) }, 'The events cannot be read; it is tried again');
      this.#failing = true;
      return { through: readThrough, newest: readThrough };
    }
  }

  async #read(ring: Ring, through: number): Promise<void> {
    const { db } = this.#parts;
    for (;;) {
      const rows = await readEvents(db, { after: ring.head, through, most: PAGE });
      ring.add(rows.map((row) => toldOf(eventOf(row))));
      this.#total += rows.length;
      if (rows.length > 0) this.#call();
      if (rows.length < PAGE) return;
    }
  }

  #call(): void {
    for (const hear of this.#followers) hear();
  }
}

/** `id:`, `event:` and `data:` lines as the WHATWG standard of server-sent events reads them; JSON text has no line ends. */
function toldOf(event: GatewayEvent): Told {
  return { id: event.id, frame: `id: ${event.id}\nevent: ${event.topic}\ndata: ${JSON.stringify(event)}\n\n` };
}
