import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import { newToken } from '../wire/message.ts';
import type { Frame, Link, Talk } from '../wire/stream.ts';
import { accountSubjects, newsOf } from './news.ts';

/** Groww's feed as a NATS server over WebSocket: lines of text in, messages of the subjects that are subscribed to out. */

const MOST_SUBSCRIPTIONS = 1000;
const BEAT_MS = 20_000;
const MOST_UNANSWERED = 2;

export interface Server {
  exchange: Exchange;
  /** Instruments by the subjects of their prices and of their depth. */
  byName: ReadonlyMap<string, Instrument>;
  /** The subscription id of a client that proves its ticket to be its own; null when it does not. */
  admitted(connect: string, nonce: string): string | null;
}

export function natsTalk(link: Link, { exchange, byName, admitted }: Server): Talk {
  const nonce = newToken().slice(0, 16);
  const say = (text: string) => link.send(Buffer.from(`${text}\r\n`));
  const { subscribe, unsubscribe, deliver } = subjectsOf(link, byName);
  const news = newsOf(exchange, deliver);
  let subscriptionId: string | null = null;
  let begun = '';
  let unanswered = 0;

  const complain = (reason: string) => say(`-ERR '${reason}'`);

  function refuse(reason: string): void {
    complain(reason);
    link.close();
  }
  function follow(subject: string, sid: string, id: string): void {
    const wrong = subscribe(subject, sid, Object.values(accountSubjects(id)));
    if (wrong !== null) complain(wrong);
  }
  function line(text: string): void {
    const [word = '', first = '', second = ''] = text.split(/[ \t]+/);
    if (word === 'CONNECT') subscriptionId = link.refused ? null : admitted(text.slice('CONNECT '.length), nonce);
    if (subscriptionId === null) refuse('Authorization Violation');
    else if (word === 'CONNECT') return;
    else if (word === 'PING') say('PONG');
    else if (word === 'PONG') unanswered = 0;
    else if (word === 'SUB') follow(first, second, subscriptionId);
    else if (word === 'UNSUB') unsubscribe(first);
    else refuse('Unknown Protocol Operation');
  }
  function message(frame: Buffer): void {
    const lines = (begun + frame.toString()).split('\r\n');
    begun = lines.pop() ?? '';
    for (const text of lines) line(text);
  }
  function beat(): Frame {
    unanswered += 1;
    if (unanswered <= MOST_UNANSWERED || subscriptionId === null) return Buffer.from('PING\r\n');
    link.close();
    return Buffer.from("-ERR 'Stale Connection'\r\n");
  }

  return {
    opened: () => say(`INFO ${JSON.stringify({ ...greeting, nonce })}`),
    message,
    ticks: (moved) => framed(moved.flatMap(news.ofMarket)),
    order: (order, trade) => (subscriptionId === null ? [] : framed(news.ofAccount(subscriptionId, order, trade))),
    beat: { everyMs: BEAT_MS, frame: beat },
  };
}

/** What one connection is subscribed to. */
function subjectsOf(link: Link, byName: ReadonlyMap<string, Instrument>) {
  /** Subjects by subscription number, and the other way round. */
  const subjects = new Map<string, string>();
  const sids = new Map<string, string[]>();

  /** What is wrong with a subscription, if anything is; `own`: the subjects of the account the client may hear. What nothing is told on is refused. */
  function subscribe(subject: string, sid: string, own: readonly string[]): string | null {
    if (subjects.size >= MOST_SUBSCRIPTIONS) return 'maximum subscriptions exceeded';
    const instrument = byName.get(subject);
    if (!instrument && !own.includes(subject)) return `Permissions Violation for Subscription to "${subject}"`;
    subjects.set(sid, subject);
    sids.set(subject, [...(sids.get(subject) ?? []), sid]);
    if (instrument) link.wants.add(instrument);
    return null;
  }
  function unsubscribe(sid: string): void {
    const subject = subjects.get(sid) ?? '';
    const instrument = byName.get(subject);
    const left = (sids.get(subject) ?? []).filter((other) => other !== sid);
    subjects.delete(sid);
    sids.set(subject, left);
    const followed = [...subjects.values()].some((other) => byName.get(other) === instrument);
    if (instrument && !followed) link.wants.delete(instrument);
  }
  /** One MSG for each subscription to a subject. */
  function deliver(subject: string, payload: Buffer): Buffer[] {
    return (sids.get(subject) ?? []).map((sid) =>
      Buffer.concat([Buffer.from(`MSG ${subject} ${sid} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]),
    );
  }

  return { subscribe, unsubscribe, deliver };
}

function framed(messages: readonly Buffer[]): Frame[] {
  return messages.length > 0 ? [Buffer.concat(messages)] : [];
}

const greeting = {
  server_id: 'PRACTICE',
  server_name: 'practice',
  version: '2.10.0',
  proto: 1,
  headers: true,
  auth_required: true,
  max_payload: 1_048_576,
};
