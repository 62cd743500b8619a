import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { shortLived } from '../wire/codes.ts';
import type { Call, Route } from '../wire/emulator.ts';
import { webToken } from '../wire/login.ts';
import { json, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { timeCodeFits } from '../wire/time-codes.ts';
import { epochSeconds } from '../wire/times.ts';
import { tokenSessions } from '../wire/token-sessions.ts';
import { loginRefused, missingField, ucc } from './words.ts';

export const credentials = {
  ACCESS_TOKEN: '00000000-practice-access-token',
  MOBILE_NUMBER: '+910000000000',
  UCC: ucc,
  TOTP_SECRET: 'PRACTICEPRACTICEPRACTICEPRACTICE',
  MPIN: '010203',
};
const VIEW_LOGIN_MS = 300_000;

export interface Logins {
  /** Whether session id and trade token are those of a living login. */
  holds(sid: string, token: string): boolean;
  /** Whether a session id is, which is all the price socket asks for. */
  holdsSid(sid: string): boolean;
  routes: Route[];
}

/** Two steps to a login that lives to the end of the Indian day. */
export function createLogins(exchange: Exchange): Logins {
  const { clock } = exchange;
  const sessions = tokenSessions(exchange, 'kotak');
  const feeds = tokenSessions(exchange, 'kotak', { kind: 'feed' });
  const viewLogins = shortLived(clock, VIEW_LOGIN_MS);
  const both = (sid: unknown, token: unknown) => `${sid} ${token}`;

  function login(request: WireRequest): WireReply {
    const given = z.record(z.string(), z.unknown()).safeParse(readJson(request.body)).data ?? {};
    for (const name of ['mobileNumber', 'ucc', 'totp']) if (!given[name]) return missingField(name.charAt(0).toUpperCase() + name.slice(1));
    if (given.mobileNumber !== credentials.MOBILE_NUMBER || given.ucc !== ucc) return loginRefused(401, 'Invalid mobile number or UCC');
    if (!timeCodeFits(credentials.TOTP_SECRET, String(given.totp), clock.now())) return loginRefused(401, 'Invalid TOTP');
    const [sid, token] = newPair();
    viewLogins.keep(both(sid, token), true);
    return json(200, { data: { token, sid, ...customer, kType: 'View' } });
  }

  function validate({ headers, body, origin }: WireRequest): WireReply {
    if (!viewLogins.about(both(headers.sid, headers.auth))) return loginRefused(401, 'Invalid session');
    const given = z.looseObject({ mpin: z.string() }).safeParse(readJson(body)).data;
    if (!given?.mpin) return missingField('Mpin');
    if (given.mpin !== credentials.MPIN) return loginRefused(401, 'Invalid MPIN');
    const [sid, token] = newPair();
    const midnight = sessions.nextHour(0);
    sessions.begin(midnight, both(sid, token));
    feeds.begin(midnight, sid);
    return json(200, { data: { token, sid, ...customer, kType: 'Trade', baseUrl: origin, ...sockets(origin) } });
  }

  /** A session id and a token. Clients may look into the token, so it is well-formed. */
  function newPair(): [sid: string, token: string] {
    return [randomUUID(), webToken('RS256', { sub: ucc, iat: epochSeconds(clock.now()) })];
  }

  const address = () => json(200, { data: [{ ip: '127.0.0.1', time: istText(clock.now()) }], stCode: 1000, status: 'success' });
  const routes: Route[] = [
    { method: 'POST', path: '/login/1.0/tradeApiLogin', operation: 'login', open: true, handle: knownApp(login) },
    { method: 'POST', path: '/login/1.0/tradeApiValidate', operation: 'login', open: true, handle: knownApp(validate) },
    { method: 'GET', path: '/login/1.0/get-client-ip', operation: 'profile', handle: address },
  ];
  return { holds: (sid, token) => sessions.lives(both(sid, token)), holdsSid: feeds.lives, routes };
}

function knownApp(handle: (request: WireRequest) => WireReply): (call: Call) => WireReply {
  return ({ request }) => {
    const { authorization, 'neo-fin-key': key } = request.headers;
    const known = authorization === credentials.ACCESS_TOKEN && key === 'neotradeapi';
    return known ? handle(request) : loginRefused(401, 'Invalid access token');
  };
}

/** Where the sockets lie: a login names them. */
function sockets(origin: string): { feedUrl: string; rtUrl: string } {
  const host = origin.replace('http', 'ws');
  return { feedUrl: `${host}/apifeed`, rtUrl: `${host}/realtime` };
}

const customer = {
  rid: '00000000-0000-4000-8000-000000000000',
  hsServerId: '',
  isUserPwdExpired: false,
  ucc,
  greetingName: 'PRACTICE ACCOUNT',
  isTrialAccount: false,
  dataCenter: 'E43',
  derivativesRiskDisclosure: '',
  mfAccess: 1,
  dataCenterMap: null,
  dormancyStatus: 'A',
  asbaStatus: '',
  clientType: 'RI',
  isNRI: false,
  kId: 'PRACT0000E',
  status: 'success',
  incRange: 0,
  incUpdFlag: '',
  clientGroup: '',
  kraStatus: '',
  rcFlag: 0,
};
