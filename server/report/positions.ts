import type { RecordedPosition } from '../../contract/records.ts';
import { Big } from '../money.ts';
import { isoOf, numberOf } from './day.ts';
import type { Earning } from './day-profit.ts';

/** Positions in the contract's words, open ones first, then the newest; without the one name of their instrument. */
export function positionsOf(earnings: readonly Earning[]): Omit<RecordedPosition, 'instrument'>[] {
  return earnings
    .toSorted(
      (a, b) => Number(a.row.status !== 'OPEN') - Number(b.row.status !== 'OPEN') || b.row.openedMs - a.row.openedMs || b.row.id - a.row.id,
    )
    .map(positionOf);
}

function positionOf({ row, last, ...profit }: Earning): Omit<RecordedPosition, 'instrument'> {
  const { id, exchange, symbol, token, style, side, status, qty, entry, exit, strategy, openedMs, closedMs, exit_reason } = row;
  const isOpen = status === 'OPEN';
  return {
    ...{ id, exchange, symbol, token, side, strategy },
    product_type: style,
    status: isOpen ? 'OPEN' : 'CLOSED',
    net_quantity: side === 'BUY' ? qty : 0 - qty,
    average_price: numberOf(entry),
    exit_price: numberOf(exit),
    last_price: rupees(last?.rupees ?? null),
    price_at: isoOf(last?.at ?? null),
    realised_today: rupees(profit.realisedToday),
    realised: rupees(profit.realised),
    unrealised: rupees(profit.unrealised),
    profit_today: rupees(profit.today),
    profit_since_entry: rupees(profit.sinceEntry),
    unknown: profit.unknown,
    opened_at: isoOf(openedMs),
    closed_at: isoOf(closedMs),
    close_reason: isOpen ? null : exit_reason,
  };
}

/** Exact rupees as the number of the contract. */
export function rupees(value: Big): number;
export function rupees(value: Big | null): number | null;
export function rupees(value: Big | null): number | null {
  return value === null ? null : Number(value.round(4, Big.roundHalfUp).toFixed());
}
