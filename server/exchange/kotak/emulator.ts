import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { marketRoutes } from './market.ts';
import { jData, orderRoutes } from './orders.ts';
import { holdingRow, limitsBody, positionRow } from './rows.ts';
import { kotakStreams } from './stream.ts';
import { loginRefused, missingField, notOk, report, tradingSymbol, ucc } from './words.ts';

/** Kotak Neo Trade API over HTTP: sign-in by time code and MPIN, then form bodies with one field of JSON. */

const credentials = {
  ACCESS_TOKEN: '00000000-practice-access-token',
  MOBILE_NUMBER: '+910000000000',
  UCC: ucc,
  TOTP_SECRET: 'PRACTICEPRACTICEPRACTICEPRACTICE',
  MPIN: '010203',
};

const VIEW_LOGIN_MS = 300_000;

const serverWords: Readonly<Record<number, string>> = {
  502: 'Not able to communicate with OMS',
  503: 'Trade API service is unavailable',
  504: 'Gateway timeout, trade API is unreachable',
};

export const kotak: Emulator = {
  id: 'kotak',
  credentials,
  traits: {
    // Answered Ok by the order system; risk desk and exchange reject later, in the order report.
    refusedInBook: ['STOP_SIDE', 'TICK', 'CIRCUIT', 'PRODUCT', 'VALIDITY', 'HOLDING'],
    orderId: orderNumber,
  },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({ api: origin, login: origin, feed: `${origin.replace('http', 'ws')}/apifeed` }),
  limits: [{ covers: operations, requests: 10, perMs: 1_000 }],
  words: {
    rateLimited: () => notOk(429, 429, 'Too many requests to the API'),
    sessionExpired: () => notOk(403, 1003, 'Invalid session'),
    unregisteredAddress: () => json(401, { stCode: 100_008, errMsg: 'unauthorized', stat: 'Not_Ok' }),
    timedOut: () => notOk(424, 424, 'Dependency error: the order system timed out'),
    serverError: (status) => notOk(status, status, serverWords[status] ?? 'Unexpected error'),
    notFound: () => notOk(404, 404, 'resource not found'),
  },
  tagOf: (request) => z.looseObject({ ig: z.string() }).safeParse(jData(request)).data?.ig ?? null,
  serve(exchange) {
    const sessions = createSessions(exchange);
    return {
      unauthorised: ({ headers }) => (sessions.holds(String(headers.sid), String(headers.auth)) ? null : kotak.words.sessionExpired()),
      streams: kotakStreams({ exchange, ...sessions }),
      routes: [
        ...sessions.routes,
        ...accountRoutes(exchange),
        ...orderRoutes(exchange),
        ...marketRoutes(exchange, credentials.ACCESS_TOKEN),
      ],
    };
  },
};

/** The Indian day, then the millisecond of the day and two digits that tell orders of one millisecond apart. */
function orderNumber(serial: string): string {
  const at = Number(BigInt(serial) >> 20n);
  const [day = '', time = ''] = istText(at).split(' ');
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const millisecond = ((hours * 60 + minutes) * 60 + seconds) * 1000 + (at % 1000);
  return `${day.replaceAll('-', '').slice(2)}${String(millisecond).padStart(8, '0')}${serial.slice(-2)}`;
}

/** Two steps to a login that lives to the end of the Indian day. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const totp = new TOTP({ secret: Secret.fromBase32(credentials.TOTP_SECRET) });
  const viewLogins = new Map<string, number>();

  const lives = (name: string) => clock.now() < (exchange.tokenValidUntil('kotak', name) ?? 0);
  const holds = (sid: string, token: string) => lives(`${sid} ${token}`);
  /** The price socket asks for the session id alone. */
  const holdsSid = (sid: string) => lives(`feed:${sid}`);

  function knownApp(handle: (request: WireRequest) => WireReply): (call: Call) => WireReply {
    return ({ request }) => {
      const { authorization, 'neo-fin-key': key } = request.headers;
      return authorization === credentials.ACCESS_TOKEN && key === 'neotradeapi'
        ? handle(request)
        : loginRefused(401, 'Invalid access token');
    };
  }

  function login(request: WireRequest): WireReply {
    const given = z.record(z.string(), z.unknown()).safeParse(readJson(request.body)).data ?? {};
    for (const name of ['mobileNumber', 'ucc', 'totp']) if (!given[name]) return missingField(name.charAt(0).toUpperCase() + name.slice(1));
    if (given.mobileNumber !== credentials.MOBILE_NUMBER || given.ucc !== ucc) return loginRefused(401, 'Invalid mobile number or UCC');
    if (totp.validate({ token: String(given.totp), timestamp: clock.now() }) === null) return loginRefused(401, 'Invalid TOTP');
    const [sid, token] = [randomUUID(), webToken()];
    viewLogins.set(`${sid} ${token}`, clock.now() + VIEW_LOGIN_MS);
    return json(200, { data: { token, sid, ...customer, kType: 'View' } });
  }

  function validate(request: WireRequest): WireReply {
    if ((viewLogins.get(`${request.headers.sid} ${request.headers.auth}`) ?? 0) <= clock.now()) return loginRefused(401, 'Invalid session');
    const given = z.looseObject({ mpin: z.string() }).safeParse(readJson(request.body)).data;
    if (!given?.mpin) return missingField('Mpin');
    if (given.mpin !== credentials.MPIN) return loginRefused(401, 'Invalid MPIN');
    const [sid, token] = [randomUUID(), webToken()];
    for (const name of [`${sid} ${token}`, `feed:${sid}`]) exchange.keepToken('kotak', name, nextIstHour(clock.now(), 0));
    return json(200, { data: { token, sid, ...customer, kType: 'Trade', baseUrl: request.origin } });
  }

  /** Clients may look into it, so it is well-formed. */
  function webToken(): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    return `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ sub: ucc, iat: Math.floor(clock.now() / 1000) })}.${newToken()}`;
  }

  const address = () => json(200, { data: [{ ip: '127.0.0.1', time: istText(clock.now()) }], stCode: 1000, status: 'success' });
  const routes: Route[] = [
    { method: 'POST', path: '/login/1.0/tradeApiLogin', operation: 'login', open: true, handle: knownApp(login) },
    { method: 'POST', path: '/login/1.0/tradeApiValidate', operation: 'login', open: true, handle: knownApp(validate) },
    { method: 'GET', path: '/login/1.0/get-client-ip', operation: 'profile', handle: address },
  ];
  return { holds, holdsSid, routes };
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

function accountRoutes(exchange: Exchange): Route[] {
  const now = () => exchange.clock.now();
  function holdings({ account }: Call): WireReply {
    const list = account.holdings().flatMap((holding) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [holdingRow(holding, instrument, exchange.quote(instrument))] : [];
    });
    return json(200, { data: list });
  }
  return [
    {
      method: 'POST',
      path: '/quick/user/limits',
      operation: 'funds',
      handle: ({ account }) => json(200, limitsBody(account.funds(), now())),
    },
    { method: 'GET', path: '/portfolio/v1/holdings', operation: 'holdings', handle: holdings },
    {
      method: 'GET',
      path: '/quick/user/positions',
      operation: 'positions',
      handle: ({ account }) =>
        report(
          'ok',
          account.positions().map((position) => positionRow(position, now())),
        ),
    },
  ];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
