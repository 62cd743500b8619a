import { and, desc, eq, gt, gte, lt, type SQL, sql } from 'drizzle-orm';
import type { EventList } from '../../contract/events.ts';
import { events } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { eventOf } from './event.ts';

/** What is looked for; numbers and moments bound it. Instants are ISO text with a zone. */
export interface EventQuery {
  after?: string | undefined;
  before?: string | undefined;
  kind?: string | undefined;
  symbol?: string | undefined;
  order_id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  limit?: string | undefined;
}

/** Numbers one page looks through: what is seldom found costs no more than this. */
const SPAN = 100_000;
/** An event is stamped when its transaction begins and numbered when it is written: so many at most come in another order. */
const DISORDER = 2000;

/** Whether a query asks for more than what comes after a number. */
export function isSearch({ after: _, limit: __, ...filters }: EventQuery): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** What a database takes for a moment: a zone may lead out of its years. */
const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');
const stamp = (instant: string) => new Date(Math.min(Math.max(Date.parse(instant), 0), lastMoment)).toISOString();

/** A page of the events up to the number `through` that fit: after a number the oldest first, else the newest. Rejects as the database does. */
export async function searchEvents(db: Db, query: EventQuery, through: number): Promise<EventList> {
  const most = Number(query.limit ?? 100);
  const [least, beyond] = await Promise.all([lowest(db, query, through), highest(db, query, through)]);
  const isUp = query.after !== undefined && query.before === undefined;
  // What one order was is found by its number, however long ago.
  const span = query.order_id === undefined ? SPAN : Number.MAX_SAFE_INTEGER;
  const low = isUp ? least : Math.max(least, beyond - 1 - span);
  const high = isUp ? Math.min(beyond, least + 1 + span) : beyond;
  const { id, at, kind, broker, account, symbol, order_id, detail } = events;
  const rows = await db
    .select({ id, at, kind, broker, account, symbol, order_id, detail })
    .from(events)
    .where(and(gt(id, low), lt(id, high), ...filtersOf(query)))
    .orderBy(isUp ? id : desc(id))
    .limit(most);
  const last = rows.at(-1)?.id;
  const isFull = rows.length === most && last !== undefined;
  const found = { success: true as const, events: rows.map(eventOf) };
  if (isUp) return { ...found, next: isFull ? last : Math.max(least, high - 1), before: null };
  return { ...found, next: rows[0]?.id ?? Math.max(least, 0), before: isFull ? last : low > least ? low + 1 : null };
}

function filtersOf({ kind, symbol, order_id, from, to }: EventQuery): (SQL | undefined)[] {
  return [
    kind === undefined ? undefined : sql`starts_with(${events.kind}, ${kind})`,
    symbol === undefined ? undefined : eq(events.symbol, symbol),
    order_id === undefined ? undefined : eq(events.order_id, order_id),
    from === undefined ? undefined : gte(events.at, stamp(from)),
    to === undefined ? undefined : lt(events.at, stamp(to)),
  ];
}

/** The number all that fits is above. */
async function lowest(db: Db, { after, from }: EventQuery, through: number): Promise<number> {
  const given = Number(after ?? 0);
  if (from === undefined) return given;
  const first = db
    .select({ id: events.id })
    .from(events)
    .where(gte(events.at, stamp(from)))
    .orderBy(events.at)
    .limit(DISORDER)
    .as('first');
  const [row] = await db.select({ id: sql<number | null>`min(${first.id})` }).from(first);
  return Math.max(given, row?.id == null ? through : row.id - 1);
}

/** The number all that fits is below. */
async function highest(db: Db, { before, to }: EventQuery, through: number): Promise<number> {
  const given = Math.min(Number(before ?? Number.MAX_SAFE_INTEGER), through + 1);
  if (to === undefined) return given;
  const last = db
    .select({ id: events.id })
    .from(events)
    .where(lt(events.at, stamp(to)))
    .orderBy(desc(events.at))
    .limit(DISORDER)
    .as('last');
  const [row] = await db.select({ id: sql<number | null>`max(${last.id})` }).from(last);
  return Math.min(given, Number(row?.id ?? 0) + 1);
}
