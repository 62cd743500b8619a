import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { backToApp, loopback } from '../wire/login.ts';
import { bearerOf, json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { profile } from './account-rows.ts';
import { failure, success } from './words.ts';

export const credentials = {
  API_KEY: 'practice-upstox-key',
  API_SECRET: 'practice-upstox-secret',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  ACCESS_TOKEN: 'practice-upstox-access-token',
};
export const LOGIN_PAGE = '/v2/login/authorization/dialog';
const CODE_MS = 300_000;
/** Tokens die at 03:30 in India. */
const EXPIRY_HOUR_IST = 3.5;

/** Login by code; access tokens live to 03:30 IST. The practice token lives until it is logged out, and again from the next login. */
export function createLogins(exchange: Exchange): { holds(request: WireRequest): boolean; routes: Route[] } {
  const sessions = tokenSessions(exchange, 'upstox', { standing: credentials.ACCESS_TOKEN });
  /** Each with the address it was asked for. */
  const codes = shortLived<string>(exchange.clock, CODE_MS);

  function dialog({ request: { query } }: Call): WireReply {
    const redirectUri = query.get('redirect_uri') ?? '';
    const target = loopback(redirectUri);
    const known = query.get('client_id') === credentials.API_KEY && query.get('response_type') !== 'token';
    if (!known || !target) return failure(401, 'UDAPI100068', "Check your 'client_id' and 'redirect_uri'; one or both are incorrect.");
    const state = query.get('state');
    return backToApp(target, { code: codes.keep(newToken(), redirectUri), ...(state === null ? {} : { state }) });
  }

  function exchangeCode({ request }: Call): WireReply {
    const given = new URLSearchParams(request.body);
    const redirectUri = codes.spend(given.get('code') ?? '');
    if (redirectUri === undefined) return failure(401, 'UDAPI100057', 'Invalid Auth code');
    if (given.get('client_id') !== credentials.API_KEY || given.get('client_secret') !== credentials.API_SECRET) {
      return failure(401, 'UDAPI100069', "Check your 'client_id' and 'client_secret'; one or both are incorrect.");
    }
    if (given.get('redirect_uri') !== redirectUri) return failure(401, 'UDAPI100070', "Check your 'redirect_uri'.");
    if (given.get('grant_type') !== 'authorization_code') return failure(400, 'UDAPI100036', 'Invalid input: grant_type');
    const token = newToken();
    sessions.begin(sessions.nextHour(EXPIRY_HOUR_IST), token);
    return json(200, { ...profile, access_token: token, extended_token: newToken() });
  }

  function logout({ request }: Call): WireReply {
    sessions.end(bearerOf(request));
    return success(true);
  }

  return {
    holds: (request) => sessions.lives(bearerOf(request)),
    routes: [
      { method: 'GET', path: LOGIN_PAGE, operation: 'login', open: true, handle: dialog },
      { method: 'POST', path: '/v2/login/authorization/token', operation: 'login', open: true, handle: exchangeCode },
      { method: 'DELETE', path: '/v2/logout', operation: 'login', handle: logout },
    ],
  };
}
