import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import type { WireReply } from '../wire/message.ts';
import { holdingRow, margins, positionRows, profile } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { lastPriceRow, ohlcRow, quoteRow } from './market-rows.ts';
import { masterFiles } from './master.ts';
import { orderRoutes } from './orders.ts';
import { instrumentToken, orderRow, quotedAs, tradingSymbol } from './rows.ts';
import { tickerStream } from './stream.ts';
import { badInput, failure, success } from './words.ts';

/** Kite Connect v3 over HTTP: https://kite.trade/docs/connect/v3. Form bodies in, `{status, data}` out. */

export const zerodha: Emulator = {
  id: 'zerodha',
  credentials,
  traits: { refusedInBook: [], orderId: (serial) => serial },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(instrumentToken(instrument)) }),
  urls: (origin) => ({ api: origin, login: `${origin}/connect/login`, feed: origin.replace('http', 'ws'), master: origin }),
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
    const logins = createLogins(exchange);
    return {
      unauthorised: (request) => (logins.holds(request) ? null : zerodha.words.sessionExpired()),
      streams: [tickerStream({ exchange, holds: logins.lives, tokenOf: instrumentToken, orderData: (order) => orderRow(order) })],
      routes: [...logins.routes, ...accountRoutes(), ...orderRoutes(), ...marketRoutes(exchange), ...masterRoutes(exchange, masterFiles)],
    };
  },
};

function accountRoutes(): Route[] {
  function positions({ account }: Call): WireReply {
    const both = account.positions().map(positionRows);
    return success({ net: both.map((row) => row.net), day: both.flatMap((row) => row.day ?? []) });
  }
  function segment({ account, params }: Call): WireReply {
    const name = z.enum(['equity', 'commodity']).safeParse(params.segment);
    return name.success ? success(margins(account.funds())[name.data]) : badInput('Invalid `segment`.');
  }
  return [
    { method: 'GET', path: '/user/profile', operation: 'profile', handle: () => success(profile) },
    { method: 'GET', path: '/user/margins', operation: 'funds', handle: ({ account }) => success(margins(account.funds())) },
    { method: 'GET', path: '/user/margins/:segment', operation: 'funds', handle: segment },
    {
      method: 'GET',
      path: '/portfolio/holdings',
      operation: 'holdings',
      handle: ({ account }) => success(account.holdings().map(holdingRow)),
    },
    { method: 'GET', path: '/portfolio/positions', operation: 'positions', handle: positions },
  ];
}

function marketRoutes(exchange: Exchange): Route[] {
  function quotes(most: number, row: (...of: Parameters<typeof quoteRow>) => unknown) {
    return ({ request }: Call): WireReply => {
      const names = request.query.getAll('i');
      if (names.length === 0 || names.length > most) return badInput('Invalid `i`.');
      const known = names.flatMap((name) => {
        const instrument = quotedAs(name);
        return instrument ? [[name, row(instrument, exchange.quote(instrument), exchange.clock.now())] as const] : [];
      });
      return success(Object.fromEntries(known));
    };
  }
  const reads = [
    { path: '/quote', limit: 'quote', handle: quotes(500, quoteRow) },
    { path: '/quote/ohlc', limit: 'quote', handle: quotes(1_000, ohlcRow) },
    { path: '/quote/ltp', limit: 'quote', handle: quotes(1_000, lastPriceRow) },
  ];
  return reads.map((route): Route => ({ method: 'GET', operation: 'market', ...route }));
}
