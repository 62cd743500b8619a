import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { json, type WireReply } from '../wire/message.ts';
import { barePositionRow, holdingRow, margins, positionRow, user } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { ohlcRow, quoteRow } from './market-rows.ts';
import { masterFiles } from './master.ts';
import { orderRoutes, referenceOf } from './orders.ts';
import * as rows from './rows.ts';
import { createStreams } from './stream.ts';
import { badRequest, failure, success, unauthorised } from './words.ts';

/** Groww Trading API over HTTP: https://groww.in/trade-api/docs. JSON both ways, `{status, payload}` out. */

const MOST_NAMES = 50;
const orderCalls = ['place', 'modify', 'cancel'];
const otherCalls = ['profile', 'funds', 'holdings', 'positions', 'orders', 'trades'];

export const groww: Emulator = {
  id: 'groww',
  credentials,
  // A risk desk that refuses does so in the book: the place call has succeeded by then.
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING', 'FREEZE'],
    orderId: (serial) => `GMK${BigInt(serial).toString(36).toUpperCase().padStart(16, '0')}`,
  },
  named: (instrument) => ({ symbol: rows.tradingSymbol(instrument), token: rows.tokenOf(instrument) }),
  urls: (origin) => ({ api: origin, login: origin, feed: origin.replace('http', 'ws'), master: `${origin}/instruments` }),
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
    sessionExpired: unauthorised,
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
    const logins = createLogins(exchange);
    const { streams, routes } = createStreams({ exchange, holds: logins.holds });
    const switches = { barePositions: false };
    return {
      switches,
      unauthorised: (request) => (logins.holds(request) ? null : unauthorised()),
      streams,
      routes: [...logins.routes, ...accountRoutes(switches), ...orderRoutes(), ...marketRoutes(exchange), ...routes],
    };
  },
};

/** `barePositions`: their rows come as they may, without what is optional and without a sign. */
function accountRoutes(ways: { barePositions: boolean }): Route[] {
  function holdings({ account }: Call): WireReply {
    return success({ holdings: account.holdings().map(holdingRow) });
  }
  function positions({ request, account }: Call): WireReply {
    const { query } = request;
    const wanted = account.positions().filter((position) => {
      const segment = rows.venueOf[position.exchange]?.segment;
      return (
        segment && segment === (query.get('segment') ?? segment) && position.symbol === (query.get('trading_symbol') ?? position.symbol)
      );
    });
    return success({ positions: wanted.map(ways.barePositions ? barePositionRow : positionRow) });
  }
  return [
    { method: 'GET', path: '/v1/user/detail', operation: 'profile', handle: () => success(user) },
    { method: 'GET', path: '/v1/margins/detail/user', operation: 'funds', handle: ({ account }) => success(margins(account.funds())) },
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
    return success(quoteRow(instrument, exchange.quote(instrument), exchange.clock.now()));
  }
  const last = many((instrument) => Number(exchange.quote(instrument).last));
  const ohlc = many((instrument) => ohlcRow(exchange.quote(instrument)));
  return [
    { method: 'GET', path: '/v1/live-data/ltp', operation: 'market', handle: last },
    { method: 'GET', path: '/v1/live-data/ohlc', operation: 'market', handle: ohlc },
    { method: 'GET', path: '/v1/live-data/quote', operation: 'market', handle: quote },
    ...masterRoutes(exchange, masterFiles),
  ];
}

function named(exchange: string | null, segment: string | null, symbol: string): Instrument | undefined {
  const found = Object.entries(rows.venueOf).find(([, venue]) => venue?.exchange === exchange && venue?.segment === segment);
  return found && rows.quotedAs(found[0], symbol);
}
