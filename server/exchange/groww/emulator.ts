import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { z } from 'zod';
import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Instrument } from '../types.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { orderRoutes, readJson, referenceOf } from './orders.ts';
import * as rows from './rows.ts';
import { createStreams } from './stream.ts';
import { badRequest, failure, success } from './words.ts';

/** Groww Trading API over HTTP: https://groww.in/trade-api/docs. JSON both ways, `{status, payload}` out. */

const credentials = { API_KEY: 'practicekey', TOTP_SECRET: 'PRACTICEPRACTICE', API_SECRET: 'practicesecret' };

const EXPIRY_HOUR_IST = 6;
const CHECKSUM_MS = 600_000;
const MOST_NAMES = 50;
const orderCalls = ['place', 'modify', 'cancel'];
const otherCalls = ['profile', 'funds', 'holdings', 'positions', 'orders', 'trades'];

export const groww: Emulator = {
  id: 'groww',
  credentials,
  // A risk desk that refuses does so in the book: the place call has succeeded by then.
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING'],
    orderId: (serial) => `GMK${BigInt(serial).toString(36).toUpperCase().padStart(16, '0')}`,
  },
  named: (instrument) => ({ symbol: instrument.symbol, token: String(instrument.exchangeToken) }),
  urls: (origin) => ({ api: origin, login: origin, feed: origin.replace('http', 'ws') }),
  limits: [
    { covers: orderCalls, requests: 10, perMs: 1_000 },
    { covers: orderCalls, requests: 250, perMs: 60_000 },
    { covers: ['market'], requests: 10, perMs: 1_000 },
    { covers: ['market'], requests: 300, perMs: 60_000 },
    { covers: otherCalls, requests: 20, perMs: 1_000 },
    { covers: otherCalls, requests: 500, perMs: 60_000 },
    { covers: ['login'], requests: 5, perMs: 1_000 },
    { covers: ['login'], requests: 30, perMs: 60_000 },
    { covers: ['login'], requests: 150, perMs: 86_400_000 },
  ],
  words: {
    rateLimited: () => json(429, { message: 'Too many requests' }),
    sessionExpired: () => failure(401, 'GA005', 'User not authorised to perform this operation'),
    unregisteredAddress: (address) => failure(403, 'GA005', `IP ${address} is not registered for this API key`),
    timedOut: () => failure(400, 'GA006', 'Cannot process this request'),
    serverError: (status) => {
      const known = { 500: ['GA000', 'Internal error occurred'], 503: ['GA003', 'Unable to serve request currently'] }[status];
      return known ? failure(status, known[0] ?? '', known[1] ?? '') : json(status, { message: 'Upstream failure' });
    },
    notFound: () => json(404, { message: 'Not found' }),
  },
  tagOf: referenceOf,
  serve(exchange) {
    const sessions = createSessions(exchange);
    const { streams, routes } = createStreams({ exchange, holds: sessions.holds });
    return {
      unauthorised: (request) => (sessions.holds(request) ? null : groww.words.sessionExpired()),
      streams,
      routes: [...sessions.routes, ...accountRoutes(), ...orderRoutes(), ...marketRoutes(exchange), ...routes],
    };
  },
};

const TokenBody = z.union([
  z.object({ key_type: z.literal('totp').default('totp'), totp: z.string() }),
  // The documents send the time as text, the SDK as a number.
  z.object({ key_type: z.literal('approval'), checksum: z.string(), timestamp: z.union([z.string(), z.int()]).transform(String) }),
]);

/** Login by API key with a one-time code or a checksum; tokens live to 06:00 IST. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const totp = new TOTP({ secret: Secret.fromBase32(credentials.TOTP_SECRET) });

  function holds(request: WireRequest): boolean {
    return clock.now() < (exchange.tokenValidUntil('groww', bearer(request)) ?? 0);
  }

  function proves(given: z.infer<typeof TokenBody>): boolean {
    const now = clock.now();
    if (given.key_type === 'totp') return totp.validate({ token: given.totp, timestamp: now, window: 1 }) !== null;
    const fresh = Math.abs(now - Number(given.timestamp) * 1_000) <= CHECKSUM_MS;
    return fresh && given.checksum === createHash('sha256').update(`${credentials.API_SECRET}${given.timestamp}`).digest('hex');
  }

  function token({ request }: Call): WireReply {
    if (bearer(request) !== credentials.API_KEY) return groww.words.sessionExpired();
    const given = TokenBody.safeParse(readJson(request.body));
    if (!given.success || !proves(given.data)) {
      return json(400, {
        status: 'FAILURE',
        error: { code: 'GA001', message: 'Bad request', displayMessage: 'Invalid TOTP or checksum', metadata: null },
      });
    }
    const made = newToken();
    const until = nextIstHour(clock.now(), EXPIRY_HOUR_IST);
    exchange.keepToken('groww', made, until);
    return json(200, {
      token: made,
      tokenRefId: newToken(),
      sessionName: 'practice',
      expiry: istText(until).replace(' ', 'T'),
      isActive: true,
    });
  }

  const routes: Route[] = [
    { method: 'POST', path: '/v1/token/api/access', operation: 'login', open: true, handle: token },
    // The SDK greets its user with it.
    { method: 'GET', path: '/v1/changelog', operation: 'market', limit: 'changelog', open: true, handle: () => json(200, {}) },
  ];
  return { holds, routes };
}

function bearer(request: WireRequest): string {
  return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
}

function accountRoutes(): Route[] {
  function holdings({ account }: Call): WireReply {
    return success({ holdings: account.holdings().map((holding) => rows.holdingRow(holding, isinOf(holding))) });
  }
  function positions({ request, account }: Call): WireReply {
    const { query } = request;
    const wanted = account.positions().filter((position) => {
      const segment = rows.venueOf[position.exchange]?.segment;
      return (
        segment && segment === (query.get('segment') ?? segment) && position.symbol === (query.get('trading_symbol') ?? position.symbol)
      );
    });
    return success({ positions: wanted.map((position) => rows.positionRow(position, isinOf(position))) });
  }
  return [
    { method: 'GET', path: '/v1/user/detail', operation: 'profile', handle: () => success(rows.user) },
    { method: 'GET', path: '/v1/margins/detail/user', operation: 'funds', handle: ({ account }) => success(rows.margins(account.funds())) },
    { method: 'GET', path: '/v1/holdings/user', operation: 'holdings', handle: holdings },
    { method: 'GET', path: '/v1/positions/user', operation: 'positions', handle: positions },
    { method: 'GET', path: '/v1/positions/trading-symbol', operation: 'positions', handle: positions },
  ];
}

function marketRoutes(exchange: Exchange): Route[] {
  /** The SDK repeats the parameter, the documents join its values. */
  function many(value: (instrument: Instrument) => unknown) {
    return ({ request }: Call): WireReply => {
      const names = request.query.getAll('exchange_symbols').flatMap((text) => text.split(','));
      if (names.length === 0 || names.length > MOST_NAMES) return badRequest('Invalid exchange symbols.');
      const known = names.flatMap((name) => {
        const [market = '', ...symbol] = name.trim().split('_');
        const instrument = named(market, request.query.get('segment'), symbol.join('_'));
        return instrument ? [[name.trim(), value(instrument)] as const] : [];
      });
      return known.length === names.length ? success(Object.fromEntries(known)) : badRequest('Invalid trading symbol.');
    };
  }
  function quote({ request: { query } }: Call): WireReply {
    const instrument = named(query.get('exchange'), query.get('segment'), query.get('trading_symbol') ?? '');
    if (!instrument) return badRequest('Invalid trading symbol.');
    return success(rows.quoteRow(instrument, exchange.quote(instrument), exchange.clock.now()));
  }
  function master(): WireReply {
    return { status: 200, headers: { 'Content-Type': 'text/csv' }, body: rows.instrumentCsv(exchange.instruments) };
  }
  const last = many((instrument) => Number(exchange.quote(instrument).last));
  const ohlc = many((instrument) => rows.ohlc(exchange.quote(instrument)));
  return [
    { method: 'GET', path: '/v1/live-data/ltp', operation: 'market', handle: last },
    { method: 'GET', path: '/v1/live-data/ohlc', operation: 'market', handle: ohlc },
    { method: 'GET', path: '/v1/live-data/quote', operation: 'market', handle: quote },
    { method: 'GET', path: '/instruments/instrument.csv', operation: 'market', limit: 'instruments', open: true, handle: master },
  ];
}

function named(exchange: string | null, segment: string | null, symbol: string): Instrument | undefined {
  const found = Object.entries(rows.venueOf).find(([, venue]) => venue?.exchange === exchange && venue?.segment === segment);
  return found && findInstrument(found[0], symbol);
}

function isinOf(of: { exchange: string; symbol: string }): string | null {
  return findInstrument(of.exchange, of.symbol)?.isin ?? null;
}
