import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { jsonBody, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { createStreams } from './stream.ts';
import { failure, success } from './words.ts';

/** Upstox API v2 and v3 over HTTP: https://upstox.com/developer/api-documentation. JSON bodies in, `{status, data}` out. Both of its hosts are one here. */

const credentials = {
  API_KEY: 'practice-upstox-key',
  API_SECRET: 'practice-upstox-secret',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  ACCESS_TOKEN: 'practice-upstox-access-token',
};
const CODE_MS = 300_000;
/** Tokens die at 03:30 in India. */
const EXPIRY_HOUR_IST = 3.5;

const beyondASecond = [
  { requests: 500, perMs: 60_000 },
  { requests: 2_000, perMs: 1_800_000 },
];
const reads = ['login', 'profile', 'funds', 'holdings', 'positions', 'orders', 'trades', 'market'] as const;

export const upstox: Emulator = {
  id: 'upstox',
  credentials,
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING', 'CIRCUIT', 'TICK', 'LOT', 'STOP_SIDE'],
    orderId: (serial) =>
      `${istText(Number(BigInt(serial) >> 20n))
        .slice(2, 10)
        .replaceAll('-', '')}${serial.slice(-15)}`,
  },
  named: (instrument) => ({ symbol: instrument.symbol, token: rows.instrumentKey(instrument) }),
  urls: (origin) => ({ api: origin, login: `${origin}/v2/login/authorization/dialog`, feed: origin.replace('http', 'ws') }),
  limits: [
    ...[{ requests: 10, perMs: 1_000 }, ...beyondASecond].map((limit) => ({ covers: ['place', 'modify', 'cancel'], ...limit })),
    ...reads.flatMap((operation) => [{ requests: 50, perMs: 1_000 }, ...beyondASecond].map((limit) => ({ covers: [operation], ...limit }))),
  ],
  words: {
    rateLimited: () => failure(429, 'UDAPI10005', 'Too Many Request Sent'),
    sessionExpired: () => failure(401, 'UDAPI100050', 'Invalid token used to access API'),
    unregisteredAddress: (address) =>
      failure(
        403,
        'UDAPI1154',
        `Access to this API is blocked due to static IP restrictions. The configured static IP does not match origin IP (${address}).`,
      ),
    // There is no text about time-outs here: a 4xx leaves the fate open by this code alone.
    timedOut: () => failure(400, 'UDAPI100500', 'Something went wrong... Please contact us'),
    serverError: (status) => failure(status, 'UDAPI100500', 'Something went wrong... Please contact us'),
    notFound: () => failure(404, 'UDAPI100060', 'Resource not Found.'),
  },
  tagOf(request) {
    const body = jsonBody(request);
    return typeof body === 'object' && body !== null && 'tag' in body && typeof body.tag === 'string' ? body.tag : null;
  },
  serve(exchange) {
    const sessions = createSessions(exchange);
    const { streams, routes } = createStreams({ exchange, holds: sessions.holds, expired: upstox.words.sessionExpired });
    return {
      unauthorised: (request) => (sessions.holds(request) ? null : upstox.words.sessionExpired()),
      streams,
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(), ...routes],
    };
  },
};

/** Login by code; access tokens live to 03:30 IST. The practice token lives until it is logged out, and again from the next login. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const codes = new Map<string, { until: number; redirectUri: string }>();

  function tokenOf({ headers }: WireRequest): string {
    return /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  }

  function holds(request: WireRequest): boolean {
    const token = tokenOf(request);
    const validUntil = exchange.tokenValidUntil('upstox', token);
    return validUntil === undefined ? token === credentials.ACCESS_TOKEN : clock.now() < validUntil;
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function dialog({ request: { query } }: Call): WireReply {
    const target = URL.parse(query.get('redirect_uri') ?? '');
    const known = query.get('client_id') === credentials.API_KEY && query.get('response_type') !== 'token';
    if (!known || !target || !['127.0.0.1', 'localhost'].includes(target.hostname)) {
      return failure(401, 'UDAPI100068', "Check your 'client_id' and 'redirect_uri'; one or both are incorrect.");
    }
    const code = newToken();
    codes.set(code, { until: clock.now() + CODE_MS, redirectUri: query.get('redirect_uri') ?? '' });
    target.searchParams.set('code', code);
    if (query.has('state')) target.searchParams.set('state', query.get('state') ?? '');
    return { status: 302, headers: { Location: target.href }, body: '' };
  }

  function exchangeCode({ request }: Call): WireReply {
    const given = new URLSearchParams(request.body);
    const code = codes.get(given.get('code') ?? '');
    codes.delete(given.get('code') ?? '');
    if (!code || code.until <= clock.now()) return failure(401, 'UDAPI100057', 'Invalid Auth code');
    if (given.get('client_id') !== credentials.API_KEY || given.get('client_secret') !== credentials.API_SECRET) {
      return failure(401, 'UDAPI100069', "Check your 'client_id' and 'client_secret'; one or both are incorrect.");
    }
    if (given.get('redirect_uri') !== code.redirectUri) return failure(401, 'UDAPI100070', "Check your 'redirect_uri'.");
    if (given.get('grant_type') !== 'authorization_code') return failure(400, 'UDAPI100036', 'Invalid input: grant_type');
    const token = newToken();
    exchange.keepToken('upstox', token, nextIstHour(clock.now(), EXPIRY_HOUR_IST));
    exchange.keepToken('upstox', credentials.ACCESS_TOKEN, Number.MAX_SAFE_INTEGER);
    return json(200, { ...rows.profile, access_token: token, extended_token: newToken() });
  }

  function logout({ request }: Call): WireReply {
    exchange.keepToken('upstox', tokenOf(request), 0);
    return success(true);
  }

  const routes: Route[] = [
    { method: 'GET', path: '/v2/login/authorization/dialog', operation: 'login', open: true, handle: dialog },
    { method: 'POST', path: '/v2/login/authorization/token', operation: 'login', open: true, handle: exchangeCode },
    { method: 'DELETE', path: '/v2/logout', operation: 'login', handle: logout },
  ];
  return { holds, routes };
}

function accountRoutes(exchange: Exchange): Route[] {
  function positions({ account }: Call): WireReply {
    const list = account.positions().flatMap((position) => {
      const instrument = findInstrument(position.exchange, position.symbol);
      return instrument ? [rows.positionRow(position, instrument, exchange.quote(instrument))] : [];
    });
    return success(list);
  }
  function holdings({ account }: Call): WireReply {
    const list = account.holdings().flatMap((holding) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [rows.holdingRow(holding, instrument, exchange.quote(instrument))] : [];
    });
    return success(list);
  }
  function funds({ account, request }: Call): WireReply {
    const both = rows.funds(account.funds());
    const segment = request.query.get('segment');
    if (segment === null) return success(both);
    if (segment === 'SEC') return success({ equity: both.equity });
    return segment === 'COM' ? success({ commodity: both.commodity }) : failure(400, 'UDAPI100036', 'Invalid input: segment');
  }
  function lastPrices({ request }: Call): WireReply {
    const keys = (request.query.get('instrument_key') ?? '').split(',');
    const known = keys.flatMap((key) => rows.instrumentOfKey(key) ?? []);
    if (known.length === 0) return failure(400, 'UDAPI100011', 'Invalid Instrument key');
    return success(Object.fromEntries(known.map((instrument) => rows.lastPrice(instrument, exchange.quote(instrument)))));
  }
  const list: readonly (readonly [string, Route['operation'], Route['handle']])[] = [
    ['/v2/user/profile', 'profile', () => success(rows.profile)],
    ['/v2/user/get-funds-and-margin', 'funds', funds],
    ['/v3/user/get-funds-and-margin', 'funds', ({ account }) => success(rows.fundsV3(account.funds()))],
    ['/v2/portfolio/long-term-holdings', 'holdings', holdings],
    ['/v2/portfolio/short-term-positions', 'positions', positions],
    ['/v3/portfolio/mtf-positions', 'positions', () => success([])],
    ['/v3/market-quote/ltp', 'market', lastPrices],
  ];
  return list.map(([path, operation, handle]) => ({ method: 'GET', path, operation, handle }));
}
