import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { jsonOf, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { fyersStreams } from './stream.ts';
import { badInput, failure, success, userId } from './words.ts';

/** FYERS API v3 over HTTP: https://myapi.fyers.in/docsv3. JSON bodies in, `{s, code, message, ...}` out. */

/** Access tokens are web tokens and carry the key of the price socket. This part alone signs in too, where no prices are followed. */
const practiceSignature = 'practiceaccesstoken';
const practiceFeedKey = 'practicefeedkey'.padEnd(56, '0');

const credentials = {
  APP_ID: 'PRACTICE01-100',
  SECRET_KEY: 'practicesecret',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  ACCESS_TOKEN: webToken({ iss: 'api.fyers.in', sub: 'access_token', fy_id: userId, hsm_key: practiceFeedKey }, practiceSignature),
};
const AUTH_CODE_MS = 300_000;

export const fyers: Emulator = {
  id: 'fyers',
  credentials,
  traits: {
    // The risk system looks after the answer was given: such orders are accepted and turn rejected in the book.
    refusedInBook: ['MARGIN', 'HOLDING'],
    orderId(serial) {
      const at = istText(Number(BigInt(serial) >> 20n));
      const ofDay = (BigInt(serial) >> 20n) % 86_400_000n;
      return `${at.slice(2, 10).replaceAll('-', '')}${String(ofDay).padStart(8, '0')}${String(BigInt(serial) % 100n).padStart(2, '0')}`;
    },
  },
  named: (instrument) => ({ symbol: rows.symbolOf(instrument), token: rows.fyToken(instrument) }),
  urls: (origin) => ({ api: origin, login: `${origin}/api/v3/generate-authcode`, feed: origin.replace('http', 'ws') }),
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
    sessionExpired: () => failure(401, -8, 'Your token has expired. Please generate a token'),
    unregisteredAddress: (address) => failure(403, -99, `IP ${address} is not registered for this app`),
    // The broker's own way to say that it does not know.
    timedOut: () => json(200, { s: 'ok', code: 201, message: 'Order is in transit. Confirm its details in the order book.' }),
    serverError: (status) => failure(status, -99, 'Something went wrong'),
    notFound: () => failure(404, -404, 'No such address'),
  },
  tagOf: (request) => z.looseObject({ orderTag: z.string() }).safeParse(jsonOf(request)).data?.orderTag ?? null,
  serve(exchange) {
    const sessions = createSessions(exchange);
    return {
      unauthorised: sessions.unauthorised,
      streams: fyersStreams({ exchange, ...sessions }),
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(exchange), ...marketRoutes(exchange)],
    };
  },
};

/** Login by auth code; access tokens live to 06:00 IST. The practice token lives until it is logged out, and again from the next login. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const authCodes = new Map<string, number>();

  /** App id and token of the header; null where the token is none of this app's. */
  function tokenOf(request: WireRequest): string | null {
    const [app, token = ''] = (request.headers.authorization ?? '').split(':');
    if (app !== credentials.APP_ID) return null;
    if (token === practiceSignature) return credentials.ACCESS_TOKEN;
    return token === credentials.ACCESS_TOKEN || exchange.tokenValidUntil('fyers', token) !== undefined ? token : null;
  }

  function holdsKey(key: string): boolean {
    const token = key === practiceFeedKey ? credentials.ACCESS_TOKEN : feedName(key);
    const validUntil = exchange.tokenValidUntil('fyers', token);
    return validUntil === undefined ? key === practiceFeedKey : clock.now() < validUntil;
  }

  function unauthorised(request: WireRequest): WireReply | null {
    const token = tokenOf(request);
    if (token === null) {
      if (request.path.startsWith('/data/')) return failure(401, -15, 'Please provide valid token');
      return failure(401, -16, 'Could not authenticate the user');
    }
    const validUntil = exchange.tokenValidUntil('fyers', token) ?? Number.MAX_SAFE_INTEGER;
    return clock.now() < validUntil ? null : fyers.words.sessionExpired();
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function login({ request: { query } }: Call): WireReply {
    if (query.get('client_id') !== credentials.APP_ID) return failure(400, -352, 'Invalid app id');
    if (query.get('response_type') !== 'code' || !query.get('state')) return badInput('Please provide a valid response_type and state');
    const target = URL.parse(query.get('redirect_uri') ?? '');
    if (!target || !['127.0.0.1', 'localhost'].includes(target.hostname)) return badInput('redirect_uri must be a loopback address');
    const code = signed({ iss: 'api.login.fyers.in', sub: 'auth_code', app_id: 'PRACTICE01' }, clock.now() + AUTH_CODE_MS);
    authCodes.set(code, clock.now() + AUTH_CODE_MS);
    const back = { s: 'ok', code: '200', auth_code: code, state: query.get('state') ?? '' };
    for (const [name, value] of Object.entries(back)) target.searchParams.set(name, value);
    return { status: 302, headers: { Location: target.href }, body: '' };
  }

  const Exchanged = z.object({ grant_type: z.literal('authorization_code'), appIdHash: z.string(), code: z.string() });

  function exchangeCode({ request }: Call): WireReply {
    const given = Exchanged.safeParse(jsonOf(request)).data;
    if (!given) return badInput('Please provide a valid grant_type, appIdHash and code');
    const wanted = createHash('sha256').update(`${credentials.APP_ID}:${credentials.SECRET_KEY}`).digest('hex');
    if (!sameText(given.appIdHash, wanted)) return failure(400, -5, 'invalid app id hash');
    const known = authCodes.get(given.code);
    authCodes.delete(given.code);
    if (known === undefined || known <= clock.now()) return failure(400, -437, 'invalid auth code');
    const until = nextIstHour(clock.now(), 6);
    const feedKey = newToken().padEnd(56, '0');
    const token = signed({ iss: 'api.fyers.in', sub: 'access_token', fy_id: userId, appType: 100, hsm_key: feedKey }, until);
    exchange.keepToken('fyers', token, until);
    exchange.keepToken('fyers', feedName(feedKey), until);
    exchange.keepToken('fyers', credentials.ACCESS_TOKEN, Number.MAX_SAFE_INTEGER);
    return success({ access_token: token, refresh_token: newToken() });
  }

  /** A token in the broker's form; its signature is chance, which is all that counts here. */
  function signed(claims: Record<string, unknown>, until: number): string {
    const iat = Math.floor(clock.now() / 1000);
    const times = { iat, nbf: iat, exp: Math.floor(until / 1000) };
    return webToken({ ...claims, ...times }, newToken());
  }

  function logout({ request }: Call): WireReply {
    const token = tokenOf(request);
    if (token !== null) {
      exchange.keepToken('fyers', token, 0);
      exchange.keepToken('fyers', feedName(feedKeyOf(token)), 0);
    }
    return success({}, 200, 'you are successfully logged out');
  }

  const routes: Route[] = [
    { method: 'GET', path: '/api/v3/generate-authcode', operation: 'login', open: true, handle: login },
    { method: 'POST', path: '/api/v3/validate-authcode', operation: 'login', open: true, handle: exchangeCode },
    { method: 'POST', path: '/api/v3/logout', operation: 'login', handle: logout },
  ];
  return { unauthorised, holdsKey, routes };
}

function webToken(claims: Record<string, unknown>, signature: string): string {
  const parts = [{ alg: 'HS256', typ: 'JWT' }, claims];
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), signature].join('.');
}

function feedKeyOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return z.looseObject({ hsm_key: z.string() }).parse(claims).hsm_key;
}

/** Feed keys are kept among the tokens, under a name no header can bring. */
function feedName(key: string): string {
  return `feed:${key}`;
}

function accountRoutes(exchange: Exchange): Route[] {
  function positions({ account }: Call): WireReply {
    const list = account.positions().flatMap((position, index) => {
      const instrument = findInstrument(position.exchange, position.symbol);
      return instrument ? [rows.positionRow(position, instrument, exchange.quote(instrument), index)] : [];
    });
    const sum = (field: 'pl' | 'realized_profit' | 'unrealized_profit') => list.reduce((total, row) => total + row[field], 0);
    const pl = { pl_total: sum('pl'), pl_realized: sum('realized_profit'), pl_unrealized: sum('unrealized_profit') };
    const open = list.filter((row) => row.side !== 0).length;
    return success({ netPositions: list, overall: { count_total: list.length, count_open: open, ...pl } });
  }
  function holdings({ account }: Call): WireReply {
    const list = account.holdings().flatMap((holding, index) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [rows.holdingRow(holding, instrument, exchange.quote(instrument), index + 1)] : [];
    });
    const invested = list.reduce((total, row) => total + row.costPrice * row.quantity, 0);
    const worth = list.reduce((total, row) => total + row.marketVal, 0);
    const share = invested === 0 ? 0 : ((worth - invested) / invested) * 100;
    const overall = { total_investment: invested, total_current_value: worth, total_pl: worth - invested, pnl_perc: share };
    return success({ holdings: list, overall: { count_total: list.length, ...overall } });
  }
  return [
    { method: 'GET', path: '/api/v3/profile', operation: 'profile', handle: () => success({ data: rows.profile }) },
    {
      method: 'GET',
      path: '/api/v3/funds',
      operation: 'funds',
      handle: ({ account }) => success({ fund_limit: rows.fundLimit(account.funds()) }),
    },
    { method: 'GET', path: '/api/v3/holdings', operation: 'holdings', handle: holdings },
    { method: 'GET', path: '/api/v3/positions', operation: 'positions', handle: positions },
  ];
}

function marketRoutes(exchange: Exchange): Route[] {
  const { clock } = exchange;
  function named(request: WireRequest, field: string) {
    return (request.query.get(field) ?? '').split(',').flatMap((symbol) => rows.instrumentOf(symbol) ?? []);
  }
  function quotes({ request }: Call): WireReply {
    const d = named(request, 'symbols').map((instrument) => rows.quoteRow(instrument, exchange.quote(instrument), clock.now()));
    return d.length === 0 ? failure(400, -300, 'Invalid symbol') : json(200, { s: 'ok', code: 200, d });
  }
  function depth({ request }: Call): WireReply {
    const d = named(request, 'symbol').map((instrument) => [
      rows.symbolOf(instrument),
      rows.depthRow(instrument, exchange.quote(instrument), clock.now()),
    ]);
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
    const asked = z.object({ symbols: z.array(z.string()) }).safeParse(jsonOf(request)).data;
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

function sameText(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}
