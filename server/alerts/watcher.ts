import { type Random, tradingDay } from '../clock.ts';
import type { AlertSettings } from '../config/config.ts';
import type { Handle } from '../db/handle.ts';
import type { EventHub } from '../events/hub.ts';
import { ALL_WELL, isDue, lineOf } from './all-well.ts';
import type { AskStore } from './ask.ts';
import { type Meaning, meaningsOf, OLD_MS } from './from-events.ts';
import { Gatherer } from './gatherer.ts';
import { type DayProfit, isNeeded, type Known, look, lossKey, type Parts } from './look.ts';
import type { Outbox } from './outbox.ts';
import { together } from './page.ts';
import { dayCounts, endedByPerson, tradedExchanges } from './records.ts';
import { type Change, type Standing, Standings } from './standing.ts';
import type { AlertStore } from './store.ts';

/** Events of one look. */
const EVENTS = 200;
const PROFIT_EVERY_MS = 15_000;
const EXCHANGES_EVERY_MS = 600_000;
const PRUNE_EVERY_MS = 86_400_000;

export interface WatcherParts extends Parts {
  db: Handle;
  random: Random;
  mode: 'practice' | 'live';
  settings: AlertSettings;
  hub: Pick<EventHub, 'page' | 'position'>;
  killSwitch: { readonly on: boolean };
  store: AlertStore;
  ask: AskStore;
  outbox: Outbox;
  /** Null where nobody was ever connected. Rejects as the database does. */
  profit(): Promise<DayProfit | null>;
}

/** Looks once a second: at what happened, what is wrong, and whether the line of the day is due. Says it to the outbox. */
export class Watcher {
  readonly #parts: WatcherParts;
  readonly #standings = new Standings();
  readonly #gatherer: Gatherer;
  #known: Known = { endedByPerson: null, exchanges: ['NSE'], profit: null, failing: false };
  /** The number of the newest event that was looked at. */
  #after = 0;
  #allWellAt: number | null = null;
  /** When something that is not asked each time was asked last, monotonic ms. */
  readonly #asked = new Map<string, number>();

  constructor(parts: WatcherParts) {
    this.#parts = parts;
    this.#gatherer = new Gatherer(parts.random, parts.mode);
  }

  /** What was told and is not over, oldest first. */
  standing(): Standing[] {
    return this.#standings.list();
  }

  /** Takes up what an earlier process left; false when the store is away. The first process of all begins with now. */
  async begin(): Promise<boolean> {
    const { ask, store, outbox, db, hub } = this.#parts;
    const kept = await ask(() => store.load(outbox.deliveries.map(({ channel }) => channel.name)));
    const after = kept && (kept.after ?? (await ask(() => hub.position())));
    if (!kept || after === null) return false;
    this.#after = after;
    this.#known.endedByPerson = await ask(() => endedByPerson(db));
    this.#allWellAt = kept.standing.find(({ key }) => key === ALL_WELL)?.since ?? null;
    this.#standings.load(kept.standing.filter(({ key }) => key !== ALL_WELL));
    outbox.start(kept.rows);
    outbox.put([], { told: [], ended: [], after });
    return true;
  }

  async look(): Promise<void> {
    const { clock, outbox, settings } = this.#parts;
    const written = await outbox.flush();
    const { change: happened, after } = written ? await this.#happened() : { change: null, after: undefined };
    this.#known.failing = happened === null;
    if (happened) await this.#askNow();
    const now = clock.now();
    const day = this.#standings.forget(({ kind, key }) => kind === 'daily_loss' && key !== lossKey(now));
    const { findings, judged } = look(this.#parts, this.#known, settings.dailyLoss, this.#standings.has(lossKey(now)));
    const change = together([...(happened ? [happened] : []), day, this.#standings.look(findings, judged, now, clock.mono())]);
    const line = await this.#line(now);
    if (line) change.told.push({ key: ALL_WELL, kind: 'all_well', message: line, since: now, toldAt: now });
    const news = line === null ? change.news : [...change.news, { kind: 'all_well', state: 'happened', message: line } as const];
    outbox.put(this.#gatherer.take(news, now), { ...change, ...(after !== undefined && { after }) });
    if (!outbox.written) await outbox.flush();
  }

  /** What the events since the last look mean; null when the database is away. */
  async #happened(): Promise<{ change: Change | null; after?: number }> {
    const { ask, hub, clock, db } = this.#parts;
    const events = await ask(() => hub.page(this.#after, EVENTS));
    const newest = events?.at(-1)?.id;
    if (!events || newest === undefined) return { change: events && together([]) };
    const recent = events.filter(({ at }) => Date.parse(at) > clock.now() - OLD_MS);
    const parts = { db, isNeeded: (at: number) => isNeeded(this.#parts, this.#known.exchanges, at) };
    const meanings = await ask(async () => (await Promise.all(recent.map((event) => meaningsOf(event, parts)))).flat());
    if (!meanings) return { change: null };
    this.#after = newest;
    return { change: together(meanings.map((one) => this.#take(one))), after: newest };
  }

  #take(meaning: Meaning): Change {
    if ('begins' in meaning) return this.#standings.begin(meaning.begins, this.#parts.clock.now());
    if ('ends' in meaning) return this.#standings.end(meaning.ends, meaning.message);
    if ('happened' in meaning) return { news: [meaning.happened], told: [], ended: [] };
    this.#known.endedByPerson = meaning.person;
    return together([]);
  }

  /** What is asked of the database now and then. */
  async #askNow(): Promise<void> {
    const { ask, db, store, settings, profit } = this.#parts;
    if (this.#isTime('exchanges', EXCHANGES_EVERY_MS)) {
      const exchanges = await ask(() => tradedExchanges(db));
      // Whoever never traded has the share market's hours.
      if (exchanges) this.#known.exchanges = exchanges.length > 0 ? exchanges : ['NSE'];
    }
    if (settings.dailyLoss !== null && this.#isTime('profit', PROFIT_EVERY_MS)) this.#known.profit = await ask(profit);
    if (this.#isTime('prune', PRUNE_EVERY_MS)) await ask(() => store.prune());
  }

  #isTime(what: string, everyMs: number): boolean {
    const now = this.#parts.clock.mono();
    if (now - (this.#asked.get(what) ?? Number.NEGATIVE_INFINITY) < everyMs) return false;
    this.#asked.set(what, now);
    return true;
  }

  /** The line of the day, where it is due. */
  async #line(now: number): Promise<string | null> {
    const { ask, db, settings, activeBroker, settled, killSwitch, profit } = this.#parts;
    if (!settled() || !isDue(now, settings.allWellAt, this.#allWellAt)) return null;
    this.#allWellAt = now;
    const figures = await ask(async () => ({ ...(await dayCounts(db, tradingDay(now))), profit: await profit() }));
    return lineOf(activeBroker(), figures, this.#standings.list(), killSwitch.on);
  }
}
