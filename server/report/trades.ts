import { and, desc, eq } from 'drizzle-orm';
import type { RecordedTrade } from '../../contract/records.ts';
import { tradeHistory } from '../../drizzle/schema.ts';
import type { AccountKey } from '../books/keys.ts';
import type { Db } from '../db/handle.ts';
import { msOf } from '../db/rows.ts';
import { type Day, isoOf, numberOf } from './day.ts';

/** An account's executions of a day, newest first. */
export async function tradesOf(db: Db, { broker, account }: AccountKey, day: Day): Promise<Omit<RecordedTrade, 'instrument'>[]> {
  const { id, trade_id, order_id, exchange, symbol, side, product, quantity, price, position_id, derived, traded_at } = tradeHistory;
  const ours = and(eq(tradeHistory.broker, broker), eq(tradeHistory.account, account), eq(tradeHistory.trading_day, day.name));
  const rows = await db
    .select({ trade_id, order_id, exchange, symbol, side, product, quantity, price, position_id, derived, at: msOf(traded_at) })
    .from(tradeHistory)
    .where(ours)
    .orderBy(desc(traded_at), desc(id));
  return rows.map(({ side: transaction_type, product: product_type, price: told, at, ...row }) => ({
    ...row,
    ...{ transaction_type, product_type, price: numberOf(told), traded_at: isoOf(at) },
  }));
}
