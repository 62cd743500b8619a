import type { Sql, TransactionSql } from 'postgres';
import type { TradeRow } from '../brokers/broker.ts';
import { tradingDay } from '../clock.ts';
import type { AccountKey } from './keys.ts';
import { CLOCKS_APART_MS } from './known-orders.ts';

/** What names an order record of one broker account. */
export interface OrderName {
  order_id: string;
  trading_day: string;
}

export function nameOf({ order_id, trading_day }: OrderName): string {
  return `${order_id}|${trading_day}`;
}

/** A trade as `recordTraded` asks for it: its day (IST) and instant (epoch s), null where the broker does not tell them. */
export function tradedAs({ order_id, traded_at }: TradeRow): { order_id: string; day: string | null; at: number | null } {
  if (traded_at === null) return { order_id, day: null, at: null };
  const at = Date.parse(traded_at);
  return { order_id, day: tradingDay(at - CLOCKS_APART_MS), at: at / 1000 };
}

/**
 * SQL: the record of a trade's order, none where nobody recorded it; `g` has what `tradedAs` tells. Ids come again: it is the newest record of the id
 * made before the trade whose day was not over, or that was seen to fill on the trade's day or later, as an AMO order placed elsewhere does.
 */
export function recordTraded(tx: Sql | TransactionSql, { broker, account }: AccountKey) {
  return tx`
    select d.trading_day, o.filled_quantity from order_details d join tsm_orders o using (broker, order_id, created_at)
    where d.broker = ${broker} and d.order_id = g.order_id and d.account = ${account}
      and (g.at is null or d.created_at <= to_timestamp(g.at) + interval '10 minutes')
      and (g.day is null or d.trading_day >= g.day or o.status in ('PLACED', 'PARTIALLY_FILLED') or exists (
        select from trade_history t where t.broker = ${broker} and t.account = ${account} and t.order_id = g.order_id and t.trading_day = d.trading_day
          and t.traded_at >= (g.day || ' 00:00')::timestamp at time zone 'Asia/Kolkata'))
    order by d.trading_day desc limit 1`;
}
