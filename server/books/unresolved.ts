import type { TransactionSql } from 'postgres';
import type { OrderRow } from '../brokers/broker.ts';
import type { AccountKey } from './keys.ts';

/** An order of ours that is being sent, or whose fate or fill is not known: its rows and its fills are not to be taken for a stranger's. */
export interface Unresolved {
  exchange: string;
  symbol: string;
  side: string;
  quantity: number;
  order_id: string;
  tag: string;
}

export function unresolvedAttempts(tx: TransactionSql, who: AccountKey): Promise<Unresolved[]> {
  return tx<Unresolved[]>`
    select exchange, symbol, side, quantity, order_id, tag from idempotency_records
    where state in ('SENDING', 'ACCEPTED', 'AMBIGUOUS') and broker = ${who.broker} and account = ${who.account}`;
}

/** Whether a row nobody claims may be one of these: by its tag, or, while the order has no id, by what it is. */
export function mayBeOurs(row: OrderRow, attempts: readonly Unresolved[]): boolean {
  return attempts.some((attempt) => {
    if (row.tag === attempt.tag || row.order_id === attempt.order_id) return true;
    const alike = row.exchange === attempt.exchange && row.symbol === attempt.symbol && row.transaction_type === attempt.side;
    return attempt.order_id === '' && alike && row.quantity === attempt.quantity;
  });
}
