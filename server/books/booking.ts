import type { OrderStatus } from '../../contract/words.ts';
import { Big } from '../money.ts';
import { bookDeal, dealOf, fixed, moneyOf, type PositionState, savedState, stateColumns } from './average-cost.ts';
import { type Execution, type OpenPosition, stateOfRow } from './fill.ts';
import { type Known, newFill, type OrderFacts, type OrderProgress } from './order-record.ts';

/** An order's record and its position as they stand, each with the version that tells whether it was written since; null where there is none. */
export interface Standing {
  /** `made`: its created_at, exact text. */
  record: (Known & { status: OrderStatus; version: string; made: string }) | null;
  open: (OpenPosition & { version: string }) | null;
  /** Of a position to be opened. */
  multiplier: string;
}

/** Selects the open row of a position: `w` has its broker, exchange, symbol and product, which may be null. */
export const standsIn = {
  columns: `p.xmin::text as version, p.id, p.side, p.qty, p.entry_price, d.multiplier, d.open_cost, d.closed_quantity, d.closed_cost, d.exit_value, d.account,
    coalesce((select m.multiplier from instrument_multipliers m where m.broker = w.broker and m.exchange = w.exchange and m.symbol = w.symbol), 1) as multiplier_then`,
  join: `left join (tsm_positions p join position_details d on d.position_id = p.id)
    on p.broker = w.broker and p.exchange = w.exchange and p.symbol = w.symbol and p.style = w.product and p.status = 'OPEN'`,
};

/** A row of an order record and of `standsIn`. */
export type StandingRow = Standing['record'] & Standing['open'] & { record_version: string | null; multiplier_then: string };

export function standingFrom(row: StandingRow): Standing {
  return {
    record: row.record_version === null ? null : { ...row, version: row.record_version },
    open: row.version === null ? null : row,
    multiplier: row.multiplier_then,
  };
}

/** What is to be written of one step of an order. */
export interface Booking {
  record: { status: OrderStatus; filledQuantity: number; averagePrice: string | number | null };
  /** The execution, when something filled that is not booked yet. */
  trade: Execution | null;
  /** What it makes of the open row. */
  row: ({ id: number } & ReturnType<typeof stateColumns>) | null;
  /** The row it opens. */
  opened: ReturnType<typeof openedOf> | null;
  /** Rupees that the capital record moves by. */
  deployed: Big;
  profit: Big;
}

const FINAL: readonly OrderStatus[] = ['FILLED', 'REJECTED', 'CANCELLED'];
const NOTHING: Known = { filled_quantity: 0, avg_price: null };

/**
 * What `now` (already `priced`) adds to what stands: a fill is never taken back, a final state never left, and what filled since is booked against the
 * open row at average cost. The open row is of the same account, or none.
 */
export function bookingOf(facts: OrderFacts, now: OrderProgress, { record, open, multiplier }: Standing): Booking {
  const before = record ?? NOTHING;
  const more = now.filledQuantity > before.filled_quantity;
  const trade = more && now.averagePrice !== null ? newFill(facts, now, before, now.averagePrice) : null;
  const stays = record && (FINAL.includes(record.status) || (now.status === 'PLACED' && record.filled_quantity > 0));
  const held = open && stateOfRow(open);
  const { row, opened } = trade && !now.past ? bookDeal(held, dealOf(trade)) : { row: null, opened: null };
  const was = held && row && moneyOf(held, open.multiplier);
  const is = row && open && moneyOf(row, open.multiplier);
  const entered = opened && moneyOf(opened, multiplier);
  const zero = new Big(0);
  return {
    record: {
      status: stays ? record.status : now.status,
      filledQuantity: more ? now.filledQuantity : before.filled_quantity,
      averagePrice: more ? now.averagePrice : before.avg_price,
    },
    trade,
    row: row && open && { id: open.id, ...stateColumns(row, open.multiplier) },
    opened: opened && openedOf(opened, multiplier, row === null),
    deployed: (is?.deployed ?? zero).minus(was?.deployed ?? zero).plus(entered?.deployed ?? zero),
    profit: (is?.realized ?? zero).minus(was?.realized ?? zero),
  };
}

/** `fromFlat`: nothing was held before, so that the row's executions begin from nothing. */
function openedOf(row: PositionState, multiplier: string, fromFlat: boolean) {
  const cost = fixed(row.cost, 10);
  return { side: row.side, qty: row.qty, multiplier, cost, base: fromFlat ? null : JSON.stringify(savedState(row, false)) };
}
