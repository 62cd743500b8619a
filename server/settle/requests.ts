import { and, eq, gt, isNull, lt, ne, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { orderRequests } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';

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

const { id: requestId, asked: askedText, answer: answerText, taken_by, asked_at, expires_at } = orderRequests;

/** Writes a request down; a second time changes nothing, so that it may be repeated when the first was not acknowledged. */
export async function writeRequest(db: Db, id: string, asked: Asked): Promise<void> {
  const request = { id, asked: JSON.stringify(asked), expires_at: sql`now() + ${OPEN_MS}::int * interval '1 ms'` };
  await db.insert(orderRequests).values(request).onConflictDoNothing({ target: requestId });
}

/** How a request stands; null: it is not there. `over`: nobody took it, and nobody will. */
export async function readRequest(db: Db, id: string): Promise<{ answer: Answer | null; over: boolean } | null> {
  const over = sql<boolean>`${taken_by} is null and ${expires_at} <= now()`;
  const [row] = await db.select({ answer: answerText, over }).from(orderRequests).where(eq(requestId, id));
  return row ? { answer: row.answer === null ? null : Answer.parse(JSON.parse(row.answer)), over: row.over } : null;
}

export async function removeRequest(db: Db, id: string): Promise<void> {
  await db.delete(orderRequests).where(eq(requestId, id));
}

/** The oldest request that waits, which is `owner`'s from then on. One of its own that stands without an answer is one whose taking was not acknowledged. */
export async function takeRequest(db: Db, owner: string): Promise<{ id: string; asked: string } | null> {
  const open = and(isNull(taken_by), gt(expires_at, sql`now()`));
  const waiting = db
    .select({ id: requestId })
    .from(orderRequests)
    .where(and(isNull(answerText), or(eq(taken_by, owner), open)))
    .orderBy(asked_at)
    .limit(1)
    .for('update', { skipLocked: true });
  const [row] = await db
    .update(orderRequests)
    .set({ taken_by: owner })
    .where(sql`${requestId} = ${waiting}`)
    .returning({ id: requestId, asked: askedText });
  return row ?? null;
}

export async function answerRequest(db: Db, id: string, answer: Answer): Promise<void> {
  const left = and(lt(expires_at, sql`now() - ${KEPT_MS}::int * interval '1 ms'`), ne(requestId, id));
  const gone = db.$with('gone').as(db.delete(orderRequests).where(left));
  await db
    .with(gone)
    .update(orderRequests)
    .set({ answer: JSON.stringify(answer) })
    .where(eq(requestId, id));
}
