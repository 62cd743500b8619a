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

export const credentials = {
  APP_ID: 'PRACTICE01-100',
  SECRET_KEY: 'practicesecret',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  ACCESS_TOKEN: webToken('HS256', { ...issued, hsm_key: practiceFeedKey }, practiceSignature),
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
  const sessions = tokenSessions(exchange, 'fyers', { standing: credentials.ACCESS_TOKEN });
  const feeds = tokenSessions(exchange, 'fyers', { kind: 'feed' });
  const authCodes = shortLived(clock, AUTH_CODE_MS);

  /** The token of the header; null where it is none of this app's. */
  function tokenOf(request: WireRequest): string | null {
    const [app, given = ''] = (request.headers.authorization ?? '').split(':');
    const token = given === practiceSignature ? credentials.ACCESS_TOKEN : given;
    return app === credentials.APP_ID && sessions.validUntil(token) !== undefined ? token : null;
  }

  function unauthorised(request: WireRequest): WireReply | null {
    const token = tokenOf(request);
    if (token !== null) return sessions.lives(token) ? null : tokenExpired();
    if (request.path.startsWith('/data/')) return failure(401, -15, 'Please provide valid token');
    return failure(401, -16, 'Could not authenticate the user');
  }

  function login({ request: { query } }: Call): WireReply {
    if (query.get('client_id') !== credentials.APP_ID) return failure(400, -352, 'Invalid app id');
    if (query.get('response_type') !== 'code' || !query.get('state')) return badInput('Please provide a valid response_type and state');
    const target = loopback(query.get('redirect_uri') ?? '');
    if (!target) return badInput('redirect_uri must be a loopback address');
    const code = signed({ iss: 'api.login.fyers.in', sub: 'auth_code', app_id: 'PRACTICE01' }, clock.now() + AUTH_CODE_MS);
    return backToApp(target, { s: 'ok', code: '200', auth_code: authCodes.keep(code, true), state: query.get('state') ?? '' });
  }

  function exchangeCode({ request }: Call): WireReply {
    const given = Exchanged.safeParse(readJson(request.body)).data;
    if (!given) return badInput('Please provide a valid grant_type, appIdHash and code');
    const wanted = sha256(`${credentials.APP_ID}:${credentials.SECRET_KEY}`);
    if (!sameText(given.appIdHash, wanted)) return failure(400, -5, 'invalid app id hash');
    if (!authCodes.spend(given.code)) return failure(400, -437, 'invalid auth code');
    const until = sessions.nextHour(EXPIRY_HOUR_IST);
    const feedKey = newToken().padEnd(56, '0');
    const token = signed({ ...issued, appType: 100, hsm_key: feedKey }, until);
    sessions.begin(until, token);
    feeds.begin(until, feedKey);
    return success({ access_token: token, refresh_token: newToken() });
  }

  function signed(claims: Record<string, unknown>, until: number): string {
    const iat = epochSeconds(clock.now());
    return webToken('HS256', { ...claims, iat, nbf: iat, exp: epochSeconds(until) });
  }

  function logout({ request }: Call): WireReply {
    const token = tokenOf(request);
    if (token !== null) {
      sessions.end(token);
      feeds.end(feedKeyOf(token));
    }
    return success({}, 200, 'you are successfully logged out');
  }

  const routes: Route[] = [
    { method: 'GET', path: '/api/v3/generate-authcode', operation: 'login', open: true, handle: login },
    { method: 'POST', path: '/api/v3/validate-authcode', operation: 'login', open: true, handle: exchangeCode },
    { method: 'POST', path: '/api/v3/logout', operation: 'login', handle: logout },
  ];
  const holdsKey = (key: string) => (key === practiceFeedKey ? sessions.lives(credentials.ACCESS_TOKEN) : feeds.lives(key));
  return { unauthorised, holdsKey, routes };
}

function feedKeyOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return z.looseObject({ hsm_key: z.string() }).parse(claims).hsm_key;
}
