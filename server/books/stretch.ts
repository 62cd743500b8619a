import type { TransactionSql } from 'postgres';
import type { Execution } from './fill.ts';
import { dayBegan, rowsOf } from './rebook-store.ts';
import { type Held, type Scope, scopeKey } from './scope.ts';

/** How far back the rows of a place matter, by their ids, which rise with the day. */
export interface Stretch extends Scope {
  /** The first row whose executions count: after the last one a reconciliation closed, and from the last one it set. Infinity: there is none. */
  live: number;
  /** The first one a change can touch. */
  first: number;
}

/**
 * Looks back from the end of each place's day to where its rows begin to matter when the executions `added` come. A row is sure when orders closed it,
 * the exchange's own trades alone are in it, and its multiplier is the one that holds: then it was computed when the last of them came, and sure rows lie
 * one after the other. Rows before `first` are sure, and lie before all that is added and all that is in rows which are not.
 */
export async function stretchesOf(
  tx: TransactionSql,
  who: Held,
  places: readonly Scope[],
  added: readonly Execution[],
  now: number,
): Promise<Stretch[]> {
  if (places.length === 0) return [];
  const coming = Map.groupBy(added, scopeKey);
  const asked = places.map((scope) => {
    const times = coming.get(scopeKey(scope))?.map(({ at }) => at / 1000) ?? [];
    return { ...scope, coming: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null };
  });
  const found = await tx<{ key: string; live: number; settled: number | null }[]>`
    with asked as materialized (
      select s.exchange || '|' || s.symbol || '|' || s.style as key, s.*, m.multiplier
      from jsonb_to_recordset(${rowsOf(tx, asked)}) as s(exchange text, symbol text, style text, coming float8)
      left join instrument_multipliers m on m.broker = ${who.broker} and m.exchange = s.exchange and m.symbol = s.symbol
    ), line as materialized (
      select s.key, p.id, p.closed_at, p.status = 'CLOSED' and p.exit_reason is distinct from 'ORDER' as barred,
        coalesce((d.base ->> 'fixed')::boolean, false) as fixed,
        p.status = 'CLOSED' and d.multiplier = coalesce(s.multiplier, d.multiplier) and p.id not in (
          select position_id from trade_history
          where derived and not frozen and broker = ${who.broker} and account = ${who.account} and position_id is not null
        ) as sure
      from asked s
      join tsm_positions p on p.broker = ${who.broker} and p.exchange = s.exchange and p.symbol = s.symbol and p.style = s.style
        and (p.status = 'OPEN' or p.closed_at >= to_timestamp(${dayBegan(now)}))
      join position_details d on d.position_id = p.id and d.account = ${who.account}
    ), unsure as (
      select key, min((select min(traded_at) from trade_history t where t.position_id = line.id and not t.frozen)) as began
      from line where not sure group by key
    )
    select key, greatest(min(line.id), max(line.id) filter (where barred) + 1, max(line.id) filter (where fixed)) as live,
      max(line.id) filter (where sure and closed_at <= coalesce(unsure.began, 'infinity')
        and closed_at < coalesce(to_timestamp(asked.coming), 'infinity')) as settled
    from line join asked using (key) left join unsure using (key) group by key`;
  const byKey = new Map(found.map((row) => [row.key, row]));
  return places.map((scope) => {
    const { live, settled } = byKey.get(scopeKey(scope)) ?? { live: Infinity, settled: null };
    return { ...scope, live, first: Math.max(live, (settled ?? 0) + 1) };
  });
}
