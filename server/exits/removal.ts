import type { ExitReport } from '../../contract/exits.ts';
import type { Read as Answer, OrderRow } from '../brokers/broker.ts';
import { isOver } from '../orders/fill.ts';
import { type LegFrame, type LegParts, type Read, readNow } from './frame.ts';
import { type Leg, openOf, type Resting, shownResting } from './plan.ts';
import { isStop } from './warnings.ts';

/** So long is waited until cancelled orders are known to be gone. */
const LIMIT_MS = 10_000;
const LOOK_EVERY_MS = 200;
/** An order that still rests so long after its cancel was refused is cancelled again, so often in all. */
const AGAIN_MS = 1500;
const TRIES = 4;

interface State {
  /** As the newest order book has it: what had filled, and whether it can fill no more; null where none has shown it since the cancel. */
  filled: number;
  gone: boolean | null;
  message: string;
  tries: number;
  /** When the newest cancel was answered, monotonic ms; null while one is on its way. */
  answeredAt: number | null;
}

type Reported = ExitReport['positions'][number]['cancels'][number];

/** Cancels the resting orders of an exit's side and finds out when they are gone. What fills of them meanwhile need not be sent. */
export class Removal {
  readonly #parts: LegParts;
  readonly #frame: LegFrame;
  readonly #rests: ReadonlyMap<Resting, State>;

  constructor(parts: LegParts, frame: LegFrame, { rests }: Leg) {
    this.#parts = parts;
    this.#frame = frame;
    const state = ({ filled }: Resting): State => ({ filled, gone: null, message: '', tries: 0, answeredAt: null });
    this.#rests = new Map(rests.map((resting) => [resting, state(resting)]));
  }

  /** A cancel was asked of the broker. */
  get acted(): boolean {
    return [...this.#rests.values()].some(({ tries }) => tries > 0);
  }

  /** What of them filled since the plan. */
  get filled(): number {
    return this.#sum((resting, { filled }) => filled - resting.filled);
  }

  /** What of them may still fill. */
  get resting(): number {
    return this.#sum((resting, { filled, gone }) => (gone ? 0 : openOf({ ...resting, filled })));
  }

  /** Ids of those of which nobody knows whether they are gone. */
  get unknown(): string[] {
    return [...this.#rests].flatMap(([{ order_id }, { gone }]) => (gone === null ? [order_id] : []));
  }

  /** Those that the newest order book shows alive, and what of them has filled. */
  get alive(): { order_id: string; filled: number }[] {
    return [...this.#rests].flatMap(([{ order_id }, { gone, filled }]) => (gone === false ? [{ order_id, filled }] : []));
  }

  /** Ids of stops that protect no more. */
  get goneStops(): string[] {
    return [...this.#rests].flatMap(([resting, { gone, filled }]) =>
      gone && isStop(resting) && filled < resting.quantity ? [resting.order_id] : [],
    );
  }

  async run(): Promise<void> {
    const { clock } = this.#parts;
    const until = Math.min(this.#frame.until, clock.mono() + LIMIT_MS);
    if (this.#rests.size === 0 || clock.mono() >= until) return;
    await Promise.all([...this.#rests].map(([resting, state]) => (state.gone ? null : this.#cancel(resting, state))));
    for (;;) {
      await this.look();
      const left = [...this.#rests].filter(([, { gone }]) => !gone);
      if (left.length === 0 || clock.mono() >= until || this.#frame.stop.aborted) return;
      await clock.sleep(LOOK_EVERY_MS, this.#frame.stop);
      const again = left.filter(([, state]) => this.#isAgain(state));
      await Promise.all(again.map(([resting, state]) => this.#cancel(resting, state)));
    }
  }

  report(): Reported[] {
    return [...this.#rests].map(([resting, { filled, gone, message }]) => {
      return { ...shownResting(resting), success: gone, filled_quantity: filled - resting.filled, message };
    });
  }

  #sum(of: (resting: Resting, state: State) => number): number {
    return [...this.#rests].reduce((sum, [resting, state]) => sum + of(resting, state), 0);
  }

  #isAgain({ gone, tries, answeredAt }: State): boolean {
    return gone === false && tries < TRIES && answeredAt !== null && this.#parts.clock.mono() - answeredAt >= AGAIN_MS;
  }

  async #cancel({ order_id }: Resting, state: State): Promise<void> {
    const { orders, clock, accounts } = this.#parts;
    const { account } = this.#frame;
    const active = accounts.active();
    if (active?.broker.id !== account.broker.id || active.id !== account.id) {
      state.message = 'The broker session ended; nothing was sent';
      return;
    }
    state.tries += 1;
    state.answeredAt = null;
    const answer = await orders.cancel({ order_id, variety: 'NORMAL' }).catch((error: unknown): Answer => {
      return { success: false, message: String(error) };
    });
    state.answeredAt = clock.mono();
    state.message = answer.message ?? '';
  }

  /** Reads what has become of them; the order book, where it came. */
  async look(): Promise<Read<OrderRow>> {
    const book = await readNow(this.#parts.clock, this.#frame.account.orderBook);
    if (!book) return null;
    for (const [{ order_id }, state] of this.#rests) {
      const row = book.normalized.find((one) => one.order_id === order_id);
      if (!row) continue;
      state.filled = Math.max(state.filled, row.filled_quantity);
      state.gone = isOver(row);
    }
    return book;
  }
}
