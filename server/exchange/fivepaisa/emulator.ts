import { z } from 'zod';
import type { Exchange } from '../exchange.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { plain, type WireReply } from '../wire/message.ts';
import { receivedAt } from '../wire/times.ts';
import { holdingRow, marginBody, positionRow } from './account-rows.ts';
import { createLogins, credentials, LOGIN_PAGE } from './login.ts';
import { fullSnapshotRow, snapshotRow } from './market-rows.ts';
import { MASTER, masterRoutes } from './master.ts';
import { bodyOf, findScrip, orderRoutes } from './orders.ts';
import { feedStream } from './stream.ts';
import { answer, BASE, badHead, badInput, dateText, failure, indexAs, invalidSession, scripCode, scripName } from './words.ts';

/** 5paisa's vendor OpenAPI over HTTP: every call a POST of `{head, body}`, nearly every answer HTTP 200. */

const FEED = '/feeds/api/chat';

export const fivepaisa: Emulator = {
  id: 'fivepaisa',
  credentials,
  traits: {
    // The risk desk looks after the answer was given: such orders are taken and turn rejected in the book.
    refusedInBook: ['MARGIN', 'HOLDING', 'FREEZE'],
    // A JSON number, so it must stay below 2^53.
    orderId: (serial) => `${receivedAt(serial)}${serial.slice(-2)}`,
  },
  named: (instrument) => ({ symbol: scripName(instrument), token: String(scripCode(instrument)) }),
  urls: (origin) => ({
    api: `${origin}${BASE}`,
    login: origin + LOGIN_PAGE,
    feed: `${origin.replace('http', 'ws')}${FEED}`,
    master: `${origin}${MASTER}`,
  }),
  limits: [{ covers: ['place', 'modify', 'cancel'], requests: 10, perMs: 1_000 }],
  words: {
    rateLimited: () => plain(429, 'Too Many Requests'),
    sessionExpired: () => invalidSession(null),
    unregisteredAddress: (address) => failure(null, 1, `IP address ${address} is not registered for this app`),
    // The broker's own way to say that it does not know.
    timedOut: () => badHead(null, '-1', 'Server unable to process your request'),
    serverError: (status) => plain(status, 'The service is unavailable.'),
    notFound: () => plain(404, 'Endpoint not found.'),
  },
  tagOf: (request) => z.string().min(1).safeParse(bodyOf(request).RemoteOrderID).data ?? null,
  serve(exchange) {
    // Snapshots have LastTradedPrice and circuit limits; the scrip master is not ready.
    const switches = { fullSnapshot: false, noMaster: false };
    const logins = createLogins(exchange);
    return {
      switches,
      unauthorised: logins.unauthorised,
      streams: [feedStream(FEED, exchange, logins.lives)],
      routes: [
        ...logins.routes,
        ...accountRoutes(exchange),
        ...orderRoutes(BASE, exchange),
        ...marketRoutes(exchange, switches),
        ...masterRoutes(exchange, switches),
      ],
    };
  },
};

function accountRoutes(exchange: Exchange): Route[] {
  function holdings({ request, account }: Call): WireReply {
    const Data = account.holdings().map(holdingRow);
    if (Data.length === 0) return failure(request, 1, 'No data found for this Client.', { CacheTime: 300, Data });
    return answer(request, { CacheTime: 300, Data });
  }
  /** Shares bought for delivery on an earlier day are holdings. */
  function positions({ request, account }: Call): WireReply {
    const open = account.positions().filter((each) => each.dayBuyQuantity + each.daySellQuantity > 0 || each.net !== 0);
    const list = open.map(positionRow);
    return answer(request, { Message: '', NetPositionDetail: list.length === 0 ? null : list });
  }
  const margin = ({ request, account }: Call) => answer(request, marginBody(account.funds(), exchange.clock.now()));
  return [
    { method: 'POST', path: `${BASE}/V3/Holding`, operation: 'holdings', handle: holdings },
    { method: 'POST', path: `${BASE}/V2/NetPositionNetWise`, operation: 'positions', handle: positions },
    { method: 'POST', path: `${BASE}/V4/Margin`, operation: 'funds', handle: margin },
  ];
}

const SnapshotBody = z.object({
  Data: z
    .array(
      z.object({
        Exchange: z.string(),
        ExchangeType: z.string(),
        ScripCode: z.coerce.number().default(0),
        ScripData: z.string().default(''),
      }),
    )
    .max(50),
});

function marketRoutes(exchange: Exchange, switches: { fullSnapshot: boolean }): Route[] {
  function snapshot({ request }: Call): WireReply {
    const asked = SnapshotBody.safeParse(bodyOf(request)).data?.Data;
    if (!asked) return badInput(request);
    const rowOf = switches.fullSnapshot ? fullSnapshotRow : snapshotRow;
    const Data = asked.flatMap((one) => {
      const { Exchange: place, ExchangeType: type, ScripCode: code } = one;
      const instrument = findScrip(place, type, code, one.ScripData) ?? indexAs(place, type, code);
      return instrument ? [rowOf(instrument, exchange.quote(instrument), exchange.clock.now())] : [];
    });
    return answer(request, { CacheTime: 5, Data, TimeStamp: dateText(exchange.clock.now()) });
  }
  return [
    { method: 'POST', path: `${BASE}/MarketSnapshot`, operation: 'market', handle: snapshot },
    { method: 'POST', path: `${BASE}/V1/MarketSnapshot`, operation: 'market', handle: snapshot },
  ];
}
