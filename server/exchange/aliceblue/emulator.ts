import { createHash } from 'node:crypto';
import { istText } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { jsonBody, listed, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { createSockets, type Sockets } from './stream.ts';
import { clientId, failure, success } from './words.ts';

/** Alice Blue's A3 open API over HTTP (https://v2api.aliceblueonline.com): JSON bodies in, `{status, message, result}` out. Its hosts are one here. */

const credentials = {
  APP_CODE: 'practice-aliceblue-app',
  API_SECRET: 'practice-aliceblue-secret',
  USER_SESSION: 'practice-aliceblue-session',
};
const PREFIX = '/open-api/od/v1';
/** Where the login page sends the browser: registered with the app, here where `npm run login` waits. */
const registeredRedirect = 'http://127.0.0.1:5001/';
const CODE_MS = 300_000;
const SESSION_MS = 60 * 86_400_000;

const reads = ['login', 'profile', 'funds', 'holdings', 'positions', 'orders', 'trades', 'market'];

export const aliceblue: Emulator = {
  id: 'aliceblue',
  credentials,
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING', 'CIRCUIT', 'TICK', 'RISK', 'WITHDRAWN'],
    orderId: (serial) =>
      `${istText(Number(BigInt(serial) >> 20n))
        .slice(2, 10)
        .replaceAll('-', '')}${serial.slice(-15)}`,
  },
  named: (instrument) => ({ symbol: rows.plainName(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({ api: origin, login: `${origin}/`, feed: `${origin.replace('http', 'ws')}/NorenWS` }),
  limits: [{ covers: reads, requests: 1_800, perMs: 900_000 }],
  words: {
    rateLimited: () => failure('Not_ok', 'Too many requests', 429),
    sessionExpired: () => failure('EC087', 'Session Expired', 401),
    unregisteredAddress: (address) => failure('EC097', `IP is not whitelisted: ${address}`),
    // There is no text about time-outs here: this code leaves the fate open.
    timedOut: () => failure('Not_ok', 'EC912', 400),
    serverError: (status) => failure('EC003', 'An error occurred', status),
    notFound: () => failure('Not_ok', 'Not found', 404),
  },
  tagOf(request) {
    const body = jsonBody(request);
    const [first] = Array.isArray(body) ? body : [];
    return typeof first === 'object' && first !== null && typeof first.orderTag === 'string' ? first.orderTag : null;
  },
  serve(exchange) {
    const sockets = createSockets(exchange);
    const sessions = createSessions(exchange, sockets);
    return {
      unauthorised: (request) => (sessions.holds(request) ? null : aliceblue.words.sessionExpired()),
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(PREFIX)],
      streams: sockets.streams,
    };
  },
};

/** Login by code. There is no logout; a token lives sixty days, the practice one for ever. */
function createSessions(exchange: Exchange, sockets: Sockets) {
  const { clock } = exchange;
  const codes = new Map<string, number>();

  function tokenOf({ headers }: WireRequest): string {
    return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  }

  function holds(request: WireRequest): boolean {
    const token = tokenOf(request);
    const validUntil = exchange.tokenValidUntil('aliceblue', token);
    return validUntil === undefined ? token === credentials.USER_SESSION : clock.now() < validUntil;
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function page({ request }: Call): WireReply {
    if (request.query.get('appcode') !== credentials.APP_CODE) return failure('Not_ok', 'Invalid appcode', 400);
    const target = new URL(registeredRedirect);
    const code = newToken();
    codes.set(code, clock.now() + CODE_MS);
    target.searchParams.set('authCode', code);
    target.searchParams.set('userId', clientId);
    return { status: 302, headers: { Location: target.href }, body: '' };
  }

  /** An envelope of its own. The checksum is all that is sent, so the code is the one that makes it. */
  function userDetails({ request }: Call): WireReply {
    const body = jsonBody(request);
    const checkSum = typeof body === 'object' && body !== null && 'checkSum' in body ? body.checkSum : '';
    const code = [...codes].find(
      ([each, until]) => until > clock.now() && sha256(clientId + each + credentials.API_SECRET) === checkSum,
    )?.[0];
    if (code === undefined) return json(200, { stat: 'Not_ok', emsg: 'Invalid auth code' });
    codes.delete(code);
    const until = clock.now() + SESSION_MS;
    const userSession = webToken(clock.now(), until);
    exchange.keepToken('aliceblue', userSession, until);
    return json(200, { stat: 'Ok', clientId, userSession });
  }

  function socketSession(change: (token: string) => void): Route['handle'] {
    return ({ request }) => {
      const body = jsonBody(request);
      const user = typeof body === 'object' && body !== null && 'userId' in body ? body.userId : '';
      if (user !== clientId) return failure('EC003', 'An error occurred');
      change(tokenOf(request));
      return json(200, { status: 'Ok', message: 'Success', infoMessage: null, result: [{ Status: 'OK' }] });
    };
  }

  const routes: Route[] = [
    { method: 'GET', path: '/', operation: 'login', open: true, handle: page },
    { method: 'POST', path: `${PREFIX}/vendor/getUserDetails`, operation: 'login', open: true, handle: userDetails },
    { method: 'POST', path: `${PREFIX}/profile/createWsSess`, operation: 'market', handle: socketSession(sockets.createSession) },
    { method: 'POST', path: `${PREFIX}/profile/invalidateWsSess`, operation: 'market', handle: socketSession(sockets.invalidateSession) },
    {
      method: 'GET',
      path: '/open-api/order-notify/ws/createWsToken',
      operation: 'market',
      handle: () => success({ orderToken: sockets.orderToken() }),
    },
  ];
  return { holds, routes };
}

function accountRoutes(exchange: Exchange): Route[] {
  function positions({ account }: Call): WireReply {
    const list = account.positions().flatMap((position) => {
      const instrument = findInstrument(position.exchange, position.symbol);
      return instrument ? [rows.positionRow(position, instrument, exchange.quote(instrument))] : [];
    });
    return listed(list, 'EC920', 'positions');
  }
  function holdings({ account, params }: Call): WireReply {
    const held = params.product === 'CNC' ? account.holdings() : [];
    const list = held.flatMap((holding) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [rows.holdingRow(holding, instrument, exchange.quote(instrument))] : [];
    });
    return listed(list, 'EC922', 'holdings');
  }
  const list: readonly (readonly [string, Route['operation'], Route['handle']])[] = [
    // Documented with a slash at the end and used without: both are served.
    ['/profile/', 'profile', () => success(rows.profile)],
    ['/profile', 'profile', () => success(rows.profile)],
    ['/limits/', 'funds', ({ account }) => success(rows.funds(account.funds()))],
    ['/limits', 'funds', ({ account }) => success(rows.funds(account.funds()))],
    ['/holdings/:product', 'holdings', holdings],
    ['/positions', 'positions', positions],
  ];
  return list.map(([path, operation, handle]) => ({ method: 'GET', path: PREFIX + path, operation, handle }));
}

/** The shape of the broker's token with its claims, signed by nobody. */
function webToken(from: number, until: number): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: Math.floor(from / 1000), exp: Math.floor(until / 1000), ucc: clientId };
  return [part({ alg: 'RS256', typ: 'JWT' }), part(claims), newToken()].join('.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
