import type { Random } from '../clock.ts';
import { type Alert, alertOf, gathered, type News } from './alert.ts';

/** An alert and when it may leave, epoch ms. */
export interface Planned {
  alert: Alert;
  dueAt: number;
}

/** After an alert further ones of its kind and state are gathered this long, and leave as one. */
const GATHER_MS = 60_000;
/** So shortly before it leaves nothing is put into one any more. */
const MARGIN_MS = 2000;

/** Makes alerts of news: the first of its kind leaves at once, a storm as one a minute. */
export class Gatherer {
  readonly #random: Random;
  readonly #mode: Alert['mode'];
  /** The newest of each kind and state. */
  readonly #newest = new Map<string, Planned>();

  constructor(random: Random, mode: Alert['mode']) {
    this.#random = random;
    this.#mode = mode;
  }

  /** The alerts that are new or changed, at an instant (epoch ms). */
  take(news: readonly News[], now: number): Planned[] {
    const changed = new Map<string, Planned>();
    for (const one of news) {
      const group = `${one.kind} ${one.state}`;
      const before = this.#newest.get(group);
      const open = before && (changed.get(before.alert.id) !== undefined || before.dueAt - now > MARGIN_MS);
      const planned = open ? { ...before, alert: gathered(before.alert, one.message) } : this.#begin(one, before, now);
      this.#newest.set(group, planned);
      changed.set(planned.alert.id, planned);
    }
    return [...changed.values()];
  }

  #begin(news: News, before: Planned | undefined, now: number): Planned {
    const id = `alert_${Buffer.from(this.#random.bytes(12)).toString('hex')}`;
    // A clock that was set back must not hold alerts up.
    const isRecent = before && now < before.dueAt + GATHER_MS && now >= before.dueAt - GATHER_MS;
    return { alert: alertOf(news, id, this.#mode, now), dueAt: isRecent ? before.dueAt + GATHER_MS : now };
  }
}
