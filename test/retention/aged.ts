import postgres from 'postgres';
import { adminOptions } from '../support/global-setup.ts';

/** How much younger than today is what the gateway has just written made: past every limit. */
export const YEARS = 9;

/** Makes everything that stands in a database so many years older, one order that nobody could establish with it. The gateway must be stopped. */
export async function age(databaseUrl: string): Promise<void> {
  const sql = postgres(adminOptions(databaseUrl));
  const older = sql`interval '${sql.unsafe(String(YEARS))} years'`;
  const day = (name: string) => sql`to_char(${sql(name)}::date - ${older}, 'YYYY-MM-DD')`;
  try {
    await sql`
      insert into idempotency_records (key, state, owner, request_hash, broker, account, trading_day, tag, symbol, exchange, side, order_type, product, quantity, price, started_at, expires_at)
      select 'k:lost', 'UNRESOLVED', owner, request_hash, broker, account, trading_day, 'lost', symbol, exchange, side, order_type, product, quantity, price, started_at, now()
      from idempotency_records limit 1`;
    await sql`insert into tsm_events (kind, key) values ('order.sending', 'k:lost')`;
    await sql`insert into equity_points (broker, account, trading_day, at, realised)
      select broker, account, trading_day, started_at, 1 from idempotency_records where key = 'k:lost'`;
    await sql`
      with made as (update tsm_orders set created_at = created_at - ${older} returning 1)
      update order_details set created_at = created_at - ${older}, trading_day = ${day('trading_day')}`;
    await sql`update trade_history set traded_at = traded_at - ${older}, trading_day = ${day('trading_day')}`;
    await sql`update equity_points set at = at - ${older}, trading_day = ${day('trading_day')}`;
    await sql`update tsm_positions set opened_at = opened_at - ${older}, closed_at = closed_at - ${older}`;
    await sql`update tsm_events set at = at - ${older}`;
  } finally {
    await sql.end();
  }
}
