import type { Sql, TransactionSql } from 'postgres';
import { transaction } from '../db/transaction.ts';
import type { AccountKey } from './keys.ts';

/** Notes that the books of an account have begun; nothing when they had. */
export async function beginAccount(tx: TransactionSql, who: AccountKey, now: number): Promise<void> {
  await tx`
    insert into book_accounts (broker, account, began_at)
    select ${who.broker}, ${who.account}, to_timestamp(${now / 1000})
    where not exists (select 1 from book_accounts where broker = ${who.broker} and account = ${who.account})
    on conflict do nothing`;
}

/** Whether the books of an account have begun, and whether its capital is known. */
export async function accountBooks(sql: Sql, who: AccountKey): Promise<{ began: boolean; opened: boolean }> {
  const [row] = await sql<{ opened: boolean }[]>`
    select opening is not null as opened from book_accounts where broker = ${who.broker} and account = ${who.account}`;
  return { began: row !== undefined, opened: row?.opened ?? false };
}

/**
 * Takes the funds a broker account has available (rupees, exact text) as its capital, once: what is free now, and what its open positions cost, less
 * the profit booked since. Adds it to total and available capital. False when the account's capital was known, its books have not begun, or a fill was
 * booked since the funds were asked for (epoch ms `askedAt`): they may or may not hold it, and are to be read again.
 */
export async function openCapital(sql: Sql, who: AccountKey, available: string, askedAt: number): Promise<boolean> {
  return await transaction(sql, async (tx) => {
    // Before the sums below: whoever books meanwhile waits here, and is not counted twice.
    await tx`select 1 from tsm_capital where id = 1 for update`;
    const opened = await tx`
      with booked as (
        select coalesce(sum(round(d.open_cost * d.multiplier, 4)) filter (where p.status = 'OPEN'), 0) - coalesce(sum(p.realized_pnl), 0) as net
        from tsm_positions p join position_details d on d.position_id = p.id where p.broker = ${who.broker} and d.account = ${who.account}
      ), opened as (
        update book_accounts set funds = ${available}::numeric, opening = round(${available}::numeric, 4) + (select net from booked)
        where broker = ${who.broker} and account = ${who.account} and opening is null and not exists (
          select 1 from tsm_positions p join position_details d on d.position_id = p.id
          where p.broker = ${who.broker} and d.account = ${who.account} and d.touched_at > to_timestamp(${askedAt / 1000}))
        returning opening
      ), noted as (
        insert into tsm_events (kind, broker, account, detail)
        select 'capital.opened', ${who.broker}, ${who.account}, jsonb_build_object('available', ${available}::numeric, 'opening', opening) from opened
      )
      update tsm_capital set total_capital = coalesce(total_capital, realized_pnl) + opened.opening,
        available_capital = coalesce(available_capital, realized_pnl - coalesce(deployed_capital, 0)) + opened.opening, updated_at = now()
      from opened where id = 1 returning id`;
    return opened.length > 0;
  });
}
