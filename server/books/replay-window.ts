import type { TransactionSql } from 'postgres';
import { among } from './fill.ts';
import { type AccountKey, keyText, type PositionKey } from './keys.ts';
import type { Rebooking } from './rebook.ts';
import { dayBegan, rowsOf } from './rebook-store.ts';

/** How far back the rows of a position matter, by their ids, which rise with the day. */
export interface Stretch extends PositionKey {
  /** The first row whose executions count: after the last one a reconciliation closed, and from the last one it set. Infinity: there is none. */
  live: number;
  /** The first one a change can touch. */
  first: number;
}

/**
 * Looks back from the end of each position's day to where its rows begin to matter when executions are `added` and others `removed` (trade_history ids).
 * Rows before `first` stay what they are: orders closed them, their multiplier is the one that holds, nothing is taken from them, and all their
 * executions lie before all others, those that are added too.
 */
export async function stretchesOf(
  tx: TransactionSql,
  who: AccountKey,
  keys: readonly PositionKey[],
  { added, removed }: Pick<Rebooking, 'added' | 'removed'>,
  now: number,
): Promise<Stretch[]> {
  if (keys.length === 0) return [];
  const coming = Map.groupBy(added, keyText);
  const asked = keys.map((key) => {
    const times = coming.get(keyText(key))?.map(({ at }) => at / 1000) ?? [];
    return { ...key, coming: times.length > 0 ? times.reduce((a, b) => Math.min(a, b)) : null };
  });
  const found = await tx<{ key: string; live: number; untouched: number | null }[]>`
    with asked as materialized (
      select s.exchange || '|' || s.symbol || '|' || s.style as key, s.*, coalesce(to_timestamp(s.coming), 'infinity') as added, m.multiplier
      from jsonb_to_recordset(${rowsOf(tx, asked)}) as s(exchange text, symbol text, style text, coming float8)
      left join instrument_multipliers m on m.broker = ${who.broker} and m.exchange = s.exchange and m.symbol = s.symbol
    ), line as (
      select s.key, s.added, p.id, p.status = 'CLOSED' and p.exit_reason is distinct from 'ORDER' as barred,
        coalesce((d.base ->> 'fixed')::boolean, false) as fixed, p.opened_at, p.closed_at,
        p.id in (
          select position_id from trade_history
          where derived and not frozen and broker = ${who.broker} and account = ${who.account} and position_id is not null
        ) as unconfirmed,
        p.status = 'OPEN' or d.multiplier <> coalesce(s.multiplier, d.multiplier)
          or p.id in (select position_id from trade_history where id in ${among(tx, removed ?? [])} and position_id is not null) as touched
      from asked s
      join tsm_positions p on p.broker = ${who.broker} and p.exchange = s.exchange and p.symbol = s.symbol and p.style = s.style
        and (p.status = 'OPEN' or p.closed_at >= to_timestamp(${dayBegan(now)}))
      join position_details d on d.position_id = p.id and d.account = ${who.account}
    ), timed as (
      -- What no trade confirmed was booked as it was heard, which is not always the order of time.
      select *, case when unconfirmed then (select min(traded_at) from trade_history where position_id = line.id and not frozen) else opened_at end as began,
        case when unconfirmed then (select max(traded_at) from trade_history where position_id = line.id and not frozen) else closed_at end as ended
      from line
    ), marked as (
      select *, bool_or(touched) over so_far as reached, max(ended) over so_far as last,
        min(began) over (partition by key order by id desc rows between unbounded preceding and 1 preceding) as next
      from timed window so_far as (partition by key order by id)
    )
    select key, greatest(min(id), max(id) filter (where barred) + 1, max(id) filter (where fixed)) as live,
      max(id) filter (where not reached and last < added and (next is null or last <= next)) as untouched
    from marked group by key`;
  const byKey = new Map(found.map((row) => [row.key, row]));
  return keys.map((key) => {
    const { live, untouched } = byKey.get(keyText(key)) ?? { live: Infinity, untouched: null };
    return { ...key, live, first: Math.max(live, (untouched ?? 0) + 1) };
  });
}
