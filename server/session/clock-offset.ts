import type { Clock } from '../clock.ts';

/** A Date head has whole seconds: what it says is up to so much too old, ms. */
const GRAIN_MS = 1000;
/** Offsets of answers so long ago say nothing any more: clocks drift, and are set. */
const KEPT_MS = 300_000;
const MOST = 100;

/** Our clock less a broker's, from the Date heads of its answers: each leaves a second open, many together less. */
export class ClockOffset {
  readonly #clock: Clock;
  readonly #heard: { ms: number; at: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes our clock less the broker's of one answer, ms: between this and a second less it lies. */
  hear(ms: number): void {
    const at = this.#clock.now();
    this.#heard.push({ ms, at });
    while (this.#heard.length > MOST || at - (this.#heard[0]?.at ?? at) >= KEPT_MS) this.#heard.shift();
  }

  /** The middle of what all answers leave open, whole ms, and when the last came (epoch ms); null before one did. */
  get(): { offsetMs: number; at: number } | null {
    const last = this.#heard.at(-1);
    if (!last) return null;
    const told = this.#heard.map(({ ms }) => ms);
    const [least, most] = [Math.max(...told) - GRAIN_MS, Math.min(...told)];
    return { offsetMs: Math.round((least + most) / 2) + 0, at: last.at };
  }
}
