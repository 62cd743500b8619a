import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { readJson, type WireReply } from '../wire/message.ts';
import { dayAndSerial } from '../wire/times.ts';
import { fundSegments, fundsV3, holdingRow, lastPrice, marketQuote, positionRow, profile } from './account-rows.ts';
import { createLogins, credentials, LOGIN_PAGE } from './login.ts';
import { MASTER, masterFiles } from './master.ts';
import { MARGIN, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { createStreams } from './stream.ts';
import { failure, success } from './words.ts';

/** Upstox API v2 and v3 over HTTP: https://upstox.com/developer/api-documentation. JSON bodies in, `{status, data}` out. Both of its hosts are one here. */

const MOST_KEYS = 500;
const MTF = 'mtf-positions';
const beyondASecond = [
  { requests: 500, perMs: 60_000 },
  { requests: 2_000, perMs: 1_800_000 },
];
/** Each API by itself; MTF positions and the margin calculator have one of their own. */
const reads = ['login', 'profile', 'funds', 'holdings', 'positions', MTF, MARGIN, 'orders', 'trades', 'market'] as const;

export const upstox: Emulator = {
  id: 'upstox',
  credentials,
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING', 'CIRCUIT', 'TICK', 'LOT', 'FREEZE', 'STOP_SIDE'],
    orderId: dayAndSerial,
  },
  named: (instrument) => ({ symbol: instrument.symbol, token: rows.instrumentKey(instrument) }),
  urls: (origin) => ({
    api: origin,
    login: origin + LOGIN_PAGE,
    feed: origin.replace('http', 'ws'),
    master: origin + MASTER,
  }),
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
    const body = readJson(request.body);
    return typeof body === 'object' && body !== null && 'tag' in body && typeof body.tag === 'string' ? body.tag : null;
  },
  serve(exchange) {
    const logins = createLogins(exchange);
    const { streams, routes } = createStreams({ exchange, holds: logins.holds, expired: upstox.words.sessionExpired });
    return {
      unauthorised: (request) => (logins.holds(request) ? null : upstox.words.sessionExpired()),
      streams,
      routes: [...logins.routes, ...accountRoutes(exchange), ...orderRoutes(), ...masterRoutes(exchange, masterFiles), ...routes],
    };
  },
};

function accountRoutes(exchange: Exchange): Route[] {
  function funds({ account, request }: Call): WireReply {
    const both = fundSegments(account.funds());
    const segment = request.query.get('segment');
    if (segment === null) return success(both);
    if (segment === 'SEC') return success({ equity: both.equity });
    return segment === 'COM' ? success({ commodity: both.commodity }) : failure(400, 'UDAPI100036', 'Invalid input: segment');
  }
  /** One unknown key refuses the whole call. */
  function quotes(row: typeof marketQuote): Route['handle'] {
    return ({ request }) => {
      const keys = (request.query.get('instrument_key') ?? request.query.get('symbol') ?? '').split(',');
      const known = keys.flatMap((key) => rows.quotedOfKey(key) ?? []);
      if (known.length < keys.length || keys.length > MOST_KEYS) return failure(400, 'UDAPI100011', 'Invalid Instrument key');
      return success(Object.fromEntries(known.map((instrument) => row(instrument, exchange.quote(instrument), exchange.clock.now()))));
    };
  }
  const list: readonly (readonly [string, Route['operation'], Route['handle']])[] = [
    ['/v2/user/profile', 'profile', () => success(profile)],
    ['/v2/user/get-funds-and-margin', 'funds', funds],
    ['/v3/user/get-funds-and-margin', 'funds', ({ account }) => success(fundsV3(account.funds()))],
    ['/v2/portfolio/long-term-holdings', 'holdings', ({ account }) => success(account.holdings().map(holdingRow))],
    ['/v2/portfolio/short-term-positions', 'positions', ({ account }) => success(account.positions().map(positionRow))],
    ['/v3/market-quote/ltp', 'market', quotes(lastPrice)],
    ['/v2/market-quote/quotes', 'market', quotes(marketQuote)],
  ];
  const mtf: Route = { method: 'GET', path: `/v3/portfolio/${MTF}`, operation: 'positions', limit: MTF, handle: () => success([]) };
  return [mtf, ...list.map(([path, operation, handle]): Route => ({ method: 'GET', path, operation, handle }))];
}
