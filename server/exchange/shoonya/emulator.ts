import { createHash } from 'node:crypto';
import { z } from 'zod';
import { istText, nextIstHour } from '../../clock.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { newToken, type WireReply, type WireRequest } from '../wire/message.ts';
import { type NorenCall, orderCalls } from './orders.ts';
import * as rows from './rows.ts';
import { norenStreams } from './stream.ts';
import { invalid, jData, jKey, list, notOk, ok, tradingSymbol, user } from './words.ts';

/** Shoonya by Finvasia over HTTP: one POST a call, its body one JSON text of strings. The paths of the older API serve the same. */

const credentials = {
  USER_ID: user,
  API_KEY: `${user}_U`,
  API_SECRET: 'practice-shoonya-secret',
  ACCESS_TOKEN: 'practice-shoonya-access-token',
};
/** The address registered with the practice app. */
const REDIRECT_URI = 'http://127.0.0.1:5001/';
const CODE_MS = 300_000;
const EXPIRY_HOUR_IST = 6;
const prefixes = ['/NorenWClientAPI', '/NorenWClientTP'];

export const shoonya: Emulator = {
  id: 'shoonya',
  credentials,
  traits: {
    // Taken by the order system; risk desk and exchange reject later, in the book.
    refusedInBook: ['LOT', 'STOP_SIDE', 'TICK', 'CIRCUIT', 'PRODUCT', 'VALIDITY', 'MARGIN', 'HOLDING'],
    orderId: orderNumber,
  },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({
    api: `${origin}/NorenWClientAPI`,
    login: `${origin}/OAuthlogin/authorize/oauth`,
    feed: `${origin.replace('http', 'ws')}/NorenWSAPI/`,
  }),
  limits: [
    { requests: 20, perMs: 1_000 },
    { requests: 200, perMs: 60_000 },
  ].flatMap((limit) => [
    { covers: ['place', 'modify', 'cancel'], ...limit },
    { covers: operations.filter((each) => !['place', 'modify', 'cancel'].includes(each)), ...limit },
  ]),
  words: {
    rateLimited: () => notOk(429, 'Error Occurred : 429 "too many requests"'),
    sessionExpired: () => notOk(403, 'Session Expired : Invalid Session Key'),
    unregisteredAddress: (address) => notOk(400, `Invalid Input : IP ${address} is not registered`),
    timedOut: () => notOk(400, 'Server Timeout :  '),
    serverError: (status) => notOk(status, 'Server Timeout :  '),
    notFound: () => notOk(404, 'Invalid Input : no such call'),
  },
  tagOf: (request) => z.looseObject({ remarks: z.string() }).safeParse(jData(request)).data?.remarks ?? null,
  serve(exchange) {
    const sessions = createSessions(exchange);
    const calls = [...accountCalls(exchange), ...orderCalls(exchange), ...sessions.calls];
    const routes = prefixes.flatMap((prefix) =>
      calls.map(({ name, ...call }): Route => ({ method: 'POST', path: `${prefix}/${name}`, open: name === 'GenAcsTok', ...call })),
    );
    return {
      unauthorised: (request) => (sessions.holds(request) ? null : shoonya.words.sessionExpired()),
      routes: [...routes, sessions.page],
      streams: norenStreams({ exchange, lives: sessions.lives }),
    };
  },
};

/** The Indian day, then the millisecond of the day and two digits that tell orders of one millisecond apart. */
function orderNumber(serial: string): string {
  const at = Number(BigInt(serial) >> 20n);
  const [day = '', time = ''] = istText(at).split(' ');
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const millisecond = ((hours * 60 + minutes) * 60 + seconds) * 1000 + (at % 1000);
  return `${day.replaceAll('-', '').slice(2)}${String(millisecond).padStart(8, '0')}${serial.slice(-2)}`;
}

const CodeFields = z.object({ uid: z.string(), code: z.string(), checksum: z.string() });

/** Login by code. The practice token lives until it is logged out, and again from the next login. */
function createSessions(exchange: Exchange) {
  const { clock } = exchange;
  const codes = new Map<string, number>();

  /** As a header, or the older way in the body. */
  function tokenOf(request: WireRequest): string {
    return /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? jKey(request);
  }

  function holds(request: WireRequest): boolean {
    return lives(tokenOf(request));
  }

  function lives(token: string): boolean {
    const validUntil = exchange.tokenValidUntil('shoonya', token);
    return validUntil === undefined ? token === credentials.ACCESS_TOKEN : clock.now() < validUntil;
  }

  /** Stands for the broker's page: nothing is asked, the browser goes straight back to the app. */
  function authorize({ request: { query } }: Call): WireReply {
    if (query.get('client_id') !== credentials.API_KEY) return notOk(400, 'Invalid Input : client_id', clock.now());
    const code = newToken();
    codes.set(code, clock.now() + CODE_MS);
    return { status: 302, headers: { Location: `${REDIRECT_URI}?code=${code}` }, body: '' };
  }

  function trade({ request }: Call): WireReply {
    const given = CodeFields.safeParse(jData(request)).data;
    const until = codes.get(given?.code ?? '') ?? 0;
    codes.delete(given?.code ?? '');
    const expected = createHash('sha256').update(`${credentials.API_KEY}${credentials.API_SECRET}${given?.code}`).digest('hex');
    if (given?.uid !== user || until <= clock.now() || given.checksum !== expected) {
      return notOk(200, 'Invalid Input : INVALID_VERIFIER', clock.now());
    }
    const token = newToken();
    const ends = nextIstHour(clock.now(), EXPIRY_HOUR_IST);
    exchange.keepToken('shoonya', token, ends);
    exchange.keepToken('shoonya', credentials.ACCESS_TOKEN, Number.MAX_SAFE_INTEGER);
    const times = { expires_in: String(Math.floor(ends / 1000)), lastaccesstime: String(Math.floor(clock.now() / 1000)) };
    const tokens = { access_token: token, susertoken: token, refresh_token: newToken() };
    return ok(clock.now(), { ...tokens, USERID: user, ...rows.userDetails, scope: '', ...times });
  }

  function logout({ request }: Call): WireReply {
    exchange.keepToken('shoonya', tokenOf(request), 0);
    return ok(clock.now());
  }

  const calls: NorenCall[] = [
    { name: 'GenAcsTok', operation: 'login', handle: trade },
    { name: 'Logout', operation: 'login', handle: logout },
  ];
  const page: Route = { method: 'GET', path: '/OAuthlogin/authorize/oauth', operation: 'login', open: true, handle: authorize };
  return { holds, lives, calls, page };
}

const AccountFields = z.object({ uid: z.string().min(1), actid: z.string().min(1) });
const HoldingFields = AccountFields.extend({ prd: z.string().min(1) });
const QuoteFields = z.object({ uid: z.string().min(1), exch: z.string(), token: z.string() });

function accountCalls(exchange: Exchange): NorenCall[] {
  const now = () => exchange.clock.now();

  /** Asks for the fields a call needs first. */
  function needing(schema: z.ZodType, handle: (call: Call) => WireReply) {
    return (call: Call): WireReply =>
      schema.safeParse(jData(call.request)).success ? handle(call) : notOk(200, 'Invalid Input : Missing uid or actid or prd.', now());
  }

  function holdings({ account }: Call): WireReply {
    const held = account.holdings().flatMap((holding) => {
      const instrument = findInstrument(holding.exchange, holding.symbol);
      return instrument ? [rows.holdingRow(holding, instrument)] : [];
    });
    return list(held, now());
  }

  function positions({ account }: Call): WireReply {
    const open = account.positions().flatMap((position) => {
      const instrument = findInstrument(position.exchange, position.symbol);
      return instrument ? [rows.positionRow(position, instrument, exchange.quote(instrument))] : [];
    });
    return list(open, now());
  }

  function quotes({ request }: Call): WireReply {
    const asked = QuoteFields.safeParse(jData(request)).data;
    if (!asked) return invalid(now());
    const found = exchange.instruments.find((each) => each.exchange === asked.exch && String(each.exchangeToken) === asked.token);
    return found ? ok(now(), rows.quoteRow(found, exchange.quote(found))) : notOk(200, 'Error Occurred : 5 "no data"', now());
  }

  return [
    { name: 'UserDetails', operation: 'profile', handle: () => ok(now(), rows.userDetails) },
    { name: 'Limits', operation: 'funds', handle: needing(AccountFields, ({ account }) => ok(now(), rows.limits(account.funds()))) },
    { name: 'Holdings', operation: 'holdings', handle: needing(HoldingFields, holdings) },
    { name: 'PositionBook', operation: 'positions', handle: needing(AccountFields, positions) },
    { name: 'GetQuotes', operation: 'market', handle: quotes },
  ];
}
