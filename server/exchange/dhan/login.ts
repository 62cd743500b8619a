import { createHmac } from 'node:crypto';
import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { failure } from './words.ts';

/** Fixed and fake: what signs in at the practice exchange. */
export const credentials = { CLIENT_ID: '1000000001', PIN: '246810', TOTP_SECRET: 'NBSWY3DPO5XXE3DEEBRXE2LTORUW4ZJA' };

const LIFE_MS = 86_400_000;
const STEP_MS = 30_000;

/** Logins by PIN and TOTP; tokens live 24 hours and can be renewed once each. */
export function createLogins(exchange: Exchange) {
  const { clock } = exchange;

  function holds(request: WireRequest): boolean {
    return lives(String(request.headers['access-token'] ?? ''));
  }

  function lives(token: string): boolean {
    return clock.now() < (exchange.tokenValidUntil('dhan', token) ?? 0);
  }

  function opened(): WireReply {
    const until = clock.now() + LIFE_MS;
    const accessToken = `eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzUxMiJ9.${newToken()}.${newToken()}`;
    exchange.keepToken('dhan', accessToken, until);
    return json(200, {
      dhanClientId: credentials.CLIENT_ID,
      dhanClientName: 'PRACTICE ACCOUNT',
      dhanClientUcc: 'PRAC00001A',
      givenPowerOfAttorney: false,
      accessToken,
      expiryTime: `${istText(until).replace(' ', 'T')}.000`,
    });
  }

  function generate({ request }: Call): WireReply {
    const now = clock.now();
    const codes = [-1, 0, 1].map((step) => oneTimeCode(credentials.TOTP_SECRET, now + step * STEP_MS));
    const { query } = request;
    const fits = query.get('dhanClientId') === credentials.CLIENT_ID && query.get('pin') === credentials.PIN;
    return fits && codes.includes(query.get('totp') ?? '') ? opened() : failure(401, 'DH-901', 'Invalid PIN or TOTP');
  }

  function renew({ request }: Call): WireReply {
    exchange.keepToken('dhan', String(request.headers['access-token']), 0);
    return opened();
  }

  /** `DD/MM/YYYY HH:MM`, IST: when the token of a request ends. */
  function validity(request: WireRequest): string {
    const until = istText(exchange.tokenValidUntil('dhan', String(request.headers['access-token'])) ?? 0);
    return `${until.slice(8, 10)}/${until.slice(5, 7)}/${until.slice(0, 4)} ${until.slice(11, 16)}`;
  }

  const routes: Route[] = [
    { method: 'POST', path: '/app/generateAccessToken', operation: 'login', open: true, handle: generate },
    { method: 'GET', path: '/v2/RenewToken', operation: 'login', handle: renew },
  ];
  return { holds, lives, validity, routes };
}

/** RFC 6238 with SHA-1, six digits, 30 seconds. */
export function oneTimeCode(secret: string, at: number): string {
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const hash = createHmac('sha1', key).update(counter).digest();
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
