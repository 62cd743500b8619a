import type { Sql } from 'postgres';
import { z } from 'zod';

/** A request that is not taken within this time is never carried out, ms. */
const OPEN_MS = 15_000;
/** What nobody came back for is removed after this time, ms. */
const KEPT_MS = 3_600_000;

/** Rupees, exact: as many digits as a record holds and a number tells apart. */
export const priceText = /^\d{1,10}(\.\d{1,4})?$/;
/** An order id as brokers write them. */
export const orderIdText = /^[\x21-\x7e]{1,64}$/;

/** What a person may ask. `key` as listed, or the caller's own; `by` names the person. */
export const Asked = z.discriminatedUnion('command', [
  z.strictObject({ command: z.literal('list') }),
  z.strictObject({ command: z.literal('absent'), key: z.string(), reason: z.string(), by: z.string() }),
  z.strictObject({
    command: z.literal('filled'),
    key: z.string(),
    quantity: z.int().min(1),
    price: z.string().regex(priceText),
    orderId: z.string().regex(orderIdText).nullable(),
    reason: z.string(),
    by: z.string(),
  }),
]);
export type Asked = z.infer<typeof Asked>;

/** An order whose fate is not known. Instants are epoch ms, UTC; quantities and prices as in the journal. */
const Listed = z.object({
  key: z.string(),
  state: z.string(),
  startedAt: z.number(),
  tradingDay: z.string(),
  broker: z.string(),
  account: z.string(),
  exchange: z.string(),
  symbol: z.string(),
  product: z.string(),
  side: z.string(),
  quantity: z.number(),
  orderType: z.string(),
  price: z.string(),
  tag: z.string(),
  orderId: z.string(),
  candidates: z.array(z.string()),
  response: z.string().nullable(),
});
export type Listed = z.infer<typeof Listed>;

/** `told`: carried out, in words. `refused`: nothing was changed, or it says what was. */
export const Answer = z.union([
  z.strictObject({ orders: z.array(Listed) }),
  z.strictObject({ told: z.string() }),
  z.strictObject({ refused: z.string() }),
]);
export type Answer = z.infer<typeof Answer>;

/** Writes a request down; a second time changes nothing, so that it may be repeated when the first was not acknowledged. */
export async function writeRequest(sql: Sql, id: string, asked: Asked): Promise<void> {
  await sql`
    insert into order_requests (id, asked, expires_at) values (${id}, ${JSON.stringify(asked)}, now() + ${OPEN_MS}::int * interval '1 ms')
    on conflict (id) do nothing`;
}

/** How a request stands; null: it is not there. `over`: nobody took it, and nobody will. */
export async function readRequest(sql: Sql, id: string): Promise<{ answer: Answer | null; over: boolean } | null> {
  const [row] = await sql<{ answer: string | null; over: boolean }[]>`
    select answer, taken_by is null and expires_at <= now() as over from order_requests where id = ${id}`;
  return row ? { answer: row.answer === null ? null : Answer.parse(JSON.parse(row.answer)), over: row.over } : null;
}

export async function removeRequest(sql: Sql, id: string): Promise<void> {
  await sql`delete from order_requests where id = ${id}`;
}

/** The oldest request that waits, which is `owner`'s from then on. One of its own that stands without an answer is one whose taking was not acknowledged. */
export async function takeRequest(sql: Sql, owner: string): Promise<{ id: string; asked: string } | null> {
  const [row] = await sql<{ id: string; asked: string }[]>`
    update order_requests set taken_by = ${owner} where id = (
      select id from order_requests
      where answer is null and (taken_by = ${owner} or (taken_by is null and expires_at > now())) order by asked_at limit 1 for update skip locked
    ) returning id, asked`;
  return row ?? null;
}

export async function answerRequest(sql: Sql, id: string, answer: Answer): Promise<void> {
  await sql`
    with gone as (delete from order_requests where expires_at < now() - ${KEPT_MS}::int * interval '1 ms' and id <> ${id})
    update order_requests set answer = ${JSON.stringify(answer)} where id = ${id}`;
}
