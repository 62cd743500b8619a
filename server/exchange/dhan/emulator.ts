import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { asListed } from '../listed.ts';
import type { Instrument, Quote } from '../types.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { csv, json, readJson, type WireReply } from '../wire/message.ts';
import { fundLimit, holdingRow, positionRow, profileBody } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { lastPriceRow, ohlcRow, quoteRow } from './market-rows.ts';
import { detailedLines, masterFiles } from './master.ts';
import { orderRoutes } from './orders.ts';
import { feedStream } from './stream.ts';
import { badInput, failure, quotedAs, refusedInBook, securityId, segmentOf, tradingSymbol } from './words.ts';

/** DhanHQ v2 over HTTP: https://dhanhq.co/docs/v2. JSON both ways, no envelope; logins live on a host of their own, here under the same origin. */

const orderCalls = ['place', 'modify', 'cancel'] as const;
const otherCalls = ['profile', 'funds', 'holdings', 'positions', 'orders', 'trades', 'login'] as const;

export const dhan: Emulator = {
  id: 'dhan',
  credentials,
  traits: { refusedInBook, orderId: (serial) => serial },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(securityId(instrument)) }),
  urls: (origin) => ({ api: `${origin}/v2`, login: origin, feed: origin.replace('http', 'ws'), master: `${origin}/api-data` }),
  limits: [
    { covers: orderCalls, requests: 10, perMs: 1_000 },
    { covers: orderCalls, requests: 250, perMs: 60_000 },
    { covers: orderCalls, requests: 1_000, perMs: 3_600_000 },
    { covers: orderCalls, requests: 7_000, perMs: 86_400_000 },
    { covers: ['market'], requests: 5, perMs: 1_000 },
    { covers: ['quote'], requests: 1, perMs: 1_000 },
    { covers: otherCalls, requests: 20, perMs: 1_000 },
  ],
  words: {
    rateLimited: () =>
      failure(429, 'DH-904', 'Too many requests on server from single user breaching rate limits. Try throttling API calls.'),
    sessionExpired: () => failure(401, 'DH-901', 'Client ID or user generated access token is invalid or expired.'),
    // As seen: two keys alone, and no word of the address.
    unregisteredAddress: () => json(400, { errorCode: 'DH-905', errorMessage: 'Invalid IP' }),
    timedOut: () => failure(400, 'DH-909', 'Network error where the API was unable to communicate with the backend system.'),
    serverError: (status) => failure(status, 'DH-908', 'Server was not able to process API request.'),
    notFound: () => json(404, { timestamp: '2026-11-20T04:12:33.000+00:00', status: 404, error: 'Not Found', path: '' }),
  },
  tagOf: (request) => z.looseObject({ correlationId: z.string() }).safeParse(readJson(request.body)).data?.correlationId ?? null,
  serve(exchange) {
    const logins = createLogins(exchange);
    const profile: Route = {
      method: 'GET',
      path: '/v2/profile',
      operation: 'profile',
      handle: ({ request }) => json(200, profileBody(logins.validity(request))),
    };
    return {
      unauthorised: (request) => (logins.holds(request) ? null : dhan.words.sessionExpired()),
      streams: [feedStream(exchange, logins.lives)],
      routes: [
        ...logins.routes,
        profile,
        ...accountRoutes(),
        ...orderRoutes(),
        ...marketRoutes(exchange),
        ...masterRoutes(exchange, masterFiles),
      ],
    };
  },
};

function accountRoutes(): Route[] {
  function holdings({ account }: Call): WireReply {
    const held = account.holdings();
    return held.length > 0 ? json(200, held.map(holdingRow)) : failure(500, 'DH-1111', 'No holdings available');
  }
  return [
    { method: 'GET', path: '/v2/fundlimit', operation: 'funds', handle: ({ account }) => json(200, fundLimit(account.funds())) },
    { method: 'GET', path: '/v2/holdings', operation: 'holdings', handle: holdings },
    {
      method: 'GET',
      path: '/v2/positions',
      operation: 'positions',
      handle: ({ account }) => json(200, account.positions().map(positionRow)),
    },
  ];
}

function marketRoutes(exchange: Exchange): Route[] {
  function quotes(row: (instrument: Instrument, quote: Quote, now: number) => object): Route['handle'] {
    return ({ request }) => {
      // The official SDK puts the client id among the segments.
      const asked = z.record(z.string(), z.unknown()).safeParse(readJson(request.body));
      if (!asked.success || request.headers['client-id'] !== credentials.CLIENT_ID) return badInput();
      const data = Object.entries(asked.data).flatMap(([segment, ids]) => {
        if (!Array.isArray(ids)) return [];
        const known = ids.flatMap((id) => quotedAs(segment, String(id)) ?? []);
        return [[segment, Object.fromEntries(known.map((one) => [securityId(one), row(one, exchange.quote(one), exchange.clock.now())]))]];
      });
      return json(200, { data: Object.fromEntries(data), status: 'success' });
    };
  }
  function instruments({ params }: Call): WireReply {
    const listed = exchange.instruments.filter((one) => segmentOf[one.exchange] === params.segment).map(asListed);
    return csv([...detailedLines(listed)].join(''));
  }
  const quote = { method: 'POST', operation: 'market', limit: 'quote' } as const;
  return [
    { ...quote, path: '/v2/marketfeed/ltp', handle: quotes(lastPriceRow) },
    { ...quote, path: '/v2/marketfeed/ohlc', handle: quotes(ohlcRow) },
    { ...quote, path: '/v2/marketfeed/quote', handle: quotes(quoteRow) },
    { method: 'GET', path: '/v2/instrument/:segment', operation: 'market', handle: instruments },
  ];
}
