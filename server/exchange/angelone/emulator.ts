import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { bare, json, plain, type WireReply } from '../wire/message.ts';
import { holdingRow, holdingTotals, positionRow, profile, rms } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { fullQuote, ltpRow } from './market-rows.ts';
import { masterFiles } from './master.ts';
import { bodyOf, instrumentAsked, orderRoutes } from './orders.ts';
import { priceStream } from './prices.ts';
import * as rows from './rows.ts';
import { orderStream } from './updates.ts';
import { failure, refusedInBook, SECURE, success, tokenExpired, turnedAway } from './words.ts';

/** SmartAPI v1 over HTTP: https://smartapi.angelone.in/docs. JSON both ways, `{status, message, errorcode, data}` out. */

const orderCalls = ['place', 'modify', 'cancel'] as const;

export const angelone: Emulator = {
  id: 'angelone',
  credentials,
  traits: { refusedInBook, orderId: rows.orderId },
  named: (instrument) => ({ symbol: rows.tradingSymbol(instrument), token: rows.tokenOf(instrument) }),
  urls: (origin) => ({
    api: origin,
    login: `${origin}/publisher-login`,
    feed: `${origin.replace('http', 'ws')}/smart-stream`,
    master: `${origin}/OpenAPI_File/files`,
  }),
  limits: [
    { covers: orderCalls, requests: 9, perMs: 1_000 },
    { covers: orderCalls, requests: 500, perMs: 60_000 },
    ...orderCalls.map((operation) => ({ covers: [operation], requests: 1_000, perMs: 3_600_000 })),
    { covers: ['details'], requests: 10, perMs: 1_000 },
    { covers: ['details'], requests: 500, perMs: 60_000 },
    ...['login', 'logout', 'tokens', 'orders', 'positions', 'trades', 'holdings', 'allHoldings', 'search'].map((name) => ({
      covers: [name],
      requests: 1,
      perMs: 1_000,
    })),
    { covers: ['profile'], requests: 3, perMs: 1_000 },
    { covers: ['funds'], requests: 2, perMs: 1_000 },
    { covers: ['market'], requests: 10, perMs: 1_000 },
    { covers: ['margin'], requests: 10, perMs: 1_000 },
    { covers: ['margin'], requests: 500, perMs: 60_000 },
    { covers: ['margin'], requests: 5_000, perMs: 3_600_000 },
  ],
  words: {
    rateLimited: () => plain(403, 'Access denied because of exceeding access rate'),
    sessionExpired: tokenExpired,
    unregisteredAddress: () => turnedAway('AG7002', 'Access denied: Unregistered IP address. Register your IP before retrying.'),
    timedOut: () => bare(400),
    serverError: (status) => failure('AB1004', 'Something Went Wrong, Please Try After Sometime', status),
    notFound: () => json(404, { timestamp: 0, status: 404, error: 'Not Found', path: '' }),
  },
  tagOf: (request) => z.object({ ordertag: z.string() }).safeParse(bodyOf(request)).data?.ordertag ?? null,
  serve(exchange) {
    const logins = createLogins(exchange);
    return {
      unauthorised: logins.refusalOf,
      streams: [priceStream(exchange, logins), orderStream(exchange, logins.sessions)],
      routes: [...logins.routes, ...accountRoutes(), ...orderRoutes(), ...marketRoutes(exchange)],
    };
  },
};

function accountRoutes(): Route[] {
  const holdings = ({ account }: Call) => account.holdings().map(holdingRow);

  function positions({ account }: Call): WireReply {
    const list = account.positions().map(positionRow);
    return success(list.length > 0 ? list : null);
  }

  function allHoldings(call: Call): WireReply {
    const list = holdings(call);
    return success({ holdings: list, totalholding: holdingTotals(list) });
  }

  return [
    { method: 'GET', path: `${SECURE}/user/v1/getProfile`, operation: 'profile', handle: () => success(profile) },
    { method: 'GET', path: `${SECURE}/user/v1/getRMS`, operation: 'funds', handle: ({ account }) => success(rms(account.funds())) },
    { method: 'GET', path: `${SECURE}/portfolio/v1/getHolding`, operation: 'holdings', handle: (call) => success(holdings(call)) },
    { method: 'GET', path: `${SECURE}/portfolio/v1/getAllHolding`, operation: 'holdings', limit: 'allHoldings', handle: allHoldings },
    { method: 'GET', path: `${SECURE}/order/v1/getPosition`, operation: 'positions', handle: positions },
  ];
}

const mostTokens = 50;
const QuoteBody = z.object({ mode: z.enum(['LTP', 'OHLC', 'FULL']), exchangeTokens: z.record(z.string(), z.array(z.string())) });
const LtpBody = z.object({ exchange: z.string(), tradingsymbol: z.string(), symboltoken: z.string() });
const SearchBody = z.object({ exchange: z.string(), searchscrip: z.string().min(1) });

function marketRoutes(exchange: Exchange): Route[] {
  function lastPrice({ request }: Call): WireReply {
    const named = LtpBody.safeParse(bodyOf(request)).data;
    const instrument = named && instrumentAsked(named);
    return instrument ? success(ltpRow(instrument, exchange.quote(instrument))) : failure('AB1018', 'Failed to get symbol details');
  }

  function quotes({ request }: Call): WireReply {
    const asked = QuoteBody.safeParse(bodyOf(request)).data;
    const pairs = Object.entries(asked?.exchangeTokens ?? {}).flatMap(([segment, tokens]) => tokens.map((token) => ({ segment, token })));
    if (!asked || pairs.length === 0 || pairs.length > mostTokens) return failure('AB1007', 'Invalid request');
    const found = pairs.map(({ segment, token }) => ({
      segment,
      token,
      instrument: rows.quotedAs(segment, token),
    }));
    const fetched = found.flatMap(({ token, instrument }) => {
      if (!instrument) return [];
      const quote = exchange.quote(instrument);
      const { exchange: segment, tradingsymbol, ltp, open, high, low, close } = ltpRow(instrument, quote);
      const named = { exchange: segment, tradingSymbol: tradingsymbol, symbolToken: token, ltp };
      if (asked.mode === 'LTP') return [named];
      const whole = asked.mode === 'FULL' ? fullQuote(instrument, quote, exchange.clock.now()) : {};
      return [{ ...named, open, high, low, close, ...whole }];
    });
    const unfetched = found.flatMap(({ segment, token, instrument }) =>
      instrument ? [] : [{ exchange: segment, symbolToken: token, message: 'Failed to get symbol details', errorCode: 'AB1018' }],
    );
    return success({ fetched, unfetched });
  }

  function search({ request }: Call): WireReply {
    const asked = SearchBody.safeParse(bodyOf(request)).data;
    if (!asked) return failure('AB1007', 'Invalid request');
    const wanted = asked.searchscrip.toUpperCase();
    const found = exchange.instruments.filter((each) => each.exchange === asked.exchange && rows.tradingSymbol(each).includes(wanted));
    return success(
      found.map((each) => ({ exchange: each.exchange, tradingsymbol: rows.tradingSymbol(each), symboltoken: String(each.exchangeToken) })),
    );
  }

  return [
    { method: 'POST', path: `${SECURE}/order/v1/getLtpData`, operation: 'market', handle: lastPrice },
    { method: 'POST', path: `${SECURE}/market/v1/quote`, operation: 'market', handle: quotes },
    { method: 'POST', path: `${SECURE}/order/v1/searchScrip`, operation: 'market', limit: 'search', handle: search },
    ...masterRoutes(exchange, masterFiles),
  ];
}
