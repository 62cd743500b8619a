import type { Sql } from 'postgres';
import type { OrderRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { AccountKey } from './keys.ts';

/** As long before the send as a broker's clock may stamp it, and as long after as it may still arrive, ms. */
const EARLIER_MS = 2000;
const LATER_MS = 7000 + 120_000;

interface Settled {
  exchange: string;
  symbol: string;
  side: string;
  quantity: number;
  tag: string;
  started_ms: number;
}

/**
 * Ids of the rows of an order book that are today's orders which a person settled without knowing the id: their records stand under their tags,
 * so that these rows and their trades are neither a stranger's nor booked again. Without a tag a row is one of them by what and when it is.
 */
export async function settledRows(sql: Sql, who: AccountKey, book: readonly OrderRow[], now: number): Promise<Set<string>> {
  const settled = await sql<Settled[]>`
    select exchange, symbol, side, quantity, tag, extract(epoch from started_at)::float8 * 1000 as started_ms from idempotency_records
    where order_id = tag and broker = ${who.broker} and account = ${who.account} and trading_day >= ${tradingDay(now)}`;
  if (settled.length === 0) return new Set();
  return new Set(book.filter((row) => settled.some((order) => isOf(row, order))).map((row) => row.order_id));
}

function isOf(row: OrderRow, { exchange, symbol, side, quantity, tag, started_ms }: Settled): boolean {
  if (row.tag !== null) return row.tag.toLowerCase() === tag.toLowerCase();
  if (row.exchange !== exchange || row.symbol !== symbol || row.transaction_type !== side || row.quantity !== quantity) return false;
  if (row.placed_at === null) return true;
  const placedAt = Date.parse(row.placed_at);
  return placedAt >= started_ms - EARLIER_MS && placedAt <= started_ms + LATER_MS;
}
