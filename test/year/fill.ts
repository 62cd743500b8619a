import type { Sql } from 'postgres';

/** How a column of a copied row differs; the others are the same. `n` counts the days back. */
type Change = 'instant' | 'day' | 'name' | 'id';

interface Copied {
  table: string;
  columns: Readonly<Record<string, Change>>;
  /** Which rows are copied; all unless given. */
  where?: string;
  /** Whether the gateway would still hold the copy. */
  stays?: string;
}

/** Trading days, five a week, as calendar days. */
const BACK = "(n + 2 * (n / 5)) * interval '1 day'";

const copied: readonly Copied[] = [
  { table: 'tsm_events', columns: { id: 'id', at: 'instant', key: 'name', order_id: 'name' }, where: 'id >= 10000000' },
  { table: 'tsm_orders', columns: { order_id: 'name', created_at: 'instant', updated_at: 'instant' } },
  { table: 'order_details', columns: { order_id: 'name', created_at: 'instant', trading_day: 'day' } },
  {
    table: 'tsm_positions',
    columns: { id: 'id', entry_order_id: 'name', sl_order_id: 'name', opened_at: 'instant', closed_at: 'instant', updated_at: 'instant' },
    where: "status = 'CLOSED'",
  },
  {
    table: 'position_details',
    columns: { position_id: 'id', touched_at: 'instant' },
    where: "position_id in (select id from tsm_positions where status = 'CLOSED')",
  },
  {
    table: 'trade_history',
    columns: { id: 'id', order_id: 'name', trade_id: 'name', trading_day: 'day', traded_at: 'instant', position_id: 'id' },
  },
  { table: 'trade_learning', columns: { id: 'id', position_id: 'id', opened_at: 'instant', closed_at: 'instant' } },
  { table: 'equity_points', columns: { trading_day: 'day', at: 'instant' } },
  {
    table: 'idempotency_records',
    columns: {
      key: 'name',
      tag: 'name',
      order_id: 'name',
      trading_day: 'day',
      started_at: 'instant',
      resolved_at: 'instant',
      expires_at: 'instant',
      updated_at: 'instant',
    },
    // Once its answer is replayed no more, a record is deleted.
    stays: `t.expires_at - ${BACK} > now()`,
  },
];

/** Numbers that leave room for a year of rows before those of the first day. */
export const FIRST = 10_000_000;
/** So many numbers lie between a row and its copy of the day before. */
const SPAN = 30_000;
const SEQUENCES = ['tsm_events_id_seq', 'tsm_positions_id_seq', 'trade_history_id_seq', 'trade_learning_id_seq'];

/** To be called before the first order. */
export async function makeRoom(sql: Sql): Promise<void> {
  for (const name of SEQUENCES) await sql`select setval(${name}::regclass, ${FIRST})`;
}

function copyOf(name: string, change: Change | undefined): string {
  const column = `t."${name}"`;
  if (change === 'instant') return `${column} - ${BACK}`;
  if (change === 'day') return `to_char(${column}::date - ${BACK}, 'YYYY-MM-DD')`;
  // As long as it was, so that the copy takes the same room.
  if (change === 'name')
    return `case when ${column} <> '' then overlay(${column} placing lpad(to_hex(n), 3, 'x') from greatest(1, length(${column}) / 2) for 3) end`;
  if (change === 'id') return `${column} - n * ${SPAN}`;
  return column;
}

/** Copies the day that a gateway has written, so often that `days` days stand, oldest first. Throws where a copy is not of the size of its row. */
export async function multiply(sql: Sql, days: number): Promise<void> {
  await sql`set synchronous_commit = off`;
  await sql`set work_mem = '256MB'`;
  for (const { table, columns, where = 'true', stays = 'true' } of copied) {
    const names = (
      await sql<{ name: string }[]>`
      select column_name as name from information_schema.columns where table_name = ${table} order by ordinal_position`
    ).map(({ name }) => name);
    const sizeOfRow = async () => {
      const [row] = await sql.unsafe<{ size: number }[]>(`select avg(pg_column_size(t.*))::float8 as size from ${table} t where ${where}`);
      return row?.size ?? Number.NaN;
    };
    const one = await sizeOfRow();
    await sql.unsafe(
      `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) select ${names.map((name) => copyOf(name, columns[name])).join(', ')}
       from generate_series(1, ${days - 1}) n, (select * from ${table} where ${where}) t where ${stays} order by n desc`,
    );
    const ratio = (await sizeOfRow()) / one;
    if (Math.abs(ratio - 1) > 0.05) throw new Error(`${table}: a copied row takes ${ratio} times the room of the gateway's own`);
  }
  await sql`vacuum analyze`;
}
