import postgres from 'postgres';
import type { Handle } from '../db/handle.ts';
import { type Ask, run } from '../db/statement.ts';
import { transaction } from '../db/transaction.ts';
import type { PositionKey } from './keys.ts';
import { bookingOf, type OrderFacts, type OrderProgress, priced, type Standing } from './order-record.ts';
import { loadPositions, lockPositions } from './position-rows.ts';
import { type StepText, textOf, valuesOf, type Wrote } from './record-fill-text.ts';
import { closeForeign } from './write-rows.ts';

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

/** Others write a position a few times a minute: met so often in a row, something is wrong. */
const ROUNDS = 10;

export interface Recording {
  facts: OrderFacts;
  told: OrderProgress;
  /** The values of the caller's columns. */
  step: object;
  /** What stood when the order was recorded, where that is known. */
  seen?: Standing | undefined;
}

/**
 * Makes what brings an order record up to what is known, books what filled since, and takes the caller's step, all in one statement or nothing of it.
 * A fill is never taken back, a final state never left, and a fill without its price waits for it, the order staying open until then. An order that
 * proves ours is external no more. False when the caller's own row is not there as it says.
 *
 * What stands is read first, without a lock, unless it was seen before; the statement writes only if it still stands so, else it is read again. It locks the attempt, the order
 * record, the position and its row, in the order everybody does. A multiplier learned within these milliseconds is set right by the next reconciliation.
 */
export function orderRecorder(step: StepText): (db: Handle, ask: Ask, recording: Recording) => Promise<boolean> {
  const text = textOf(step);
  return async (db, ask, recording) => {
    const { facts, told } = recording;
    const now = priced(told);
    const key = { exchange: facts.exchange, symbol: facts.symbol, style: facts.product };
    for (let round = 0; round < ROUNDS; round += 1) {
      const standing = (round === 0 && recording.seen) || (await standingOf(ask, key, facts, now.orderId));
      const booking = bookingOf(facts, now, standing);
      if (booking.trade && !now.past && standing.open && standing.open.account !== facts.account) {
        await leaveForeign(db, key, facts, now.at);
        continue;
      }
      const values = { ...recording.step, ...valuesOf(facts, key, now, standing, booking) };
      const [wrote] = await run<Wrote>(ask, text, values).catch(takenMeanwhile);
      if (wrote?.written) return true;
      if (wrote && !wrote.found) return false;
    }
    throw new Error(`The books of ${facts.symbol} changed ${ROUNDS} times while a fill was to be written`);
  };
}

/** Prepared, as all that every order runs. */
const STANDING = `
  select o.xmin::text as record_version, o.created_at::text as made, o.status, o.filled_quantity, o.avg_price, ${standsIn.columns}
  from (select $1::text as broker, $2::text as exchange, $3::text as symbol, $4::text as product) w
  left join (order_details k join tsm_orders o on o.broker = k.broker and o.order_id = k.order_id and o.created_at = k.created_at)
    on k.broker = w.broker and k.order_id = $5 and k.account = $6 and k.trading_day = $7 ${standsIn.join}`;

async function standingOf(
  ask: Ask,
  { exchange, symbol, style }: PositionKey,
  { broker, account, tradingDay }: OrderFacts,
  orderId: string,
): Promise<Standing> {
  const [row] = await ask<StandingRow>(STANDING, [broker, exchange, symbol, style, orderId, account, tradingDay]);
  if (!row) throw new Error('What stands could not be read');
  return standingFrom(row);
}

const TAKEN = ['order_details', 'tsm_orders', 'tsm_positions'];

/** A row came in between where there was none: nothing is written, and what stands is read again. */
function takenMeanwhile(error: unknown): never[] {
  const taken = error instanceof postgres.PostgresError && error.code === '23505';
  if (taken && TAKEN.includes(error.table_name ?? '')) return [];
  throw error;
}

/** Closes what another account of the broker holds there; nothing when it is gone meanwhile. */
async function leaveForeign(db: Handle, key: PositionKey, facts: OrderFacts, at: number): Promise<void> {
  await transaction(db, async (tx) => {
    await lockPositions(tx, facts.broker, [key]);
    const open = (await loadPositions(tx, facts, [key], at)).find((row) => row.status === 'OPEN' && row.account !== facts.account);
    if (open) await closeForeign(tx, open, at);
  });
}
