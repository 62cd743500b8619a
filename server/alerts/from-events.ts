import type { GatewayEvent } from '../../contract/events.ts';
import { tradingDay } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import type { News } from './alert.ts';
import { fateKinds, rejectionOf } from './records.ts';
import type { Finding } from './standing.ts';

/** What one event means for whoever is told. */
export type Meaning = { happened: News } | { begins: Finding } | { ends: string; message: string } | { person: boolean };

export interface EventParts {
  db: Db;
  /** Whether a session should be there at an instant (epoch ms). */
  isNeeded(at: number): boolean;
}

type Reader = (event: GatewayEvent, parts: EventParts) => Promise<Meaning[]> | Meaning[];

/** What happened longer ago is told no more: the gateway stood still, or alerts were off. */
export const OLD_MS = 86_400_000;
export const SESSION_LOST = 'session_lost';
export const LOGIN_NEEDED = 'login_needed';

/** By kind of event. */
const readers: Readonly<Record<string, Reader>> = {
  'session.connected': ({ broker }) => [{ ends: SESSION_LOST, message: `${broker} is connected` }, { person: false }],
  'session.disconnected': ({ broker }) => [{ ends: SESSION_LOST, message: `a person disconnected ${broker}` }, { person: true }],
  // Most of them are signed in again at once.
  'session.lost': () => [{ person: false }],
  'session.login_failed'(event, { isNeeded }) {
    // A login that ends with its day is no trouble: what is missing in the morning is told then.
    if (!isNeeded(Date.parse(event.at))) return [];
    return [{ begins: { key: SESSION_LOST, kind: 'session_lost', message: `${event.broker}: ${textIn(event, 'message')}` } }];
  },
  'session.login_needed'(event, { isNeeded }) {
    if (!isNeeded(Date.parse(event.at))) return [];
    return [{ begins: { key: LOGIN_NEEDED, kind: 'login_needed', message: textIn(event, 'message') } }];
  },
  ...Object.fromEntries(fateKinds.map((kind) => [kind, rejected])),
  'position.closed': corrected,
  'position.adopted': corrected,
  'position.corrected': corrected,
  'position.explained': corrected,
  'position.multiplier': corrected,
  kill_switch(event) {
    const { on } = membersOf(event);
    const message = `${on === true ? 'ON: new entries are refused' : 'off: new entries leave again'}, by ${textIn(event, 'by')}`;
    return [{ happened: { kind: 'kill_switch', state: 'happened', message } }];
  },
};

/** What an event means, mostly nothing. Rejects as the database does. */
export async function meaningsOf(event: GatewayEvent, parts: EventParts): Promise<Meaning[]> {
  return Object.hasOwn(readers, event.kind) ? ((await readers[event.kind]?.(event, parts)) ?? []) : [];
}

/** Rejected after the broker had taken it: not at once, which its caller was told, and not an order that never arrived. */
async function rejected(event: GatewayEvent, { db }: EventParts): Promise<Meaning[]> {
  const { fill_status, status, absent } = membersOf(event);
  const { broker, order_id: orderId, symbol } = event;
  if ((fill_status ?? status) !== 'REJECTED' || absent === true || broker === null || !orderId) return [];
  const record = await rejectionOf(db, broker, orderId, event);
  if (record?.external || record?.known) return [];
  const message = `${broker} ${symbol} order ${orderId}: ${record?.reason ?? 'the broker gave no reason'}`;
  return [{ happened: { kind: 'order_rejected', state: 'happened', message } }];
}

const done: Readonly<Record<string, string>> = {
  closed: 'closed in our records',
  adopted: 'taken into our records',
  corrected: 'corrected in our records',
  explained: 'explained by trades that were booked now',
  multiplier: 'computed anew with another multiplier',
};

function corrected(event: GatewayEvent): Meaning[] {
  const { exchange, style, believed, held } = membersOf(event);
  const what = done[event.kind.replace('position.', '')] ?? event.kind;
  const message = `${event.broker} ${String(exchange ?? '')}:${event.symbol} ${String(style ?? '')}: believed ${String(believed)}, the broker holds ${String(held)}; ${what}`;
  return [{ happened: { kind: 'reconciliation', state: 'happened', message } }];
}

function membersOf({ detail }: GatewayEvent): Readonly<Record<string, unknown>> {
  return typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : {};
}

function textIn(event: GatewayEvent, name: string): string {
  const value = membersOf(event)[name];
  return typeof value === 'string' && value !== '' ? value : `not known (event ${event.id} of ${tradingDay(Date.parse(event.at))})`;
}
