import type { Broker, Listing, OrderRow, Sent } from '../brokers/broker.ts';
import type { Clock } from '../clock.ts';
import { textOf } from '../session/brokers.ts';
import { type Finding, failed, notTold, ok, type Said } from './findings.ts';
import { bookedAs, type OrderFacts } from './order-rows.ts';
import type { Step } from './report.ts';

/** So long an order may take to show in the book what was done to it. */
const SEEN_MS = 10_000;
const PAUSE_MS = 300;

export interface OrderParts extends OrderFacts {
  broker: Broker;
  clock: Clock;
  /** The price after the change, rupees. */
  changed: string;
  book(): Promise<Listing<OrderRow>>;
  /** Durable when it resolves. Nothing is sent before its step is written; where that fails, nothing is sent. */
  write(step: Step): Promise<void>;
  /** The person wants it over: the order is cancelled at once. */
  stopped(): boolean;
  found(finding: Finding): void;
}

/** What may still be open at the broker. */
export interface Open {
  /** Empty where the broker told none. */
  orderId: string;
  tag: string;
  /** Bought of it, as far as was seen. */
  filled: number;
}

/** Places one order, changes it, cancels it; each call is sent once. Returns what may still be open, null when nothing can be. */
export async function tryOrder(parts: OrderParts): Promise<Open | null> {
  const { found, broker, order, tag } = parts;
  const placed = await send(parts, 'place', () => broker.placeOrder(order, tag));
  found({ name: 'placing', ...sentText(placed, 'it was accepted') });
  if (placed.fate === 'rejected' || placed.fate === 'not_sent') return null;
  let row: OrderRow | null = null;
  try {
    row = await findAndChange(parts, placed);
  } catch (error) {
    found({ name: 'order under way', ...failed('it could not be followed', textOf(error)) });
  }
  return await cancel(parts, row?.order_id ?? placed.order_id, row);
}

async function findAndChange(parts: OrderParts, { order_id }: Sent): Promise<OrderRow | null> {
  const { found, clock, stopped } = parts;
  const placedAt = clock.now();
  const shown = await until(parts, order_id, () => true);
  found({ name: 'found by tag', ...tagText(shown, parts, order_id) });
  if (!shown) return null;
  found({ name: 'row of the order', ...bookedAs(shown, parts, placedAt) });
  if (parts.broker.ordersByTag) found({ name: 'look-up by tag', ...(await lookedUp(parts, shown.order_id)) });
  const resting = await until(parts, shown.order_id, ({ state }) => state !== 'TRANSIT');
  found({ name: 'rests at the exchange', ...restText(resting) });
  if (resting?.state !== 'OPEN' || stopped()) return resting ?? shown;
  return (await change(parts, resting)) ?? resting;
}

async function change(parts: OrderParts, { order_id }: OrderRow): Promise<OrderRow | null> {
  const { broker, changed, found } = parts;
  const sent = await send(parts, 'modify', () => broker.modifyOrder({ orderid: order_id, variety: 'NORMAL', price: changed }));
  found({ name: 'changing', ...sentText(sent, 'it was accepted') });
  if (sent.fate === 'rejected' || sent.fate === 'not_sent') return null;
  const price = Number(changed);
  const row = await until(parts, order_id, (each) => each.price === price && each.state === 'OPEN');
  const seen =
    row?.price === price ? ok('the order book shows the new price') : failed('the order book does not show the new price within 10 s');
  found({ name: 'change seen', ...seen });
  return row;
}

const final: readonly OrderRow['state'][] = ['FILLED', 'REJECTED', 'CANCELLED', 'EXPIRED'];

/** Once, whatever came before, unless the order is over already. */
async function cancel(parts: OrderParts, orderId: string, last: OrderRow | null): Promise<Open | null> {
  const { broker, found, tag } = parts;
  if (orderId === '') {
    found({
      name: 'cancelling',
      ...failed('the broker told no order id and the order is not in the book: it cannot be cancelled from here'),
    });
    return { orderId, tag, filled: 0 };
  }
  if (!last || !final.includes(last.state)) {
    const sent = await send(parts, 'cancel', () => broker.cancelOrder(orderId));
    found({ name: 'cancelling', ...sentText(sent, 'it was accepted') });
  }
  const row = await until(parts, orderId, ({ state }) => final.includes(state)).catch(() => null);
  found({ name: 'end of the order', ...endText(row) });
  return row && final.includes(row.state) && row.filled_quantity === 0 ? null : { orderId, tag, filled: row?.filled_quantity ?? 0 };
}

function endText(row: OrderRow | null): Said {
  if (!row || !final.includes(row.state)) return failed('the order book does not show that it is over within 10 s');
  if (row.filled_quantity > 0) return failed('some of it was BOUGHT before it ended', `${row.filled_quantity}`);
  return row.state === 'CANCELLED' ? ok('CANCELLED, and nothing was bought') : failed(`it ended as ${row.state}, and nothing was bought`);
}

/** Writes the step, sends, writes the answer. What the adapter throws leaves open whether it was sent. */
async function send({ write, clock }: OrderParts, call: Step['call'], go: () => Promise<Sent>): Promise<Sent & { ms: number }> {
  try {
    await write({ call, fate: 'sending' });
  } catch (error) {
    const message = `nothing was sent, because the report cannot be written: ${textOf(error)}`;
    return { fate: 'not_sent', order_id: '', message, ms: 0 };
  }
  const began = clock.mono();
  const sent = await go().catch((error: unknown): Sent => ({ fate: 'unknown', order_id: '', message: textOf(error) }));
  const ms = Math.round(clock.mono() - began);
  // What is on disk says `sending`, which is true enough, where this fails.
  await write({ call, fate: sent.fate }).catch(() => undefined);
  return { ...sent, ms };
}

function sentText({ fate, message, ms }: Sent & { ms: number }, accepted: string): Said {
  if (fate === 'accepted') return ok(`${accepted} after ${ms} ms`);
  const says = {
    rejected: 'the broker refused it',
    not_sent: 'it was not sent',
    unknown: 'the answer leaves open whether it was done',
  };
  return failed(says[fate], message);
}

/** The row of the order once `wanted` is true of it; after 10 s as it was last seen, null when it was not. */
async function until(parts: OrderParts, orderId: string, wanted: (row: OrderRow) => boolean): Promise<OrderRow | null> {
  const { clock, book } = parts;
  const end = clock.mono() + SEEN_MS;
  for (let last: OrderRow | null = null; ; ) {
    const read = await book();
    const rows = read.success ? read.normalized : [];
    last = rows.find((row) => isTagged(row, parts.tag)) ?? rows.find(({ order_id }) => orderId !== '' && order_id === orderId) ?? last;
    if ((last && wanted(last)) || clock.mono() >= end) return last;
    await clock.sleep(PAUSE_MS);
  }
}

function isTagged({ tag }: OrderRow, ours: string): boolean {
  return tag?.toLowerCase() === ours.toLowerCase();
}

function tagText(row: OrderRow | null, { tag }: OrderParts, orderId: string): Said {
  if (!row) return failed('the order is not in the order book within 10 s');
  if (!isTagged(row, tag)) return failed('the order is in the order book without its tag: after a lost answer it could not be found');
  if (orderId !== '' && row.order_id !== orderId) return failed('the row with the tag has another order id than the answer');
  return ok('the order book shows it with its tag');
}

async function lookedUp({ broker, tag }: OrderParts, orderId: string): Promise<Said> {
  const list = await broker.ordersByTag?.(tag).catch((error: unknown) => ({ success: false as const, message: textOf(error) }));
  if (!list) return notTold('the broker has none');
  if (!list.success) return failed('the look-up failed', list.message);
  return list.normalized.some(({ order_id }) => order_id === orderId) ? ok('it finds the order') : failed('it does not find the order');
}

function restText(row: OrderRow | null): Said {
  if (row?.state === 'OPEN') return ok('the order is open');
  if (!row) return failed('the order is no longer in the order book');
  return failed(`the order is ${row.state}`, row.status_message ?? '');
}
