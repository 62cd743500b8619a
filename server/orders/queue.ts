import type { Clock } from '../clock.ts';
import { Cut } from '../clock.ts';

/** Given back once, when the fate of the order is known or it is not sent. */
export type Release = () => void;

interface Waiter {
  /** What made it wait holds no more: it needs no turn. */
  overtakes(): boolean;
  cut: Cut;
  turn: Release | 'free' | null;
}

/**
 * The entries of one instrument, one after the other: each is judged when the fate of the one before is known. Orders that only reduce never wait
 * here; one that waits as an entry, and by the newest positions only reduces, leaves the queue.
 */
export class EntryQueue {
  readonly #clock: Clock;
  readonly #waiting: Waiter[] = [];
  #taken = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The turn; 'free' when `overtakes` says that none is needed any more; null after `waitMs`. */
  async enter(waitMs: number, overtakes: () => boolean): Promise<Release | 'free' | null> {
    if (!this.#taken) return this.#take();
    const waiter: Waiter = { overtakes, cut: new Cut(), turn: null };
    this.#waiting.push(waiter);
    await this.#clock.sleep(waitMs, waiter.cut);
    const at = this.#waiting.indexOf(waiter);
    if (at >= 0) this.#waiting.splice(at, 1);
    return waiter.turn;
  }

  /** Positions or orders have changed: whoever only reduces now need not wait. */
  review(): void {
    for (const waiter of [...this.#waiting]) if (waiter.overtakes()) this.#wake(waiter, 'free');
  }

  #take(): Release {
    this.#taken = true;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#taken = false;
      const [next] = this.#waiting;
      if (next) this.#wake(next, this.#take());
    };
  }

  #wake(waiter: Waiter, turn: Release | 'free'): void {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
    waiter.turn = turn;
    waiter.cut.abort();
  }
}
