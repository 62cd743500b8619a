import type { Sql, TransactionSql } from 'postgres';
import type { HoldingRow, PositionRow } from '../brokers/broker.ts';

/** Rows touched this recently may know a fill the broker's positions do not show yet. */
const FRESH_S = 5;

export interface Held {
  broker: string;
  account: string;
  mode: string;
}

export interface Correction {
  kind: 'closed' | 'adopted' | 'corrected';
  exchange: string;
  symbol: string;
  style: string;
  believed: number;
  held: number;
}

interface OpenRow {
  id: number;
  exchange: string;
  symbol: string;
  style: string;
  side: string;
  qty: number;
  fresh: boolean;
}

/**
 * Makes the broker's positions ours: rows it no longer holds are closed, positions we do not know adopted, quantities corrected, each with an event.
 * Only rows of this broker and account. DELIVERY rows missing from the positions are looked for in the holdings, and left alone when those could not be read (null).
 * Sends nothing; a second run writes nothing.
 */
export async function reconcilePositions(
  sql: Sql,
  who: Held,
  positions: readonly PositionRow[],
  holdings: readonly HoldingRow[] | null,
): Promise<Correction[]> {
  return await sql.begin(async (tx) => {
    const open = await tx<OpenRow[]>`
      select p.id, p.exchange, p.symbol, p.style, p.side, p.qty, p.updated_at > now() - make_interval(secs => ${FRESH_S}) as fresh
      from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${who.broker} and d.account = ${who.account} for update of p`;
    const corrections: Correction[] = [];
    for (const row of open.filter((one) => !one.fresh)) {
      const correction = await settleRow(tx, row, positions, holdings);
      if (correction) corrections.push(correction);
    }
    for (const held of positions.filter((one) => one.net_quantity !== 0)) {
      if (open.some((row) => sameRow(row, held))) continue;
      await adopt(tx, who, held);
      corrections.push({ kind: 'adopted', ...nameOf(held), believed: 0, held: held.net_quantity });
    }
    for (const correction of corrections) await noteCorrection(tx, who, correction);
    return corrections;
  });
}

function sameRow(row: OpenRow, held: PositionRow): boolean {
  return row.exchange === held.exchange && row.symbol === held.symbol && row.style === held.product_type;
}

function nameOf(held: PositionRow) {
  return { exchange: held.exchange, symbol: held.symbol, style: held.product_type };
}

async function settleRow(
  tx: TransactionSql,
  row: OpenRow,
  positions: readonly PositionRow[],
  holdings: readonly HoldingRow[] | null,
): Promise<Correction | null> {
  const believed = row.side === 'BUY' ? row.qty : -row.qty;
  const held = positions.find((one) => sameRow(row, one));
  const net = held?.net_quantity ?? 0;
  if (net === believed) return null;
  const about = { exchange: row.exchange, symbol: row.symbol, style: row.style, believed, held: net };
  if (net === 0 && row.style === 'DELIVERY' && row.side === 'BUY') {
    if (holdings === null) return null;
    const kept = holdings.find((one) => one.symbol === row.symbol)?.quantity ?? 0;
    if (kept >= row.qty) return null;
  }
  if (net === 0 || Math.sign(net) !== Math.sign(believed)) {
    await tx`update tsm_positions set status = 'CLOSED', exit_reason = 'NOT_HELD_AT_BROKER', closed_at = now(), updated_at = now() where id = ${row.id}`;
    return { kind: 'closed', ...about };
  }
  await tx`update tsm_positions set qty = ${Math.abs(net)}, updated_at = now() where id = ${row.id}`;
  return { kind: 'corrected', ...about };
}

async function adopt(tx: TransactionSql, who: Held, held: PositionRow): Promise<void> {
  const side = held.net_quantity > 0 ? 'BUY' : 'SELL';
  // Another account of this broker may have left its row open: it cannot be followed any more.
  await tx`
    update tsm_positions set status = 'CLOSED', exit_reason = 'ACCOUNT_CHANGED', closed_at = now(), updated_at = now()
    where status = 'OPEN' and broker = ${who.broker} and exchange = ${held.exchange} and symbol = ${held.symbol} and style = ${held.product_type}`;
  const [row] = await tx<{ id: number }[]>`
    insert into tsm_positions (symbol, broker, exchange, style, side, qty, entry_price, ltp, status, mode)
    values (${held.symbol}, ${who.broker}, ${held.exchange}, ${held.product_type}, ${side}, ${Math.abs(held.net_quantity)},
      ${held.average_price}, ${held.last_price}, 'OPEN', ${who.mode}) returning id`;
  if (!row) throw new Error('An adopted position was not written');
  await tx`insert into position_details (position_id, account, token, multiplier) values (${row.id}, ${who.account}, ${held.token}, ${held.multiplier})`;
}

async function noteCorrection(tx: TransactionSql, who: Held, correction: Correction): Promise<void> {
  const { kind, symbol, ...rest } = correction;
  await tx`
    insert into tsm_events (kind, broker, account, symbol, detail)
    values (${`position.${kind}`}, ${who.broker}, ${who.account}, ${symbol}, ${tx.json(rest)})`;
}
