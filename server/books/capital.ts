import { and, eq, gt, isNull, notExists, sql } from 'drizzle-orm';
import { accounts, capital, events, positionDetails, positions } from '../../drizzle/schema.ts';
import type { Db, Handle, Tx } from '../db/handle.ts';
import { instant } from '../db/rows.ts';
import { transaction } from '../db/transaction.ts';
import type { Big } from '../money.ts';
import type { AccountKey } from './keys.ts';
import { detailed, isOpenPosition, positionsOf } from './tables.ts';

const theAccount = ({ broker, account }: AccountKey) => and(eq(accounts.broker, broker), eq(accounts.account, account));

/** Notes that the books of an account have begun; nothing when they had. */
export async function beginAccount(tx: Tx, who: AccountKey, now: number): Promise<void> {
  const { broker, account } = who;
  await tx
    .insert(accounts)
    .values({ broker, account, began_at: instant(now) })
    .onConflictDoNothing();
}

/** Whether the books of an account have begun, and whether its capital is known. */
export async function accountBooks(db: Db, who: AccountKey): Promise<{ began: boolean; opened: boolean }> {
  const [row] = await db.select({ opening: accounts.opening }).from(accounts).where(theAccount(who));
  return { began: row !== undefined, opened: row !== undefined && row.opening !== null };
}

/**
 * Takes the funds a broker account has available (rupees, exact text) as its capital, once: what is free now, and what its open positions cost, less
 * the profit booked since. Adds it to total and available capital. False when the account's capital was known, its books have not begun, or a fill was
 * booked since the funds were asked for (epoch ms `askedAt`): they may or may not hold it, and are to be read again.
 */
export async function openCapital(db: Handle, who: AccountKey, available: string, askedAt: number): Promise<boolean> {
  const { broker, account } = who;
  return await transaction(db, async (tx) => {
    // Before the sums below: whoever books meanwhile waits here, and is not counted twice.
    await tx.select({ id: capital.id }).from(capital).where(eq(capital.id, 1)).for('update');
    const cost = sql`round(${positionDetails.open_cost} * ${positionDetails.multiplier}, 4)`;
    const net = sql`coalesce(sum(${cost}) filter (where ${isOpenPosition}), 0) - coalesce(sum(${positions.realized_pnl}), 0)`;
    const booked = tx.select({ net }).from(positions).innerJoin(positionDetails, detailed).where(positionsOf(who));
    const touched = tx
      .select({ id: positions.id })
      .from(positions)
      .innerJoin(positionDetails, detailed)
      .where(and(positionsOf(who), gt(positionDetails.touched_at, instant(askedAt))));
    const [opened] = await tx
      .update(accounts)
      .set({ funds: available, opening: sql`round(${available}::numeric, 4) + ${booked}` })
      .where(and(theAccount(who), isNull(accounts.opening), notExists(touched)))
      .returning({ opening: accounts.opening });
    if (!opened) return false;
    const opening = sql`${opened.opening}::numeric`;
    const { total_capital, available_capital, deployed_capital, realized_pnl } = capital;
    await Promise.all([
      tx
        .update(capital)
        .set({
          total_capital: sql`coalesce(${total_capital}, ${realized_pnl}) + ${opening}`,
          available_capital: sql`coalesce(${available_capital}, ${realized_pnl} - coalesce(${deployed_capital}, 0)) + ${opening}`,
          updated_at: sql`now()`,
        })
        .where(eq(capital.id, 1)),
      tx.insert(events).values({
        kind: 'capital.opened',
        broker,
        account,
        detail: sql`jsonb_build_object('available', ${available}::numeric, 'opening', ${opening})`,
      }),
    ]);
    return true;
  });
}

/**
 * What changes hands, in rupees: see docs/decisions/books.md. Totals that are not known stay unknown. Text that goes on with `from ... as change`, because
 * the prepared statement that books a fill (record-fill.ts) has it too.
 */
export const CAPITAL_MOVES = `
  update tsm_capital set
    deployed_capital = coalesce(deployed_capital, 0) + change.deployed,
    available_capital = available_capital - change.deployed + change.profit,
    total_capital = total_capital + change.profit,
    realized_pnl = realized_pnl + change.profit, updated_at = now()`;

export async function moveCapital(tx: Tx, deployed: Big, profit: Big): Promise<void> {
  await tx.execute(sql`${sql.raw(CAPITAL_MOVES)}
    from (select ${deployed.toFixed(4)}::numeric as deployed, ${profit.toFixed(4)}::numeric as profit) as change where ${capital.id} = 1`);
}
