import type { Sql } from 'postgres';
import { findInstrument } from '../../server/exchange/instruments.ts';
import type { Ledger } from '../../server/exchange/summary.ts';
import type { Trade } from '../../server/exchange/types.ts';

/** Exact fractions of money: nothing here shares arithmetic with the books. */
interface Fraction {
  top: bigint;
  bottom: bigint;
}

const zero: Fraction = { top: 0n, bottom: 1n };

function plus(a: Fraction, b: Fraction): Fraction {
  const [top, bottom] = [a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom];
  const shared = commonDivisor(top, bottom);
  return { top: top / shared, bottom: bottom / shared };
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? (a < 0n ? -a : a) : commonDivisor(b, a % b);
}

function times(a: Fraction, top: bigint, bottom = 1n): Fraction {
  return { top: a.top * top, bottom: a.bottom * bottom };
}

/** Rupees; the text has at most eight places. */
function rupees(text: string): Fraction {
  const [whole = '0', part = ''] = text.split('.');
  return { top: BigInt(`${whole}${part.padEnd(8, '0')}`), bottom: 100_000_000n };
}

function numberOf(fraction: Fraction): number {
  return Number((fraction.top * 1_000_000n) / fraction.bottom) / 1_000_000;
}

/** One position from flat to flat, as the exchange's trades make it at average cost. */
interface Expected {
  place: string;
  side: string;
  qty: number;
  cost: Fraction;
  realized: Fraction;
  closedQuantity: number;
  multiplier: number;
}

export function expectedPositions(trades: readonly Omit<Trade, 'account' | 'at'>[]): Expected[] {
  const open = new Map<string, Expected>();
  const done: Expected[] = [];
  for (const trade of trades) {
    const place = `${trade.exchange}|${trade.symbol}|${trade.product}`;
    const price = rupees(trade.price);
    let left = trade.quantity;
    const standing = open.get(place);
    if (standing && standing.side !== trade.side) {
      const closing = Math.min(standing.qty, left);
      const share = times(standing.cost, BigInt(closing), BigInt(standing.qty));
      const sign = standing.side === 'BUY' ? 1n : -1n;
      const gain = times(plus(times(price, BigInt(closing)), times(share, -1n)), sign * BigInt(standing.multiplier));
      standing.realized = plus(standing.realized, gain);
      standing.cost = plus(standing.cost, times(share, -1n));
      standing.qty -= closing;
      standing.closedQuantity += closing;
      left -= closing;
      if (standing.qty === 0) {
        done.push(standing);
        open.delete(place);
      }
    }
    if (left === 0) continue;
    const grown = open.get(place);
    if (grown) {
      grown.qty += left;
      grown.cost = plus(grown.cost, times(price, BigInt(left)));
    } else {
      const multiplier = findInstrument(trade.exchange, trade.symbol)?.multiplier ?? 1;
      open.set(place, {
        place,
        side: trade.side,
        qty: left,
        cost: times(price, BigInt(left)),
        realized: zero,
        closedQuantity: 0,
        multiplier,
      });
    }
  }
  return [...done, ...open.values()];
}

interface Row {
  place: string;
  side: string;
  qty: number;
  status: string;
  entry_price: string | null;
  realized_pnl: string | null;
  closed_quantity: number;
}

const PAISA_HALF = 0.005;

/** Holds the books of one account against the exchange's ledger; every difference is one line. */
export async function judgeBooks(
  sql: Sql,
  account: string,
  ledger: Ledger,
  capital: { funds: number; before: Capital },
): Promise<string[]> {
  const expected = expectedPositions(ledger.trades);
  const wrong = [
    ...(await judgePositions(sql, account, expected)),
    ...(await judgeTrades(sql, account, ledger)),
    ...(await judgeOrders(sql, account, ledger)),
  ];
  const deployed = expected.reduce((sum, one) => plus(sum, times(one.cost, BigInt(one.multiplier))), zero);
  const realized = expected.reduce((sum, one) => plus(sum, one.realized), zero);
  const now = await readCapital(sql);
  const { before, funds } = capital;
  const should = {
    total: before.total + funds + numberOf(realized),
    available: before.available + funds + numberOf(realized) - numberOf(deployed),
    deployed: before.deployed + numberOf(deployed),
    realized: before.realized + numberOf(realized),
  };
  for (const name of ['total', 'available', 'deployed', 'realized'] as const) {
    // Each of some hundred rows may be rounded at the fourth place; the record adds up the accounts of a whole run.
    if (Math.abs(now[name] - should[name]) > PAISA_HALF + 1e-9 * Math.abs(now[name]))
      wrong.push(`capital ${name}: ${now[name]}, ledger ${should[name]}`);
  }
  return wrong;
}

/** Every difference between an account's position rows and what they should be, a line each. */
export async function judgePositions(sql: Sql, account: string, expected: readonly Expected[]): Promise<string[]> {
  const rows = await sql<Row[]>`
    select p.exchange || '|' || p.symbol || '|' || p.style as place, p.side, p.qty, p.status, p.entry_price, p.realized_pnl, d.closed_quantity
    from tsm_positions p join position_details d on d.position_id = p.id where d.account = ${account} order by p.id`;
  const wrong: string[] = [];
  const ours = Map.groupBy(rows, (row) => row.place);
  const theirs = Map.groupBy(expected, (one) => one.place);
  for (const place of new Set([...ours.keys(), ...theirs.keys()])) {
    const [have, want] = [ours.get(place) ?? [], theirs.get(place) ?? []];
    if (have.length !== want.length) wrong.push(`${place}: ${have.length} positions, ledger ${want.length}: ${JSON.stringify(have)}`);
    for (const [index, one] of want.entries()) {
      const row = have[index];
      if (row) wrong.push(...compare(row, one).map((text) => `${place} #${index + 1}: ${text}`));
    }
  }
  return wrong;
}

function compare(row: Row, want: Expected): string[] {
  const wrong: string[] = [];
  const say = (what: string, is: unknown, should: unknown) => wrong.push(`${what} ${is}, ledger ${should}`);
  if (row.side !== want.side) say('side', row.side, want.side);
  if (Number(row.qty) !== want.qty) say('quantity', row.qty, want.qty);
  if (row.status !== (want.qty > 0 ? 'OPEN' : 'CLOSED')) say('status', row.status, want.qty);
  if (Number(row.closed_quantity) !== want.closedQuantity) say('closed', row.closed_quantity, want.closedQuantity);
  const realized = numberOf(want.realized);
  if (Math.abs(Number(row.realized_pnl ?? 0) - realized) > PAISA_HALF) say('realised', row.realized_pnl, realized);
  if (want.qty > 0) {
    const average = numberOf(times(want.cost, 1n, BigInt(want.qty)));
    if (row.entry_price === null || Math.abs(Number(row.entry_price) - average) > 0.0001) say('average', row.entry_price, average);
  }
  return wrong;
}

async function judgeTrades(sql: Sql, account: string, ledger: Ledger): Promise<string[]> {
  const rows = await sql<{ trade_id: string; quantity: number; price: string; derived: boolean }[]>`
    select trade_id || ' of ' || order_id || ' of ' || trading_day as trade_id, quantity, price, derived from trade_history where account = ${account}`;
  const derived = rows.filter((row) => row.derived).length;
  const wrong = derived > 0 ? [`${derived} trades are still derived`] : [];
  const want = new Map(ledger.trades.map((trade) => [trade.tradeId, `${trade.quantity} at ${Number(trade.price)}`]));
  for (const row of rows) {
    const should = want.get(row.trade_id);
    const is = `${row.quantity} at ${Number(row.price)}`;
    if (is !== should) wrong.push(`trade ${row.trade_id}: ${is}, ledger ${should}`);
    want.delete(row.trade_id);
  }
  for (const [id, text] of want) wrong.push(`trade ${id} (${text}) is not in the history`);
  return wrong;
}

const words: Readonly<Record<string, string>> = { FILLED: 'FILLED', CANCELLED: 'CANCELLED', EXPIRED: 'CANCELLED', REJECTED: 'REJECTED' };

async function judgeOrders(sql: Sql, account: string, ledger: Ledger): Promise<string[]> {
  const rows = await sql<{ order_id: string; status: string; filled_quantity: number; external: boolean }[]>`
    select o.order_id || ' of ' || d.trading_day as order_id, o.status, o.filled_quantity, d.external
    from tsm_orders o join order_details d using (broker, order_id, created_at)
    where d.account = ${account}`;
  const byId = new Map(rows.map((row) => [row.order_id, row]));
  return ledger.orders.flatMap((order) => {
    const row = byId.get(order.orderId);
    if (!row) return [`order ${order.orderId} is not recorded`];
    const status = words[order.status] ?? (order.filled > 0 ? 'PARTIALLY_FILLED' : 'PLACED');
    const is = `${row.status} ${row.filled_quantity} ${row.external ? 'external' : 'ours'}`;
    const should = `${status} ${order.filled} ${order.byHand ? 'external' : 'ours'}`;
    return is === should ? [] : [`order ${order.orderId}: ${is}, ledger ${should}`];
  });
}

export interface Capital {
  total: number;
  available: number;
  deployed: number;
  realized: number;
}

export async function readCapital(sql: Sql): Promise<Capital> {
  const [row] = await sql<Record<keyof Capital, string>[]>`
    select coalesce(total_capital, 0)::text as total, coalesce(available_capital, 0)::text as available, coalesce(deployed_capital, 0)::text as deployed,
      realized_pnl::text as realized from tsm_capital where id = 1`;
  if (!row) throw new Error('no capital record');
  return { total: Number(row.total), available: Number(row.available), deployed: Number(row.deployed), realized: Number(row.realized) };
}
