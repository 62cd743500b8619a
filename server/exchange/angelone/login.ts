import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { timeCodeFits } from '../wire/time-codes.ts';
import { type TokenSessions, tokenSessions } from '../wire/token-sessions.ts';
import { bodyOf } from './orders.ts';
import { clientCode } from './rows.ts';
import { failure, SECURE, success, tokenExpired, turnedAway } from './words.ts';

export const credentials = {
  API_KEY: 'practicekey',
  CLIENT_ID: clientCode,
  PIN: 'practicepin',
  TOTP_SECRET: 'PRACTICEPRACTICEPRACTICEPRACTICE',
};

const AUTH = '/rest/auth/angelbroking';
const LoginBody = z.object({ clientcode: z.string(), password: z.string(), totp: z.string() });

export interface Logins {
  refusalOf(request: WireRequest): WireReply | null;
  routes: Route[];
  /** The tokens of calls and of order updates. */
  sessions: TokenSessions;
  /** Those of prices. */
  feeds: TokenSessions;
}

/** Login by client code, PIN and authenticator code; all tokens live to midnight in India. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'angelone');
  const refreshes = tokenSessions(exchange, 'angelone', { kind: 'refresh' });
  const feeds = tokenSessions(exchange, 'angelone', { kind: 'feed' });

  function refusalOf(request: WireRequest): WireReply | null {
    const jwt = jwtOf(request);
    if (jwt === undefined) return turnedAway('AG8003', 'Token missing');
    if (!sessions.validUntil(jwt) || request.headers['x-privatekey'] !== credentials.API_KEY) return turnedAway('AG8001', 'Invalid Token');
    return sessions.lives(jwt) ? null : tokenExpired();
  }

  function tokens(): WireReply {
    const [jwtToken, refreshToken, feedToken] = [`eyJ${newToken()}`, `eyJ${newToken()}`, `eyJ${newToken()}`] as const;
    const midnight = sessions.nextHour(0);
    sessions.begin(midnight, jwtToken);
    refreshes.begin(midnight, refreshToken);
    feeds.begin(midnight, feedToken);
    return success({ jwtToken, refreshToken, feedToken, state: 'live' });
  }

  function login({ request }: Call): WireReply {
    const given = LoginBody.safeParse(bodyOf(request)).data;
    if (request.headers['x-privatekey'] !== credentials.API_KEY) return turnedAway('AG8001', 'Invalid API Key');
    if (given?.clientcode !== credentials.CLIENT_ID || given.password !== credentials.PIN)
      return failure('AB1000', 'Invalid clientcode or password');
    return timeCodeFits(credentials.TOTP_SECRET, given.totp, clock.now()) ? tokens() : failure('AB1000', 'Invalid totp');
  }

  function renew({ request }: Call): WireReply {
    const given = z.object({ refreshToken: z.string() }).safeParse(bodyOf(request)).data?.refreshToken ?? '';
    if (!refreshes.validUntil(given)) return failure('AB8050', 'Invalid Refresh Token');
    return refreshes.lives(given) ? tokens() : failure('AB8051', 'Refresh Token Expired');
  }

  function logout({ request }: Call): WireReply {
    sessions.end(jwtOf(request) ?? '');
    return success('');
  }

  const routes: Route[] = [
    { method: 'POST', path: `${AUTH}/user/v1/loginByPassword`, operation: 'login', open: true, handle: login },
    { method: 'POST', path: `${AUTH}/jwt/v1/generateTokens`, operation: 'login', limit: 'tokens', handle: renew },
    { method: 'POST', path: `${SECURE}/user/v1/logout`, operation: 'login', limit: 'logout', handle: logout },
  ];
  return { refusalOf, routes, sessions, feeds };
}

/** The token of a call, which may stand alone. */
function jwtOf({ headers }: WireRequest): string | undefined {
  return /^(?:Bearer )?(.+)$/.exec(headers.authorization ?? '')?.[1];
}

/** The token of a handshake: the official clients send it with the word before it, and without. */
export function handshakeToken({ headers }: WireRequest): string {
  return (headers.authorization ?? '').replace(/^Bearer /i, '');
}
