import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { masterRoutes } from '../wire/master-files.ts';
import { readJson, type WireReply } from '../wire/message.ts';
import { dayAndSerial } from '../wire/times.ts';
import { funds, holdingRow, positionRow, profile } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { masterFiles } from './master.ts';
import { listed, orderRoutes } from './orders.ts';
import { plainName } from './rows.ts';
import { createSockets } from './stream.ts';
import { failure, PREFIX, success } from './words.ts';

/** Alice Blue's A3 open API over HTTP (https://v2api.aliceblueonline.com): JSON bodies in, `{status, message, result}` out. Its hosts are one here. */

const reads = ['login', 'profile', 'funds', 'holdings', 'positions', 'orders', 'trades', 'market'];

export const aliceblue: Emulator = {
  id: 'aliceblue',
  credentials,
  traits: {
    refusedInBook: ['MARGIN', 'HOLDING', 'FREEZE', 'CIRCUIT', 'TICK', 'RISK', 'WITHDRAWN'],
    orderId: dayAndSerial,
  },
  named: (instrument) => ({ symbol: plainName(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({
    api: origin,
    login: `${origin}/`,
    feed: `${origin.replace('http', 'ws')}/NorenWS/`,
    master: `${origin}/restpy/static/contract_master/V2`,
  }),
  limits: [{ covers: reads, requests: 1_800, perMs: 900_000 }],
  words: {
    rateLimited: () => failure('Not_ok', 'Too many requests', 429),
    sessionExpired: () => failure('EC087', 'Session Expired', 401),
    unregisteredAddress: (address) => failure('EC097', `IP is not whitelisted: ${address}`),
    // There is no text about time-outs here: this code leaves the fate open.
    timedOut: () => failure('Not_ok', 'EC912', 400),
    serverError: (status) => failure('EC003', 'An error occurred', status),
    notFound: () => failure('Not_ok', 'Not found', 404),
  },
  tagOf(request) {
    const body = readJson(request.body);
    const [first] = Array.isArray(body) ? body : [];
    return typeof first === 'object' && first !== null && typeof first.orderTag === 'string' ? first.orderTag : null;
  },
  serve(exchange) {
    // The token call answers in its older form; the account has no order updates.
    const switches = { oldSession: false, noOrderFeed: false };
    const sockets = createSockets(exchange, switches);
    const logins = createLogins(exchange, switches);
    return {
      switches,
      unauthorised: (request) => (logins.holds(request) ? null : aliceblue.words.sessionExpired()),
      routes: [...logins.routes, ...sockets.routes, ...accountRoutes(), ...orderRoutes(PREFIX), ...masterRoutes(exchange, masterFiles)],
      streams: sockets.streams,
    };
  },
};

function accountRoutes(): Route[] {
  function holdings({ account, params }: Call): WireReply {
    const held = params.product === 'CNC' ? account.holdings() : [];
    return listed(held.map(holdingRow), 'EC922', 'holdings');
  }
  const list: readonly (readonly [string, Route['operation'], Route['handle']])[] = [
    // Documented with a slash at the end and used without: both are served.
    ['/profile/', 'profile', () => success(profile)],
    ['/profile', 'profile', () => success(profile)],
    ['/limits/', 'funds', ({ account }) => success(funds(account.funds()))],
    ['/limits', 'funds', ({ account }) => success(funds(account.funds()))],
    ['/holdings/:product', 'holdings', holdings],
    ['/positions', 'positions', ({ account }) => listed(account.positions().map(positionRow), 'EC920', 'positions')],
  ];
  return list.map(([path, operation, handle]) => ({ method: 'GET', path: PREFIX + path, operation, handle }));
}
