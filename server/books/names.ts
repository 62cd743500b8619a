import type { Sql } from 'postgres';
import type { Account } from '../brokers/account.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { AccountKey } from './keys.ts';
import { DETAILED } from './order-record.ts';

/** Gives a broker's rows the symbol under which our records hold the same instrument. */
export type Renaming = <Row extends InstrumentName>(rows: readonly Row[]) => Row[];

/**
 * An order may spell its instrument as its caller likes (where a broker trades by token, SBIN for what its rows call SBIN-EQ), and our records say
 * what the caller said: rows that the broker trades as the same instrument then go by our symbol. Of several, the one of the oldest open position
 * counts.
 */
export async function ourNames(sql: Sql, who: AccountKey, account: Account): Promise<Renaming> {
  const known = await sql<InstrumentName[]>`
    select exchange, token, symbol from (
      select p.exchange, d.token, p.symbol, 1 as rank, p.id from tsm_positions p join position_details d on d.position_id = p.id
      where p.status = 'OPEN' and p.broker = ${who.broker} and d.account = ${who.account}
      union all
      select o.exchange, d.token, o.symbol, 2, 0 from ${sql.unsafe(DETAILED)}
      where o.status in ('PLACED', 'PARTIALLY_FILLED') and o.broker = ${who.broker} and d.account = ${who.account} and not d.external
    ) held order by rank desc, id desc`;
  const ours = new Map(known.flatMap((one) => keyOf(account, one).map((key) => [key, one.symbol])));
  return (rows) => rows.map((row) => ({ ...row, symbol: keyOf(account, row).flatMap((key) => ours.get(key) ?? [])[0] ?? row.symbol }));
}

/** None where the name lacks what the broker trades by. */
function keyOf(account: Account, name: InstrumentName): string[] {
  const text = account.broker.traits.tradedBy(name);
  return text === null ? [] : [`${name.exchange}|${text}`];
}
