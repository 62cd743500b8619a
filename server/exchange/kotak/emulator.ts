import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { operations } from '../wire/faults.ts';
import { json } from '../wire/message.ts';
import { dayAndMillisecond } from '../wire/times.ts';
import { holdingRow, limitsBody, positionRow } from './account-rows.ts';
import { createLogins, credentials } from './login.ts';
import { marketRoutes } from './market.ts';
import { jData, orderRoutes } from './orders.ts';
import { kotakStreams } from './stream.ts';
import { notOk, report, tradingSymbol, type Ways } from './words.ts';

/** Kotak Neo Trade API over HTTP: sign-in by time code and MPIN, then form bodies with one field of JSON. */

const serverWords: Readonly<Record<number, string>> = {
  502: 'Not able to communicate with OMS',
  503: 'Trade API service is unavailable',
  504: 'Gateway timeout, trade API is unreachable',
};

export const kotak: Emulator = {
  id: 'kotak',
  credentials,
  traits: {
    // Answered Ok by the order system; risk desk and exchange reject later, in the order report.
    refusedInBook: ['FREEZE', 'STOP_SIDE', 'TICK', 'CIRCUIT', 'PRODUCT', 'VALIDITY', 'HOLDING'],
    orderId: dayAndMillisecond,
  },
  named: (instrument) => ({ symbol: tradingSymbol(instrument), token: String(instrument.exchangeToken) }),
  urls: (origin) => ({ api: origin, login: origin, feed: `${origin.replace('http', 'ws')}/apifeed`, master: origin }),
  limits: [{ covers: operations, requests: 10, perMs: 1_000 }],
  words: {
    rateLimited: () => notOk(429, 429, 'Too many requests to the API'),
    sessionExpired: () => notOk(403, 1003, 'Invalid session'),
    unregisteredAddress: () => json(401, { stCode: 100_008, errMsg: 'unauthorized', stat: 'Not_Ok' }),
    timedOut: () => notOk(424, 424, 'Dependency error: the order system timed out'),
    serverError: (status) => notOk(status, status, serverWords[status] ?? 'Unexpected error'),
    notFound: () => notOk(404, 404, 'resource not found'),
  },
  tagOf: (request) => z.looseObject({ ig: z.string() }).safeParse(jData(request)).data?.ig ?? null,
  serve(exchange) {
    const logins = createLogins(exchange);
    const switches = { oldPositions: false, positionsIncomplete: false, marketOrdersFar: false };
    return {
      switches,
      unauthorised: ({ headers }) => (logins.holds(String(headers.sid), String(headers.auth)) ? null : kotak.words.sessionExpired()),
      streams: kotakStreams({ exchange, ...logins }),
      routes: [
        ...logins.routes,
        ...accountRoutes(exchange, switches),
        ...orderRoutes(exchange, switches),
        ...marketRoutes(exchange, credentials.ACCESS_TOKEN),
      ],
    };
  },
};

function accountRoutes(exchange: Exchange, ways: Ways): Route[] {
  const now = () => exchange.clock.now();
  const positions = (served: () => boolean) => (call: Call) =>
    served()
      ? report(
          'ok',
          call.account
            .positions()
            .slice(ways.positionsIncomplete ? 1 : 0)
            .map((position) => positionRow(position, now())),
        )
      : kotak.words.notFound();
  return [
    {
      method: 'POST',
      path: '/quick/user/limits',
      operation: 'funds',
      handle: ({ account }) => json(200, limitsBody(account.funds(), now())),
    },
    {
      method: 'GET',
      path: '/portfolio/v1/holdings',
      operation: 'holdings',
      handle: ({ account }) => json(200, { data: account.holdings().map(holdingRow) }),
    },
    { method: 'GET', path: '/portfolio/v2/positions', operation: 'positions', handle: positions(() => !ways.oldPositions) },
    { method: 'GET', path: '/quick/user/positions', operation: 'positions', handle: positions(() => ways.oldPositions) },
  ];
}
