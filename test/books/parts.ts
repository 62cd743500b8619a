import type { Sql } from 'postgres';
import type { OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { noDoubt } from '../../server/books/differences.ts';
import type { AccountKey } from '../../server/books/keys.ts';
import { tradingDay } from '../../server/clock.ts';
import type { Handle } from '../../server/db/handle.ts';
import type { Attempt } from '../../server/journal/attempt.ts';
import { PostgresJournal } from '../../server/journal/postgres-journal.ts';
import { attempt } from '../journal/parts.ts';
import { orderRow, START } from '../orders/parts.ts';

export { orderRow, START };

export const who: AccountKey = { broker: 'zerodha', account: 'AB1234', mode: 'practice' };
/** Later than the 5 s in which a row is left alone. */
export const LATER = START + 60_000;

export function positionRow(change: Partial<PositionRow> = {}): PositionRow {
  return {
    symbol: 'SBIN',
    token: '779521',
    exchange: 'NSE',
    product_type: 'INTRADAY',
    net_quantity: 10,
    average_price: 800,
    last_price: 801,
    realized_pnl: 0,
    unrealized_pnl: 0,
    multiplier: 1,
    ...change,
  };
}

export function tradeRow(change: Partial<TradeRow> = {}): TradeRow {
  return {
    trade_id: '1',
    order_id: '1001',
    symbol: 'SBIN',
    token: '779521',
    exchange: 'NSE',
    transaction_type: 'BUY',
    product_type: 'INTRADAY',
    quantity: 10,
    price: 800,
    traded_at: new Date(START).toISOString(),
    ...change,
  };
}

export const nothing = { holdings: null, trades: null, waiting: [], doubt: noDoubt };

/** An order of ours that filled, as the order desk records it; told again, its record goes on from where it stands. */
export async function filled(
  db: Handle,
  row: Partial<OrderRow>,
  at = START,
  mine: Partial<AccountKey> = {},
  change: Partial<Attempt> = {},
): Promise<void> {
  const told = orderRow({ filled_quantity: 10, average_price: 800, status: 'FILLED', token: '779521', ...row });
  const { order_id, token, transaction_type, order_type, product_type, filled_quantity, average_price, status } = told;
  const { broker, account, mode } = { ...who, ...mine };
  const { symbol, exchange, quantity } = told;
  const names = { broker, account, symbol, exchange, side: transaction_type, orderType: order_type, product: product_type };
  const day = tradingDay(at);
  const fresh = attempt({ key: `${account}:${day}:${order_id}`, ...names, token, quantity, tradingDay: day, startedAt: at, ...change });
  const journal = new PostgresJournal(db, mode);
  const standing = (await journal.begin(fresh, { kind: 'order.sending' }, at)) ?? fresh;
  const truth = {
    orderId: order_id,
    status,
    filledQuantity: filled_quantity,
    averagePrice: average_price,
    ...(token !== null && { token }),
  };
  await journal.move(standing, 'DONE', { orderId: order_id }, { kind: 'order.done' }, at, truth);
}

export function openPositions(sql: Sql) {
  return sql`
    select p.symbol, p.style, p.side, p.qty, p.entry_price, p.realized_pnl, d.account, d.multiplier
    from tsm_positions p join position_details d on d.position_id = p.id where p.status = 'OPEN' order by p.symbol, p.style`;
}

export function events(sql: Sql, like: string) {
  return sql`select kind, symbol, detail from tsm_events where kind like ${like} order by id`;
}

/** What can be written in the books, as PostgreSQL keeps it: every row with the transaction that wrote it last. */
export async function fingerprint(sql: Sql, { events = true } = {}): Promise<string> {
  const tables = [
    'tsm_orders',
    'order_details',
    'tsm_positions',
    'position_details',
    'tsm_capital',
    'trade_history',
    'trade_learning',
    ...(events ? ['tsm_events'] : []),
    'book_accounts',
    'instrument_multipliers',
  ];
  const rows = await Promise.all(
    tables.map(
      (table) =>
        sql`select count(*)::text as count, coalesce(string_agg(xmin::text || ctid::text, ',' order by ctid), '') as rows from ${sql(table)}`,
    ),
  );
  return tables.map((table, index) => `${table} ${rows[index]?.[0]?.count} ${rows[index]?.[0]?.rows}`).join('\n');
}

/** Total is available and deployed, deployed is what the open rows cost, and realised is what the rows realised. */
export async function imbalance(sql: Sql): Promise<string[]> {
  const [row] = await sql<Record<string, string>[]>`
    select total_capital - available_capital - deployed_capital as split,
      deployed_capital - (select coalesce(sum(round(d.open_cost * d.multiplier, 4)), 0) from tsm_positions p join position_details d on d.position_id = p.id
        where p.status = 'OPEN') as deployed,
      realized_pnl - (select coalesce(sum(realized_pnl), 0) from tsm_positions) as realized
    from tsm_capital where id = 1`;
  return Object.entries(row ?? {}).flatMap(([name, value]) => (value === null || Number(value) === 0 ? [] : [`${name} ${value}`]));
}
