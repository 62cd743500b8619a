import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { backToApp, loopback, sameText, sha256 } from '../wire/login.ts';
import { newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { profile } from './account-rows.ts';
import { form } from './orders.ts';
import { badInput, failure, success } from './words.ts';

export const credentials = { API_KEY: 'practicekey', API_SECRET: 'practicesecret', ACCESS_TOKEN: 'practiceaccesstoken' };

const REQUEST_TOKEN_MS = 300_000;
const EXPIRY_HOUR_IST = 6;

export interface Logins {
  holds(request: WireRequest): boolean;
  lives(key: string, token: string): boolean;
  routes: Route[];
}

/** Login by request token; access tokens live to 06:00 IST. The practice token lives until it is logged out, and again from the next login. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'zerodha', { standing: credentials.ACCESS_TOKEN });
  const requestTokens = shortLived(clock, REQUEST_TOKEN_MS);

  function lives(key: string, token: string): boolean {
    return key === credentials.API_KEY && sessions.lives(token);
  }

  function holds({ headers }: WireRequest): boolean {
    const [, key = '', token = ''] = /^token ([^:]+):(.+)$/.exec(headers.authorization ?? '') ?? [];
    return lives(key, token);
  }

  function login({ request: { query } }: Call): WireReply {
    if (query.get('api_key') !== credentials.API_KEY) return badInput('Invalid `api_key`.');
    const target = loopback(query.get('redirect_url') ?? exchange.redirect);
    if (!target) return badInput('The registered redirect URL must be a loopback address.');
    const token = requestTokens.keep(newToken(), true);
    for (const [name, value] of new URLSearchParams(query.get('redirect_params') ?? '')) target.searchParams.set(name, value);
    return backToApp(target, { action: 'login', type: 'login', status: 'success', request_token: token });
  }

  function exchangeToken({ request }: Call): WireReply {
    const { api_key: key, request_token: token, checksum } = form(request);
    if (!key) return badInput('Missing api_key');
    if (!token) return badInput('Missing request_token');
    if (key !== credentials.API_KEY) return badInput('Invalid `api_key`.');
    if (!sameText(checksum ?? '', sha256(`${key}${token}${credentials.API_SECRET}`)))
      return failure(403, 'TokenException', 'Invalid `checksum`.');
    if (!requestTokens.spend(token)) return failure(403, 'TokenException', 'Token is invalid or has expired.');
    const accessToken = newToken();
    sessions.begin(sessions.nextHour(EXPIRY_HOUR_IST), accessToken);
    const tokens = { api_key: key, access_token: accessToken, public_token: newToken(), enctoken: newToken(), refresh_token: '', silo: '' };
    return success({ ...profile, ...tokens, login_time: istText(clock.now()) });
  }

  function logout({ request }: Call): WireReply {
    const token = request.query.get('access_token');
    if (!token) return badInput('Missing access_token');
    sessions.end(token);
    return success(true);
  }

  const routes: Route[] = [
    { method: 'GET', path: '/connect/login', operation: 'login', open: true, handle: login },
    { method: 'POST', path: '/session/token', operation: 'login', open: true, handle: exchangeToken },
    { method: 'DELETE', path: '/session/token', operation: 'login', handle: logout },
  ];
  return { holds, lives, routes };
}
