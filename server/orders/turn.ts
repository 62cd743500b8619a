import type { PatientRank } from '../brokers/read-budget.ts';
import { type Clock, within } from '../clock.ts';
import type { Attempt } from '../journal/attempt.ts';
import { type Meters, timed } from '../meters.ts';
import { type Asked, judge, onlyReduces, type Verdict } from './guard.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { Placement } from './send.ts';

export const QUEUE_WAIT_MS = 10_000;
/** An order that by our records only reduces waits no longer for positions. */
const EXIT_READ_MS = 2000;
const ENTRY_READ_MS = 8000;
/** What positions leave of an exit's time is the order book's, and no less than this. */
const BOOK_READ_MS = 300;

export interface TurnParts {
  clock: Clock;
  killSwitch: KillSwitch;
  /** The one-symbol-one-position rule is off. */
  guardOff: boolean;
  meters?: Meters | undefined;
}

/** Where the turn of an instrument's entries is held, once it is. */
export interface HeldTurn {
  release: () => void;
}

/** `read`: positions were read for it. `standing`: the record under its key. */
export type Judged = { verdict: Verdict; read: boolean } | { standing: Attempt };

/** Brings an order to its verdict: an entry waits for its turn in the instrument, an order that only reduces does not; then positions are read. */
export class Turns {
  readonly #parts: TurnParts;

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** `turn` is filled in where one was taken. `lookUp`: what stands under the order's key; a record there ends it. Null: its turn did not come. */
  async take(placement: Placement, turn: HeldTurn, lookUp: Promise<Attempt | null>): Promise<Judged | null> {
    const { instrument, asked } = placement;
    const { clock, meters } = this.#parts;
    // What is held for delivery may not have been read yet: such a sale is an entry only once it has been.
    let asEntry = !instrument.reduces(asked) && !isDeliverySale(asked);
    for (let first = true; ; first = false) {
      if (asEntry) {
        const entering = instrument.queue.enter(QUEUE_WAIT_MS, () => first && instrument.reduces(asked));
        const taken = await timed(clock, entering, (ms) => meters?.step('turn', ms));
        if (taken === null) return null;
        if (taken === 'free') asEntry = false;
        else turn.release = taken;
      }
      const until = clock.mono() + EXIT_READ_MS;
      const rank = asEntry ? 'orders' : 'exits';
      const positions = this.#readPositions(placement, rank, asEntry ? ENTRY_READ_MS : EXIT_READ_MS);
      const reading = timed(clock, positions, (ms) => meters?.step('positions', ms));
      const standing = await lookUp;
      if (standing) return { standing };
      const read = await reading;
      await this.#readWorking(placement, rank, read, Math.max(BOOK_READ_MS, until - clock.mono()));
      const verdict = this.judge(placement, read);
      if (asEntry || verdict.onlyReduces) return { verdict, read };
      // Newer positions say that it is an entry.
      asEntry = true;
    }
  }

  judge({ instrument, asked, request, entry }: Placement, read: boolean): Verdict {
    const situation = instrument.situation(asked, read && !instrument.unreadable, entry);
    return judge(asked, situation, { reduceOnly: request.reduce_only, guardOff: this.#parts.guardOff });
  }

  /** False where they could not be read in time; for a delivery sell what is held is read beside them. */
  async #readPositions({ account, asked }: Placement, rank: PatientRank, limitMs: number): Promise<boolean> {
    const { clock } = this.#parts;
    const until = clock.mono() + limitMs;
    const holdings = isDeliverySale(asked)
      ? within(
          clock,
          limitMs,
          account.holdings.next(rank).catch(() => undefined),
        )
      : null;
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const reading = account.positions.next(rank).catch(() => undefined);
      const positions = await within(clock, Math.max(0, until - clock.mono()), reading);
      if (!positions?.success) continue;
      await holdings;
      return true;
    }
    return false;
  }

  /** Resting orders that stand in the way of one that must only reduce may have ended since their book was read. */
  async #readWorking(placement: Placement, rank: PatientRank, read: boolean, limitMs: number): Promise<void> {
    const { account, instrument, asked, request, entry } = placement;
    const { clock, killSwitch } = this.#parts;
    if (!request.reduce_only && !killSwitch.on) return;
    const situation = instrument.situation(asked, read, entry);
    if (situation.working === 0 || onlyReduces(asked, situation)) return;
    await within(
      clock,
      limitMs,
      account.orderBook.next(rank).catch(() => undefined),
    );
  }
}

function isDeliverySale({ product, side }: Asked): boolean {
  return product === 'DELIVERY' && side === 'SELL';
}
