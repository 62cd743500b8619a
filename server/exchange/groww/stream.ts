import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { newToken, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import type { Stream } from '../wire/stream.ts';
import { fromBase32 } from '../wire/time-codes.ts';
import { natsTalk } from './nats.ts';
import { marketSubjects } from './news.ts';
import { badRequest, success } from './words.ts';

/** Who is let into Groww's feed: a client makes a key pair, gets a token for it over HTTP, and signs the server's nonce. */

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
  living(): boolean;
}

export function createStreams({ exchange, holds }: Parts): { streams: Stream[]; routes: Route[] } {
  const tickets = shortLived<Ticket>(exchange.clock, SOCKET_TOKEN_MS);
  const byName = new Map(
    exchange.instruments.flatMap((instrument) => Object.values(marketSubjects(instrument) ?? {}).map((subject) => [subject, instrument])),
  );

  function createToken({ request }: Call): WireReply {
    const body = TokenBody.safeParse(readJson(request.body));
    const publicKey = body.success ? keyBytes(body.data.socketKey) : null;
    if (!publicKey) return badRequest('Invalid socket key.');
    const [token, subscriptionId] = [newToken(), newToken()];
    tickets.keep(token, { publicKey, subscriptionId, living: () => holds(request) });
    return success({ token, subscriptionId });
  }

  function admitted(text: string, nonce: string): string | null {
    const { data: asked } = Connect.safeParse(readJson(text));
    if (!asked) return null;
    const ticket = tickets.about(asked.jwt);
    if (!ticket?.living()) return null;
    const key = createPublicKey({ key: Buffer.concat([KEY_HEAD, ticket.publicKey]), format: 'der', type: 'spki' });
    return verify(null, Buffer.from(nonce), key, Buffer.from(asked.sig, 'base64url')) ? ticket.subscriptionId : null;
  }

  return {
    streams: [{ path: '/', admit: () => null, talk: (link) => natsTalk(link, { exchange, byName, admitted }) }],
    routes: [{ method: 'POST', path: '/v1/api/apex/v1/socket/token/create/', operation: 'market', limit: 'socket', handle: createToken }],
  };
}

/** The 32 bytes of a user's public key as NATS writes it; null for anything else. */
function keyBytes(text: string): Buffer | null {
  if (!/^U[A-Z2-7]{55}$/.test(text)) return null;
  const bytes = fromBase32(text);
  const sum = bytes.subarray(0, 33).reduce((crc, byte) => crcStep(crc ^ (byte << 8)), 0);
  return bytes.length === 35 && bytes[0] === USER_KEY && bytes.readUInt16LE(33) === sum ? bytes.subarray(1, 33) : null;
}

/** Eight steps of CRC-16/XMODEM. */
function crcStep(crc: number): number {
  return Array.from({ length: 8 }).reduce<number>((sum) => (sum & 0x8000 ? (sum << 1) ^ 0x1021 : sum << 1) & 0xffff, crc);
}
