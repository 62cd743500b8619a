import type { OrderEvent } from './order-rows.ts';

const TEXTS = ['side', 'exchange', 'order_type', 'product_type', 'strategy', 'message', 'reason', 'fill_status', 'status'] as const;
const NUMBERS = ['quantity', 'price', 'trigger_price', 'filled', 'waited_ms', 'sent_after_ms', 'took_ms'] as const;

/** What an event's detail tells of an order; what it does not tell, or tells in another way, is absent. */
export type Told = { [Name in (typeof TEXTS)[number]]?: string } & { [Name in (typeof NUMBERS)[number]]?: number };

/** By hand: a schema would take ten times as long for the thousands of events of a day, in the turn of the event loop that orders need. */
function toldBy(detail: unknown): Told {
  const told: Told = {};
  if (typeof detail !== 'object' || detail === null) return told;
  const members: Readonly<Record<string, unknown>> = { ...detail };
  for (const name of TEXTS) {
    const value = members[name];
    if (typeof value === 'string') told[name] = value;
  }
  for (const name of NUMBERS) {
    const value = members[name];
    if (typeof value === 'number') told[name] = value;
  }
  return told;
}

export interface ToldEvent extends Omit<OrderEvent, 'detail'> {
  told: Told;
}

/** What the audit trail tells of one order: of one attempt to place it, or of one placed elsewhere. */
export interface Trail {
  /** Empty for an order placed elsewhere. */
  key: string;
  /** Empty where none was ever told. */
  orderId: string;
  events: ToldEvent[];
}

/** They tell of a stored answer, and not of the order. */
const BESIDE = new Set(['order.answer_ended', 'order.key_mismatch', 'order.candidates']);
/** With one of these a refusal is the end of what was being sent; without, it is a request of its own. */
const STILL_HERE = new Set(['order.sending']);

/**
 * Events in the order of their numbers, put together by order. A key may stand for several attempts of a day: each begins with its send, and what was
 * refused before that is one by itself.
 */
export function trailsOf(rows: readonly OrderEvent[]): Trail[] {
  const trails: Trail[] = [];
  const byKey = new Map<string, Trail>();
  const byOrder = new Map<string, Trail>();
  for (const row of rows) {
    if (BESIDE.has(row.kind)) continue;
    const event: ToldEvent = { ...row, told: toldBy(row.detail) };
    const known = (row.key !== null && byKey.get(row.key)) || (row.order_id !== null && byOrder.get(row.order_id)) || null;
    const trail = known && !begins(event, known) ? known : { key: row.key ?? '', orderId: '', events: [] };
    if (trail !== known) trails.push(trail);
    trail.events.push(event);
    if (trail.key !== '') byKey.set(trail.key, trail);
    if (row.order_id === null) continue;
    trail.orderId = row.order_id;
    byOrder.set(row.order_id, trail);
  }
  return trails;
}

function begins({ kind }: ToldEvent, before: Trail): boolean {
  if (kind === 'order.sending') return true;
  if (kind !== 'order.refused' && kind !== 'order.not_sent') return false;
  return !STILL_HERE.has(before.events.at(-1)?.kind ?? '');
}
