import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { backToApp, sha256 } from '../wire/login.ts';
import { bearerOf, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { epochSeconds } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { userDetails } from './account-rows.ts';
import type { NorenCall } from './orders.ts';
import { jData, jKey, notOk, ok, user } from './words.ts';

export const credentials = {
  USER_ID: user,
  API_KEY: `${user}_U`,
  API_SECRET: 'practice-shoonya-secret',
  ACCESS_TOKEN: 'practice-shoonya-access-token',
};
export const LOGIN_PAGE = '/OAuthlogin/authorize/oauth';
const CODE_MS = 300_000;
const EXPIRY_HOUR_IST = 6;
const CodeFields = z.object({ uid: z.string(), code: z.string(), checksum: z.string() });

export interface Logins {
  holds(request: WireRequest): boolean;
  lives(token: string): boolean;
  calls: NorenCall[];
  page: Route;
}

/** Login by code. The practice token lives until it is logged out, and again from the next login. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'shoonya', { standing: credentials.ACCESS_TOKEN });
  const codes = shortLived(clock, CODE_MS);
  /** As a header, or the older way in the body. */
  const tokenOf = (request: WireRequest) => bearerOf(request) || jKey(request);

  function authorize({ request: { query } }: Call): WireReply {
    if (query.get('client_id') !== credentials.API_KEY) return notOk(400, 'Invalid Input : client_id', clock.now());
    return backToApp(new URL(exchange.redirect), { code: codes.keep(newToken(), true) });
  }

  function trade({ request }: Call): WireReply {
    const given = CodeFields.safeParse(jData(request)).data;
    const living = codes.spend(given?.code ?? '');
    const expected = sha256(`${credentials.API_KEY}${credentials.API_SECRET}${given?.code}`);
    if (!living || given?.uid !== user || given.checksum !== expected) return notOk(200, 'Invalid Input : INVALID_VERIFIER', clock.now());
    const token = newToken();
    const ends = sessions.nextHour(EXPIRY_HOUR_IST);
    sessions.begin(ends, token);
    const times = { expires_in: String(epochSeconds(ends)), lastaccesstime: String(epochSeconds(clock.now())) };
    const tokens = { access_token: token, susertoken: token, refresh_token: newToken() };
    return ok(clock.now(), { ...tokens, USERID: user, ...userDetails, scope: '', ...times });
  }

  function logout({ request }: Call): WireReply {
    sessions.end(tokenOf(request));
    return ok(clock.now());
  }

  return {
    holds: (request) => sessions.lives(tokenOf(request)),
    lives: sessions.lives,
    calls: [
      { name: 'GenAcsTok', operation: 'login', handle: trade },
      { name: 'Logout', operation: 'login', handle: logout },
    ],
    page: { method: 'GET', path: LOGIN_PAGE, operation: 'login', open: true, handle: authorize },
  };
}
