import type { EventTopic, GatewayEvent } from '../../contract/events.ts';

/** A row of tsm_events as it is read for callers; its key and account are never told. */
export interface EventRow {
  id: number;
  /** As PostgreSQL writes it, UTC. */
  at: string;
  kind: string;
  broker: string | null;
  account: string | null;
  symbol: string | null;
  order_id: string | null;
  detail: unknown;
}

/** The topic by what stands before the dot of a kind; every other kind is a notice. */
const topics: Readonly<Record<string, EventTopic>> = {
  order: 'order',
  modify: 'order',
  cancel: 'order',
  position: 'position',
  session: 'session',
};

export function topicOf(kind: string): EventTopic {
  const [family = ''] = kind.split('.');
  return Object.hasOwn(topics, family) ? (topics[family] ?? 'notice') : 'notice';
}

/** Members that no event tells, whoever wrote them: the audit trail is for its owner, the stream for every user. */
const secret =
  /^(key|token|account|account_?id|client_?(id|code)|user_?id|api_?key|access_?token|password|pin|totp|mpin)$|secret|authorization/i;
/** Shorter ones are no account ids, and would meet in ordinary words. */
const LEAST_ACCOUNT = 4;

/** The event a row is, as callers see it. */
export function eventOf(row: EventRow): GatewayEvent {
  const { id, kind, broker, account, symbol, order_id } = row;
  const detail = discreet(row.detail, account !== null && account.length >= LEAST_ACCOUNT ? account : null);
  return { id, topic: topicOf(kind), kind, at: new Date(row.at).toISOString(), broker, symbol, order_id, detail };
}

function discreet(value: unknown, account: string | null): unknown {
  if (typeof value === 'string') return account === null ? value : value.replaceAll(account, '***');
  if (Array.isArray(value)) return value.map((each) => discreet(each, account));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !secret.test(name));
  return Object.fromEntries(members.map(([name, member]) => [name, discreet(member, account)]));
}
