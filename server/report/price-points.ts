import { type Clock, tradingDay } from '../clock.ts';
import type { PricePoint } from '../feed/prices.ts';

const EVERY_MS = 5000;
/** Points kept of one instrument: beyond, every second of the older half goes. 80 kB each. */
const MOST = 5000;
/** Instruments kept: those that came first. */
const MOST_INSTRUMENTS = 250;

interface Point {
  at: number;
  rupees: number;
}

/** How the prices that the feed follows went, since the start of the process or of the day (IST). In memory alone. */
export class PricePoints {
  readonly #points = new Map<string, Point[]>();
  #day = '';

  /** Takes what moved since the last call. */
  take(prices: Iterable<PricePoint>, now: number): void {
    const day = tradingDay(now);
    if (day !== this.#day) this.#points.clear();
    this.#day = day;
    for (const { name, rupees, at } of prices) {
      const points = this.#points.get(name) ?? [];
      const last = points.at(-1);
      if (last?.rupees === rupees || (points.length === 0 && this.#points.size >= MOST_INSTRUMENTS)) continue;
      if (points.length === 0) this.#points.set(name, points);
      points.push({ at, rupees });
      if (points.length > MOST)
        this.#points.set(
          name,
          points.filter((_, index) => index > MOST / 2 || index % 2 === 0),
        );
    }
  }

  /** Oldest first; `name` is `EXCHANGE:SYMBOL` as the feed has it. */
  of(name: string): readonly Point[] {
    return this.#points.get(name) ?? [];
  }

  /** Takes the prices of a feed every 5 s until `stop`. */
  async follow(feed: { lastPrices(): Iterable<PricePoint> }, clock: Clock, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await clock.sleep(EVERY_MS, stop);
      this.take(feed.lastPrices(), clock.now());
    }
  }
}
