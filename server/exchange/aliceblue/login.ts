import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route, Switches } from '../wire/emulator.ts';
import { backToApp, sha256, webToken } from '../wire/login.ts';
import { bearerOf, json, newToken, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { epochSeconds } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { clientId, failure, PREFIX, success } from './words.ts';

export const credentials = {
  APP_CODE: 'practice-aliceblue-app',
  API_SECRET: 'practice-aliceblue-secret',
  USER_SESSION: 'practice-aliceblue-session',
};
const CODE_MS = 300_000;
const SESSION_MS = 60 * 86_400_000;

/** Login by code. There is no logout; a token lives sixty days, the practice one for ever. */
export function createLogins(exchange: Exchange, switches: Switches): { holds(request: WireRequest): boolean; routes: Route[] } {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'aliceblue', { standing: credentials.USER_SESSION });
  const codes = shortLived(clock, CODE_MS);

  function page({ request }: Call): WireReply {
    if (request.query.get('appcode') !== credentials.APP_CODE) return failure('Not_ok', 'Invalid appcode', 400);
    return backToApp(new URL(exchange.redirect), { authCode: codes.keep(newToken(), true), userId: clientId });
  }

  /** A refusal has an envelope of its own, and once a token had. The checksum is all that is sent, so the code is the one that makes it. */
  function userDetails({ request }: Call): WireReply {
    const body = readJson(request.body);
    const checkSum = typeof body === 'object' && body !== null && 'checkSum' in body ? body.checkSum : '';
    const code = codes.living().find((each) => sha256(clientId + each + credentials.API_SECRET) === checkSum);
    if (code === undefined) return json(200, { stat: 'Not_ok', emsg: 'Invalid auth code' });
    codes.spend(code);
    const until = clock.now() + SESSION_MS;
    const userSession = webToken('RS256', { iat: epochSeconds(clock.now()), exp: epochSeconds(until), ucc: clientId });
    sessions.begin(until, userSession);
    return switches.oldSession ? json(200, { stat: 'Ok', clientId, userSession }) : success({ accessToken: userSession });
  }

  return {
    holds: (request) => sessions.lives(bearerOf(request)),
    routes: [
      { method: 'GET', path: '/', operation: 'login', open: true, handle: page },
      { method: 'POST', path: `${PREFIX}/vendor/getUserDetails`, operation: 'login', open: true, handle: userDetails },
    ],
  };
}
