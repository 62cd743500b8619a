import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { ExchangeOrder, Instrument } from '../types.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import type { Frame, Link, Stream, Talk } from '../wire/stream.ts';
import { orderMessage, priceMessage } from './messages.ts';
import { readJson } from './orders.ts';
import { venueOf } from './rows.ts';
import { badRequest, success } from './words.ts';

/** Groww's feed: a NATS server over WebSocket. A client makes a key pair, gets a token for it over HTTP, and signs the server's nonce. */

const MOST_SUBSCRIPTIONS = 1000;
const BEAT_MS = 20_000;
const MOST_UNANSWERED = 2;
const SOCKET_TOKEN_MS = 600_000;
const USER_KEY = 0xa0;
/** What stands before the 32 bytes of an ed25519 public key (RFC 8410). */
const KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const TokenBody = z.object({ socketKey: z.string() });
const Connect = z.object({ jwt: z.string(), sig: z.string(), lang: z.string(), version: z.string() });

interface Parts {
  exchange: Exchange;
  /** Whether a request comes with the token of a living login. */
  holds(request: WireRequest): boolean;
}

interface Ticket {
  publicKey: Buffer;
  subscriptionId: string;
  until: number;
  living(): boolean;
}

export function createStreams({ exchange, holds }: Parts): { streams: Stream[]; routes: Route[] } {
  const { clock } = exchange;
  const tickets = new Map<string, Ticket>();
  const byName = new Map(exchange.instruments.map((instrument) => [subjectOf(instrument) ?? '', instrument]));

  function createToken({ request }: Call): WireReply {
    const body = TokenBody.safeParse(readJson(request.body));
    const publicKey = body.success ? keyBytes(body.data.socketKey) : null;
    if (!publicKey) return badRequest('Invalid socket key.');
    for (const [token, { until }] of tickets) if (until <= clock.now()) tickets.delete(token);
    const [token, subscriptionId] = [newToken(), newToken()];
    tickets.set(token, { publicKey, subscriptionId, until: clock.now() + SOCKET_TOKEN_MS, living: () => holds(request) });
    return success({ token, subscriptionId });
  }

  /** The ticket a client proves to be its own; null when it does not. */
  function admitted(text: string, nonce: string): Ticket | null {
    const { data: asked } = Connect.safeParse(readJson(text));
    const ticket = asked && tickets.get(asked.jwt);
    if (!ticket || ticket.until <= clock.now() || !ticket.living()) return null;
    const key = createPublicKey({ key: Buffer.concat([KEY_HEAD, ticket.publicKey]), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(nonce), key, Buffer.from(asked.sig, 'base64url')) ? ticket : null;
  }

  return {
    streams: [{ path: '/', admit: () => null, talk: (link) => natsTalk(link, { exchange, byName, admitted }) }],
    routes: [{ method: 'POST', path: '/v1/api/apex/v1/socket/token/create/', operation: 'market', limit: 'socket', handle: createToken }],
  };
}

interface Server {
  exchange: Exchange;
  byName: ReadonlyMap<string, Instrument>;
  admitted(connect: string, nonce: string): Ticket | null;
}

function natsTalk(link: Link, { exchange, byName, admitted }: Server): Talk {
  const nonce = newToken().slice(0, 16);
  /** Subjects by subscription number, and the other way round. */
  const subjects = new Map<string, string>();
  const sids = new Map<string, string[]>();
  let ticket: Ticket | null = null;
  let begun = '';
  let unanswered = 0;
  const say = (text: string) => link.send(Buffer.from(`${text}\r\n`));

  function refuse(reason: string): void {
    say(`-ERR '${reason}'`);
    link.close();
  }
  function orderSubjects(): string[] {
    return ['stocks', 'stocks_fo'].map((name) => `${name}/order/updates.apex.${ticket?.subscriptionId}`);
  }
  function subscribe(subject: string, sid: string): void {
    if (subjects.size >= MOST_SUBSCRIPTIONS) say("-ERR 'maximum subscriptions exceeded'");
    else if (/order\/updates/.test(subject) && !orderSubjects().includes(subject)) {
      say(`-ERR 'Permissions Violation for Subscription to "${subject}"'`);
    } else {
      const instrument = byName.get(subject);
      subjects.set(sid, subject);
      sids.set(subject, [...(sids.get(subject) ?? []), sid]);
      if (instrument) link.wants.add(instrument);
    }
  }
  function unsubscribe(sid: string): void {
    const subject = subjects.get(sid) ?? '';
    const instrument = byName.get(subject);
    const left = (sids.get(subject) ?? []).filter((other) => other !== sid);
    subjects.delete(sid);
    sids.set(subject, left);
    if (instrument && left.length === 0) link.wants.delete(instrument);
  }
  function line(text: string): void {
    const [word = '', first = '', second = ''] = text.split(' ');
    if (word === 'CONNECT') {
      ticket = link.refused ? null : admitted(text.slice('CONNECT '.length), nonce);
      if (!ticket) refuse('Authorization Violation');
    } else if (!ticket) refuse('Authorization Violation');
    else if (word === 'PING') say('PONG');
    else if (word === 'PONG') unanswered = 0;
    else if (word === 'SUB') subscribe(first, second);
    else if (word === 'UNSUB') unsubscribe(first);
    else refuse('Unknown Protocol Operation');
  }
  /** One MSG for each subscription to a subject. */
  function deliver(subject: string, payload: Buffer): Buffer[] {
    return (sids.get(subject) ?? []).map((sid) =>
      Buffer.concat([Buffer.from(`MSG ${subject} ${sid} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]),
    );
  }
  function framed(messages: readonly Buffer[]): Frame[] {
    return messages.length > 0 ? [Buffer.concat(messages)] : [];
  }

  return {
    opened: () => say(`INFO ${JSON.stringify({ ...greeting, nonce })}`),
    message(frame) {
      const lines = (begun + frame.toString()).split('\r\n');
      begun = lines.pop() ?? '';
      for (const text of lines) line(text);
    },
    ticks: (moved) => framed(moved.flatMap((tick) => deliver(subjectOf(tick.instrument) ?? '', priceMessage(tick, exchange.clock.now())))),
    order(order: ExchangeOrder) {
      const subject = orderSubjects()[venueOf[order.exchange]?.segment === 'FNO' ? 1 : 0] ?? '';
      return ticket ? framed(deliver(subject, orderMessage(order))) : [];
    },
    beat: {
      everyMs: BEAT_MS,
      frame() {
        unanswered += 1;
        if (unanswered <= MOST_UNANSWERED || !ticket) return Buffer.from('PING\r\n');
        link.close();
        return Buffer.from("-ERR 'Stale Connection'\r\n");
      },
    },
  };
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

/** Where an instrument's prices are told; null for what the feed does not carry. */
function subjectOf({ exchange, exchangeToken }: Instrument): string | null {
  const venue = venueOf[exchange];
  if (!venue || venue.segment === 'COMMODITY') return null;
  return `/ld/${venue.segment === 'CASH' ? 'eq' : 'fo'}/${venue.exchange.toLowerCase()}/price.${exchangeToken}`;
}

/** The 32 bytes of a user's public key as NATS writes it; null for anything else. */
function keyBytes(text: string): Buffer | null {
  if (!/^U[A-Z2-7]{55}$/.test(text)) return null;
  const bits = [...text].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const sum = bytes.subarray(0, 33).reduce((crc, byte) => crcStep(crc ^ (byte << 8)), 0);
  return bytes.length === 35 && bytes[0] === USER_KEY && bytes.readUInt16LE(33) === sum ? bytes.subarray(1, 33) : null;
}

/** Eight steps of CRC-16/XMODEM. */
function crcStep(crc: number): number {
  return Array.from({ length: 8 }).reduce<number>((sum) => (sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1) & 0xffff, crc);
}
