import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import { quoted } from '../instruments.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { masterRoutes } from '../wire/master-files.ts';
import type { WireReply } from '../wire/message.ts';
import { dayAndMillisecond } from '../wire/times.ts';
import { holdingRow, limits, positionRow, quoteRow, userDetails } from './account-rows.ts';
import { createLogins, credentials, LOGIN_PAGE } from './login.ts';
import { masterFiles } from './master.ts';
import { type NorenCall, orderCalls } from './orders.ts';
import { norenStreams } from './stream.ts';
import { invalid, jData, list, notOk, ok, tradingSymbol } from './words.ts';

/** Shoonya by Finvasia over HTTP: one POST a call, its body one JSON text of strings. The paths of the older API serve the same. */

const prefixes = ['/NorenWClientAPI', '/NorenWClientTP'];

export const shoonya: Emulator = {
  id: 'shoonya',
  credentials,
  traits: {
    // Taken by the order system; risk desk and exchange reject later, in the book.
    refusedInBook: ['LOT', 'FREEZE', 'STOP_SIDE', 'TICK', 'CIRCUIT', 'PRODUCT', 'VALIDITY', 'MARGIN', 'HOLDING'],
    orderId: dayAndMillisecond,
  },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({
    api: `${origin}/NorenWClientAPI`,
    login: origin + LOGIN_PAGE,
    feed: `${origin.replace('http', 'ws')}/NorenWSAPI/`,
    master: origin,
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
    const logins = createLogins(exchange);
    const calls = [...accountCalls(exchange), ...orderCalls(exchange), ...logins.calls];
    const routes = prefixes.flatMap((prefix) =>
      calls.map(({ name, ...call }): Route => ({ method: 'POST', path: `${prefix}/${name}`, open: name === 'GenAcsTok', ...call })),
    );
    return {
      unauthorised: (request) => (logins.holds(request) ? null : shoonya.words.sessionExpired()),
      routes: [...routes, logins.page, ...masterRoutes(exchange, masterFiles)],
      streams: norenStreams({ exchange, lives: logins.lives }),
    };
  },
};

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

  function quotes({ request }: Call): WireReply {
    const asked = QuoteFields.safeParse(jData(request)).data;
    if (!asked) return invalid(now());
    const found = quoted.find((each) => each.exchange === asked.exch && String(each.exchangeToken) === asked.token);
    return found ? ok(now(), quoteRow(found, exchange.quote(found))) : notOk(200, 'Error Occurred : 5 "no data"', now());
  }

  return [
    { name: 'UserDetails', operation: 'profile', handle: () => ok(now(), userDetails) },
    { name: 'Limits', operation: 'funds', handle: needing(AccountFields, ({ account }) => ok(now(), limits(account.funds()))) },
    {
      name: 'Holdings',
      operation: 'holdings',
      handle: needing(HoldingFields, ({ account }) => list(account.holdings().map(holdingRow), now())),
    },
    {
      name: 'PositionBook',
      operation: 'positions',
      handle: needing(AccountFields, ({ account }) => list(account.positions().map(positionRow), now())),
    },
    { name: 'GetQuotes', operation: 'market', handle: quotes },
  ];
}
