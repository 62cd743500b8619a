import { createHash, timingSafeEqual } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { form, orderRoutes, orderRow } from './orders.ts';
import * as rows from './rows.ts';
import { tickerStream } from './stream.ts';
import { badInput, failure, success } from './words.ts';

/** Kite Connect v3 over HTTP: https://kite.trade/docs/connect/v3. Form bodies in, `{status, data}` out. */

const credentials = { API_KEY: 'practicekey', API_SECRET: 'practicesecret', ACCESS_TOKEN: 'practiceaccesstoken' };

/** Where the login page sends the browser when it is not told otherwise: the gateway's own first page. */
const registeredRedirect = 'http://127.0.0.1:5000/';
const REQUEST_TOKEN_MS = 300_000;

export const zerodha: Emulator = {
  id: 'zerodha',
  credentials,
  traits: { refusedInBook: [], orderId: (serial) => serial },
  named: (instrument) => ({ symbol: instrument.symbol, token: String(rows.instrumentToken(instrument)) }),
  urls: (origin) => ({ api: origin, login: `${origin}/connect/login`, feed: origin.replace('http', 'ws') }),
  limits: [
    { covers: ['place', 'modify', 'cancel'], requests: 10, perMs: 1_000 },
    { covers: ['place', 'modify', 'cancel'], requests: 400, perMs: 60_000 },
    { covers: ['place', 'modify', 'cancel'], requests: 5_000, perMs: 86_400_000 },
    { covers: ['quote'], requests: 1, perMs: 1_000 },
    ...(['login', 'profile', 'funds', 'holdings', 'positions', 'orders', 'trades', 'market'] as const).map((operation) => ({
      covers: [operation],
      requests: 10,
      perMs: 1_000,
    })),
  ],
  words: {
    rateLimited: () => failure(429, 'NetworkException', 'Too many requests'),
    sessionExpired: () => failure(403, 'TokenException', 'Incorrect `api_key` or `access_token`.'),
    unregisteredAddress: (address) =>
      failure(
        400,
        'PermissionException',
        `IP (${address}) is not allowed to place orders for this app. Update allowed IPs on the Kite developer console.`,
      ),
    timedOut: () =>
      failure(400, 'OrderException', 'Order request timed out. Please check the order book and confirm before placing again.'),
    serverError: (status) => {
      const type = status === 502 ? 'DataException' : status === 503 ? 'NetworkException' : 'GeneralException';
      return failure(status, type, status === 503 ? 'Request failed (kitetrade-oms).' : 'Something went wrong. Please try again.');
    },
    notFound: () => failure(404, 'GeneralException', 'Route not found'),
  },
  tagOf: (request) => new URLSearchParams(request.body).get('tag'),
  serve(exchange) {
    const sessions = createSessions(exchange);
    return {
      unauthorised: (request) => (sessions.holds(request) ? null : zerodha.words.sessionExpired()),
      streams: [tickerStream({ exchange, holds: sessions.lives, tokenOf: rows.instrumentToken, orderData: (order) => orderRow(order) })],
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(), ...marketRoutes(exchange)],
    };
  },
};

/** Login by request token; access tokens live to 06:00 IST. The practice token lives until it is logged out, and again from the next login. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const requestTokens = new Map<string, number>();

  function holds(request: WireRequest): boolean {
    const [key = '', token = ''] = /^token ([^:]+):(.+)$/.exec(request.headers.authorization ?? '')?.slice(1) ?? [];
    return lives(key, token);
  }

  function lives(key: string, token: string): boolean {
    if (key !== credentials.API_KEY) return false;
    const validUntil = exchange.tokenValidUntil('zerodha', token);
    return validUntil === undefined ? token === credentials.ACCESS_TOKEN : clock.now() < validUntil;
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function login({ request }: Call): WireReply {
    if (request.query.get('api_key') !== credentials.API_KEY) return badInput('Invalid `api_key`.');
    const target = URL.parse(request.query.get('redirect_url') ?? registeredRedirect);
    if (!target || !['127.0.0.1', 'localhost'].includes(target.hostname))
      return badInput('The registered redirect URL must be a loopback address.');
    const token = newToken();
    requestTokens.set(token, clock.now() + REQUEST_TOKEN_MS);
    for (const [name, value] of new URLSearchParams(request.query.get('redirect_params') ?? '')) target.searchParams.set(name, value);
    for (const [name, value] of Object.entries({ action: 'login', type: 'login', status: 'success', request_token: token })) {
      target.searchParams.set(name, value);
    }
    return { status: 302, headers: { Location: target.href }, body: '' };
  }

  function exchangeToken({ request }: Call): WireReply {
    const { api_key: key, request_token: token, checksum } = form(request);
    if (!key) return badInput('Missing api_key');
    if (!token) return badInput('Missing request_token');
    if (key !== credentials.API_KEY) return badInput('Invalid `api_key`.');
    if (!sameText(checksum ?? '', sha256(`${key}${token}${credentials.API_SECRET}`)))
      return failure(403, 'TokenException', 'Invalid `checksum`.');
    const known = requestTokens.get(token);
    requestTokens.delete(token);
    if (known === undefined || known <= clock.now()) return failure(403, 'TokenException', 'Token is invalid or has expired.');
    const accessToken = newToken();
    exchange.keepToken('zerodha', accessToken, nextIstHour(clock.now(), 6));
    exchange.keepToken('zerodha', credentials.ACCESS_TOKEN, Number.MAX_SAFE_INTEGER);
    const tokens = { api_key: key, access_token: accessToken, public_token: newToken(), enctoken: newToken(), refresh_token: '', silo: '' };
    return success({ ...rows.profile, ...tokens, login_time: istText(clock.now()) });
  }

  function logout({ request }: Call): WireReply {
    const token = request.query.get('access_token');
    if (!token) return badInput('Missing access_token');
    exchange.keepToken('zerodha', token, 0);
    return success(true);
  }

  const routes: Route[] = [
    { method: 'GET', path: '/connect/login', operation: 'login', open: true, handle: login },
    { method: 'POST', path: '/session/token', operation: 'login', open: true, handle: exchangeToken },
    { method: 'DELETE', path: '/session/token', operation: 'login', handle: logout },
  ];
  return { holds, lives, routes };
}

function accountRoutes(exchange: Exchange): Route[] {
  function positions({ account }: Call): WireReply {
    const both = account.positions().flatMap((position) => {
      const instrument = findInstrument(position.exchange, position.symbol);
      return instrument ? [rows.positionRows(position, rows.instrumentToken(instrument), exchange.quote(instrument))] : [];
    });
    return success({ net: both.map((row) => row.net), day: both.flatMap((row) => row.day ?? []) });
  }
  function holdings({ account }: Call): WireReply {
    const list = account.holdings().flatMap((holding) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [rows.holdingRow(holding, instrument, exchange.quote(instrument))] : [];
    });
    return success(list);
  }
  function segment({ account, params }: Call): WireReply {
    const name = z.enum(['equity', 'commodity']).safeParse(params.segment);
    return name.success ? success(rows.margins(account.funds())[name.data]) : badInput('Invalid `segment`.');
  }
  return [
    { method: 'GET', path: '/user/profile', operation: 'profile', handle: () => success(rows.profile) },
    { method: 'GET', path: '/user/margins', operation: 'funds', handle: ({ account }) => success(rows.margins(account.funds())) },
    { method: 'GET', path: '/user/margins/:segment', operation: 'funds', handle: segment },
    { method: 'GET', path: '/portfolio/holdings', operation: 'holdings', handle: holdings },
    { method: 'GET', path: '/portfolio/positions', operation: 'positions', handle: positions },
  ];
}

function marketRoutes(exchange: Exchange): Route[] {
  function quotes(most: number, row: (...of: Parameters<typeof rows.quoteRow>) => unknown) {
    return ({ request }: Call): WireReply => {
      const names = request.query.getAll('i');
      if (names.length === 0 || names.length > most) return badInput('Invalid `i`.');
      const known = names.flatMap((name) => {
        const instrument = findInstrument(name.slice(0, name.indexOf(':')), name.slice(name.indexOf(':') + 1));
        return instrument ? [[name, row(instrument, exchange.quote(instrument), exchange.clock.now())] as const] : [];
      });
      return success(Object.fromEntries(known));
    };
  }
  function instruments({ request, params }: Call): WireReply {
    const listed = exchange.instruments.filter((instrument) => params.exchange === undefined || instrument.exchange === params.exchange);
    const headers = { 'Content-Type': 'text/csv' };
    const csv = rows.instrumentCsv(listed);
    if (!/\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))) return { status: 200, headers, body: csv };
    return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: gzipSync(csv) };
  }
  const reads = [
    { path: '/quote', limit: 'quote', handle: quotes(500, rows.quoteRow) },
    { path: '/quote/ohlc', limit: 'quote', handle: quotes(1_000, rows.ohlcRow) },
    { path: '/quote/ltp', limit: 'quote', handle: quotes(1_000, rows.lastPriceRow) },
    { path: '/instruments', handle: instruments },
    { path: '/instruments/:exchange', handle: instruments },
  ];
  return reads.map((route): Route => ({ method: 'GET', operation: 'market', ...route }));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function sameText(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
