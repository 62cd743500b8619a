import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { bodyOf, instrumentFinder, instrumentOf, orderRoutes } from './orders.ts';
import * as rows from './rows.ts';
import { orderStream, priceStream } from './stream.ts';
import { failure, refusedInBook, success, turnedAway } from './words.ts';

/** SmartAPI v1 over HTTP: https://smartapi.angelone.in/docs. JSON both ways, `{status, message, errorcode, data}` out. */

const credentials = { API_KEY: 'practicekey', CLIENT_ID: rows.clientCode, PIN: 'practicepin', TOTP_SECRET: 'PRACTICEPRACTICE' };

const AUTH = '/rest/auth/angelbroking';
const SECURE = '/rest/secure/angelbroking';

const orderCalls = ['place', 'modify', 'cancel'] as const;

export const angelone: Emulator = {
  id: 'angelone',
  credentials,
  traits: { refusedInBook, orderId: rows.orderId },
  named: (instrument) => ({ symbol: rows.tradingSymbol(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({ api: origin, login: `${origin}/publisher-login`, feed: `${origin.replace('http', 'ws')}/smart-stream` }),
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
  ],
  words: {
    rateLimited: () => ({
      status: 403,
      headers: { 'Content-Type': 'text/plain' },
      body: 'Access denied because of exceeding access rate',
    }),
    sessionExpired: () => turnedAway('AG8002', 'Token Expired'),
    unregisteredAddress: () => turnedAway('AG7002', 'Access denied: Unregistered IP address. Register your IP before retrying.'),
    timedOut: () => ({ status: 400, headers: {}, body: '' }),
    serverError: (status) => failure('AB1004', 'Something Went Wrong, Please Try After Sometime', status),
    notFound: () => json(404, { timestamp: 0, status: 404, error: 'Not Found', path: '' }),
  },
  tagOf: (request) => z.object({ ordertag: z.string() }).safeParse(bodyOf(request)).data?.ordertag ?? null,
  serve(exchange) {
    const sessions = createSessions(exchange);
    return {
      unauthorised: sessions.refusalOf,
      streams: [priceStream(exchange, { ...sessions.socket, key: credentials.API_KEY }), orderStream(exchange, sessions.socket)],
      routes: [...sessions.routes, ...accountRoutes(exchange), ...orderRoutes(exchange), ...marketRoutes(exchange)],
    };
  },
};

const LoginBody = z.object({ clientcode: z.string(), password: z.string(), totp: z.string() });

/** Login by client code, PIN and authenticator code; all tokens live to midnight in India. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;

  function refusalOf(request: WireRequest): WireReply | null {
    const jwt = /^(?:Bearer )?(.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (jwt === undefined) return turnedAway('AG8003', 'Token missing');
    const validUntil = exchange.tokenValidUntil('angelone', jwt) ?? 0;
    if (validUntil === 0 || request.headers['x-privatekey'] !== credentials.API_KEY) return turnedAway('AG8001', 'Invalid Token');
    return clock.now() < validUntil ? null : angelone.words.sessionExpired();
  }

  function tokens(): WireReply {
    const [jwtToken, refreshToken, feedToken] = [`eyJ${newToken()}`, `eyJ${newToken()}`, `eyJ${newToken()}`] as const;
    const midnight = nextIstHour(clock.now(), 0);
    exchange.keepToken('angelone', jwtToken, midnight);
    exchange.keepToken('angelone', refreshKey(refreshToken), midnight);
    exchange.keepToken('angelone', feedKey(feedToken), midnight);
    return success({ jwtToken, refreshToken, feedToken, state: 'live' });
  }

  function login({ request }: Call): WireReply {
    const given = LoginBody.safeParse(bodyOf(request)).data;
    if (request.headers['x-privatekey'] !== credentials.API_KEY) return turnedAway('AG8001', 'Invalid API Key');
    if (given?.clientcode !== credentials.CLIENT_ID || given.password !== credentials.PIN)
      return failure('AB1000', 'Invalid clientcode or password');
    const step = Math.floor(clock.now() / 30_000);
    return [step - 1, step, step + 1].some((each) => authenticatorCode(each) === given.totp) ? tokens() : failure('AB1000', 'Invalid totp');
  }

  function renew({ request }: Call): WireReply {
    const given = z.object({ refreshToken: z.string() }).safeParse(bodyOf(request)).data?.refreshToken ?? '';
    const validUntil = exchange.tokenValidUntil('angelone', refreshKey(given)) ?? 0;
    if (validUntil === 0) return failure('AB8050', 'Invalid Refresh Token');
    return clock.now() < validUntil ? tokens() : failure('AB8051', 'Refresh Token Expired');
  }

  function logout({ request }: Call): WireReply {
    exchange.keepToken('angelone', (request.headers.authorization ?? '').replace('Bearer ', ''), 0);
    return success('');
  }

  const routes: Route[] = [
    { method: 'POST', path: `${AUTH}/user/v1/loginByPassword`, operation: 'login', open: true, handle: login },
    { method: 'POST', path: `${AUTH}/jwt/v1/generateTokens`, operation: 'login', limit: 'tokens', handle: renew },
    { method: 'POST', path: `${SECURE}/user/v1/logout`, operation: 'login', limit: 'logout', handle: logout },
  ];
  const validUntil = (token: string) => exchange.tokenValidUntil('angelone', token);
  const socket = { validUntil, feedValidUntil: (token: string) => validUntil(feedKey(token)) };
  return { refusalOf, routes, socket };
}

function refreshKey(token: string): string {
  return `refresh:${token}`;
}

function feedKey(token: string): string {
  return `feed:${token}`;
}

/** RFC 6238: six digits of the practice secret in a 30-second step. */
function authenticatorCode(step: number): string {
  const bits = [...credentials.TOTP_SECRET].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

function accountRoutes(exchange: Exchange): Route[] {
  const holdings = ({ account }: Call) =>
    account.holdings().map((holding) => {
      const instrument = instrumentOf(holding);
      return rows.holdingRow(holding, instrument, exchange.quote(instrument));
    });

  function positions({ account }: Call): WireReply {
    const list = account.positions().map((position) => {
      const instrument = instrumentOf(position);
      return rows.positionRow(position, instrument, exchange.quote(instrument));
    });
    return success(list.length > 0 ? list : null);
  }

  function allHoldings(call: Call): WireReply {
    const list = holdings(call);
    return success({ holdings: list, totalholding: rows.holdingTotals(list) });
  }

  return [
    { method: 'GET', path: `${SECURE}/user/v1/getProfile`, operation: 'profile', handle: () => success(rows.profile) },
    { method: 'GET', path: `${SECURE}/user/v1/getRMS`, operation: 'funds', handle: ({ account }) => success(rows.rms(account.funds())) },
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
  const find = instrumentFinder(exchange.instruments);

  function lastPrice({ request }: Call): WireReply {
    const named = LtpBody.safeParse(bodyOf(request)).data;
    const instrument = named && find(named);
    return instrument ? success(rows.ltpRow(instrument, exchange.quote(instrument))) : failure('AB1018', 'Failed to get symbol details');
  }

  function quotes({ request }: Call): WireReply {
    const asked = QuoteBody.safeParse(bodyOf(request)).data;
    const pairs = Object.entries(asked?.exchangeTokens ?? {}).flatMap(([segment, tokens]) => tokens.map((token) => ({ segment, token })));
    if (!asked || pairs.length === 0 || pairs.length > mostTokens) return failure('AB1007', 'Invalid request');
    const found = pairs.map(({ segment, token }) => ({
      segment,
      token,
      instrument: exchange.instruments.find((each) => each.exchange === segment && String(each.exchangeToken) === token),
    }));
    const fetched = found.flatMap(({ token, instrument }) => {
      if (!instrument) return [];
      const { exchange: segment, tradingsymbol, ltp, open, high, low, close } = rows.ltpRow(instrument, exchange.quote(instrument));
      const named = { exchange: segment, tradingSymbol: tradingsymbol, symbolToken: token, ltp };
      return [asked.mode === 'LTP' ? named : { ...named, open, high, low, close }];
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
    {
      method: 'GET',
      path: '/OpenAPI_File/files/OpenAPIScripMaster.json',
      operation: 'market',
      open: true,
      handle: () => json(200, exchange.instruments.map(rows.masterRow)),
    },
  ];
}
