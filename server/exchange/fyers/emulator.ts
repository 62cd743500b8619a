import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { json, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { dayAndMillisecond } from '../wire/times.ts';
import { fundLimit, holdingRow, positionRow, profile } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { depthRow, quoteRow } from './market-rows.ts';
import { masterFiles } from './master.ts';
import { orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { fyersStreams } from './stream.ts';
import { badInput, failure, success, tokenExpired } from './words.ts';

/** FYERS API v3 over HTTP: https://myapi.fyers.in/docsv3. JSON bodies in, `{s, code, message, ...}` out. */

export const fyers: Emulator = {
  id: 'fyers',
  credentials,
  traits: {
    // The risk system looks after the answer was given: such orders are accepted and turn rejected in the book.
    refusedInBook: ['MARGIN', 'HOLDING', 'FREEZE'],
    // The millisecond is that of the day in UTC.
    orderId: (serial) => dayAndMillisecond(serial, (at) => at % 86_400_000),
  },
  named: (instrument) => ({ symbol: rows.symbolOf(instrument), token: rows.fyToken(instrument) }),
  urls: (origin) => ({
    api: origin,
    login: `${origin}/api/v3/generate-authcode`,
    feed: origin.replace('http', 'ws'),
    master: `${origin}/sym_details`,
  }),
  limits: [
    { covers: operations, requests: 10, perMs: 1_000 },
    { covers: operations, requests: 200, perMs: 60_000 },
    { covers: operations, requests: 100_000, perMs: 86_400_000 },
  ],
  words: {
    rateLimited: () => {
      const refusal = failure(429, -429, 'request limit reached');
      return { ...refusal, headers: { ...refusal.headers, 'Retry-After': '1', 'X-Retry-After-Ms': '1000' } };
    },
    sessionExpired: tokenExpired,
    unregisteredAddress: (address) => failure(403, -99, `IP ${address} is not registered for this app`),
    // The broker's own way to say that it does not know.
    timedOut: () => json(200, { s: 'ok', code: 201, message: 'Order is in transit. Confirm its details in the order book.' }),
    serverError: (status) => failure(status, -99, 'Something went wrong'),
    notFound: () => failure(404, -404, 'No such address'),
  },
  tagOf: (request) => z.looseObject({ orderTag: z.string() }).safeParse(readJson(request.body)).data?.orderTag ?? null,
  serve(exchange) {
    const logins = createLogins(exchange);
    return {
      unauthorised: logins.unauthorised,
      streams: fyersStreams({ exchange, ...logins }),
      routes: [
        ...logins.routes,
        ...accountRoutes(),
        ...orderRoutes(exchange),
        ...marketRoutes(exchange),
        ...masterRoutes(exchange, masterFiles),
      ],
    };
  },
};

function accountRoutes(): Route[] {
  function positions({ account }: Call): WireReply {
    const list = account.positions().map(positionRow);
    const sum = (field: 'pl' | 'realized_profit' | 'unrealized_profit') => list.reduce((total, row) => total + row[field], 0);
    const pl = { pl_total: sum('pl'), pl_realized: sum('realized_profit'), pl_unrealized: sum('unrealized_profit') };
    const open = list.filter((row) => row.side !== 0).length;
    return success({ netPositions: list, overall: { count_total: list.length, count_open: open, ...pl } });
  }
  function holdings({ account }: Call): WireReply {
    const list = account.holdings().map((holding, index) => holdingRow(holding, index + 1));
    const invested = list.reduce((total, row) => total + row.costPrice * row.quantity, 0);
    const worth = list.reduce((total, row) => total + row.marketVal, 0);
    const share = invested === 0 ? 0 : ((worth - invested) / invested) * 100;
    const overall = { total_investment: invested, total_current_value: worth, total_pl: worth - invested, pnl_perc: share };
    return success({ holdings: list, overall: { count_total: list.length, ...overall } });
  }
  return [
    { method: 'GET', path: '/api/v3/profile', operation: 'profile', handle: () => success({ data: profile }) },
    {
      method: 'GET',
      path: '/api/v3/funds',
      operation: 'funds',
      handle: ({ account }) => success({ fund_limit: fundLimit(account.funds()) }),
    },
    { method: 'GET', path: '/api/v3/holdings', operation: 'holdings', handle: holdings },
    { method: 'GET', path: '/api/v3/positions', operation: 'positions', handle: positions },
  ];
}

const MOST_SYMBOLS = 50;

function marketRoutes(exchange: Exchange): Route[] {
  const { clock } = exchange;
  function named(request: WireRequest, field: string) {
    return (request.query.get(field) ?? '').split(',');
  }
  /** A symbol that is not known has a row of its own; a call for none that is known is refused. */
  function quotes({ request }: Call): WireReply {
    const symbols = named(request, 'symbols');
    const known = symbols.some((symbol) => rows.quotedOf(symbol));
    if (symbols.length > MOST_SYMBOLS) return badInput('Please provide at most 50 symbols');
    const d = symbols.map((symbol) => {
      const instrument = rows.quotedOf(symbol);
      return instrument
        ? quoteRow(instrument, exchange.quote(instrument), clock.now())
        : { n: symbol, s: 'error', v: { code: -300, errmsg: 'Invalid symbol' } };
    });
    return !known ? failure(400, -300, 'Invalid symbol') : json(200, { s: 'ok', code: 200, d });
  }
  function depth({ request }: Call): WireReply {
    const found = named(request, 'symbol').flatMap((symbol) => rows.quotedOf(symbol) ?? []);
    const d = found.map((instrument) => [rows.symbolOf(instrument), depthRow(instrument, exchange.quote(instrument), clock.now())]);
    return d.length === 0 ? failure(400, -300, 'Invalid symbol') : json(200, { s: 'ok', d: Object.fromEntries(d), message: '' });
  }
  function marketStatus(): WireReply {
    const segments = [
      [10, 10],
      [10, 11],
      [10, 12],
      [12, 10],
      [11, 20],
    ];
    return success({
      marketStatus: segments.map(([place, segment]) => ({ exchange: place, segment, market_type: 'NORMAL', status: 'OPEN' })),
    });
  }
  function symbolTokens({ request }: Call): WireReply {
    const asked = z.object({ symbols: z.array(z.string()) }).safeParse(readJson(request.body)).data;
    if (!asked) return badInput('Please provide valid symbols');
    const found = asked.symbols.map((symbol) => ({ symbol, instrument: rows.instrumentOf(symbol) }));
    const valid = found.flatMap(({ symbol, instrument }) => (instrument ? [[symbol, rows.fyToken(instrument)] as const] : []));
    const invalidSymbol = found.filter(({ instrument }) => !instrument).map(({ symbol }) => symbol);
    return success({ validSymbol: Object.fromEntries(valid), invalidSymbol });
  }
  return [
    { method: 'POST', path: '/data/symbol-token', operation: 'market', handle: symbolTokens },
    { method: 'GET', path: '/data/quotes', operation: 'market', handle: quotes },
    { method: 'GET', path: '/data/depth', operation: 'market', handle: depth },
    { method: 'GET', path: '/data/marketStatus', operation: 'market', handle: marketStatus },
  ];
}
