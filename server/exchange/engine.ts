import { type Clock, nextIstHour, seededRandom } from '../clock.ts';
import type { Log } from '../log.ts';
import { type AccountBook, turnDay } from './book.ts';
import { instrumentNamed } from './instruments.ts';
import { advance, inState } from './matching.ts';
import { type Engine, takenUpAt } from './orders.ts';
import type { Prices } from './prices.ts';
import type { Records } from './records.ts';
import { type ExchangeOrder, isFinal, type Trade } from './types.ts';

interface Parts {
  clock: Clock;
  log: Log;
  prices: Prices;
  records: Records;
  /** Transit times come from it. */
  seed: number;
  /** Least and most milliseconds before the exchange acknowledges. */
  transitMs: readonly [number, number];
  /** Hears of every change once it is kept. */
  told(order: ExchangeOrder, trade: Trade | undefined): void;
}

export interface LiveEngine extends Engine {
  /** Brings the orders of a book up to now: what is due is done, what has ended with its day expires. */
  bringUp(book: AccountBook): AccountBook;
}

/** No order is held against more price ticks than this at once: a long gap is skipped to its last two minutes. */
const LONGEST_LOOK_BACK_TICKS = 240;

/** The engine over the clock, the prices and what is remembered. */
export function createEngine({ clock, log, prices, records, seed, transitMs: [least, most], told }: Parts): LiveEngine {
  const random = seededRandom(seed);
  /** Order id -> the last price tick it was held against. */
  const checked = new Map<string, number>();

  const engine: Engine = {
    now: () => clock.now(),
    tickAt: prices.tickAt,
    touch: prices.touch,
    transitMs: () => Math.round(least + random.next() * (most - least)),
    instrumentOf: (order) => instrumentNamed(order.exchange, order.symbol),
    nextSerial: () => records.nextSerial(clock.now()),
    newTicks(order, now) {
      const to = prices.tickAt(now);
      if (prices.pinned(engine.instrumentOf(order))) return [to];
      const from = Math.max(checked.get(order.orderId) ?? prices.tickAt(order.updatedAt), to - LONGEST_LOOK_BACK_TICKS);
      checked.set(order.orderId, to);
      return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + 1 + index);
    },
    save(order, made) {
      const trade = records.keepOrder(order, made);
      log.debug({ broker: order.account, orderId: order.orderId, state: order.state, filled: order.filled }, 'exchange order');
      if (isFinal(order)) checked.delete(order.orderId);
      told(order, trade);
      return order;
    },
  };

  function bringUp(book: AccountBook): AccountBook {
    const now = clock.now();
    for (const order of [...book.live.values()]) {
      const dayEnd = nextIstHour(takenUpAt(order), 0);
      const current = advance(order, Math.min(now, dayEnd - 1), engine);
      if (now >= dayEnd && !isFinal(current)) engine.save(inState({ ...current, agenda: [] }, dayEnd - 1, 'EXPIRED'));
    }
    turnDay(book, now);
    return book;
  }

  return { ...engine, bringUp };
}
