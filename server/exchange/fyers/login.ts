import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { backToApp, loopback, sameText, sha256, webToken } from '../wire/login.ts';
import { newToken, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { epochSeconds } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { badInput, failure, success, tokenExpired, userId } from './words.ts';

/** Access tokens are web tokens and carry the key of the price socket. This part alone signs in too, where no prices are followed. */
const practiceSignature = 'practiceaccesstoken';
const practiceFeedKey = 'practicefeedkey'.padEnd(56, '0');
const issued = { iss: 'api.fyers.in', sub: 'access_token', fy_id: userId };
/** The practice token says when it was issued and when it ends, as every token does; it lives longer than anybody practises. Epoch seconds. */
const practiceTimes = { iat: epochSeconds(Date.UTC(2026, 0, 1)), exp: epochSeconds(Date.UTC(2100, 0, 1)) };

export const credentials = {
  APP_ID: 'PRACTICE01-100',
  SECRET_KEY: 'practicesecret',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  ACCESS_TOKEN: webToken('HS256', { ...issued, hsm_key: practiceFeedKey, ...practiceTimes, nbf: practiceTimes.iat }, practiceSignature),
};
const AUTH_CODE_MS = 300_000;
const EXPIRY_HOUR_IST = 6;
const Exchanged = z.object({ grant_type: z.literal('authorization_code'), appIdHash: z.string(), code: z.string() });

export interface Logins {
  unauthorised(request: WireRequest): WireReply | null;
  /** Whether a feed key is that of a living login. */
  holdsKey(key: string): boolean;
  routes: Route[];
}

/** Login by auth code; access tokens live to 06:00 IST. The practice token lives until it is logged out, and again from the next login. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const tokens = accessTokens(exchange);
  const authCodes = shortLived(clock, AUTH_CODE_MS);

  function login({ request: { query } }: Call): WireReply {
    if (query.get('client_id') !== credentials.APP_ID) return failure(400, -352, 'Invalid app id');
    if (query.get('response_type') !== 'code' || !query.get('state')) return badInput('Please provide a valid response_type and state');
    const target = loopback(query.get('redirect_uri') ?? '');
    if (!target) return badInput('redirect_uri must be a loopback address');
    const code = signed({ iss: 'api.login.fyers.in', sub: 'auth_code', app_id: 'PRACTICE01' }, clock.now(), clock.now() + AUTH_CODE_MS);
    return backToApp(target, { s: 'ok', code: '200', auth_code: authCodes.keep(code, true), state: query.get('state') ?? '' });
  }

  function exchangeCode({ request }: Call): WireReply {
    const given = Exchanged.safeParse(readJson(request.body)).data;
    if (!given) return badInput('Please provide a valid grant_type, appIdHash and code');
    const wanted = sha256(`${credentials.APP_ID}:${credentials.SECRET_KEY}`);
    if (!sameText(given.appIdHash, wanted)) return failure(400, -5, 'invalid app id hash');
    if (!authCodes.spend(given.code)) return failure(400, -437, 'invalid auth code');
    return success({ access_token: tokens.begin(), refresh_token: newToken() });
  }

  function logout({ request }: Call): WireReply {
    tokens.end(request);
    return success({}, 200, 'you are successfully logged out');
  }

  const routes: Route[] = [
    { method: 'GET', path: '/api/v3/generate-authcode', operation: 'login', open: true, handle: login },
    { method: 'POST', path: '/api/v3/validate-authcode', operation: 'login', open: true, handle: exchangeCode },
    { method: 'POST', path: '/api/v3/logout', operation: 'login', handle: logout },
  ];
  return { unauthorised: tokens.unauthorised, holdsKey: tokens.holdsKey, routes };
}

/** The tokens of logins, and the feed keys these carry. */
function accessTokens(exchange: Exchange) {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'fyers', { standing: credentials.ACCESS_TOKEN });
  const feeds = tokenSessions(exchange, 'fyers', { kind: 'feed' });

  /** The token of the header; null where it is none of this app's. */
  function tokenOf({ headers, path }: WireRequest): string | null {
    const said = headers.authorization ?? '';
    // There FYERS' clients send the token with the app before it or alone.
    const bare = path === '/data/symbol-token' && !said.includes(':');
    const [app, given = ''] = bare ? [credentials.APP_ID, said] : said.split(':');
    const token = given === practiceSignature ? credentials.ACCESS_TOKEN : given;
    return app === credentials.APP_ID && sessions.validUntil(token) !== undefined ? token : null;
  }

  return {
    unauthorised(request: WireRequest): WireReply | null {
      const token = tokenOf(request);
      if (token !== null) return sessions.lives(token) ? null : tokenExpired();
      if (request.path.startsWith('/data/')) return failure(401, -15, 'Please provide valid token');
      return failure(401, -16, 'Could not authenticate the user');
    },
    holdsKey: (key: string) => (key === practiceFeedKey ? sessions.lives(credentials.ACCESS_TOKEN) : feeds.lives(key)),
    begin(): string {
      const until = sessions.nextHour(EXPIRY_HOUR_IST);
      const feedKey = newToken().padEnd(56, '0');
      const token = signed({ ...issued, appType: 100, hsm_key: feedKey }, clock.now(), until);
      sessions.begin(until, token);
      feeds.begin(until, feedKey);
      return token;
    },
    end(request: WireRequest): void {
      const token = tokenOf(request);
      if (token === null) return;
      sessions.end(token);
      feeds.end(feedKeyOf(token));
    },
  };
}

function signed(claims: Readonly<Record<string, unknown>>, from: number, until: number): string {
  const iat = epochSeconds(from);
  return webToken('HS256', { ...claims, iat, nbf: iat, exp: epochSeconds(until) });
}

function feedKeyOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return z.looseObject({ hsm_key: z.string() }).parse(claims).hsm_key;
}
