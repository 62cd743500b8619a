import { z } from 'zod';
import { nextIstHour } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { Exchange } from '../exchange.ts';
import { findInstrument } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { ExchangeOrder, Placed } from '../types.ts';
import type { Call, Emulator, Route } from '../wire/emulator.ts';
import { json, newToken, type WireReply, type WireRequest } from '../wire/message.ts';

/** The made-up broker's side of the wire. It shares no table with the adapter. */
const credentials = { CLIENT: 'EL0001', SECRET: 'practice-secret-of-eleventh' };

const markets = { n: 'NSE', b: 'BSE', nf: 'NFO', bf: 'BFO', m: 'MCX', c: 'CDS' } as const;
const ways = { in: 'BUY', out: 'SELL' } as const;
const kinds = { now: 'MARKET', at: 'LIMIT', 'stop-at': 'SL', 'stop-now': 'SL-M' } as const;
const products = { day: 'INTRADAY', keep: 'DELIVERY', carry: 'CARRYFORWARD' } as const;
const wordOf = (table: Readonly<Record<string, string>>, ours: string) =>
  Object.entries(table).find(([, word]) => word === ours)?.[0] ?? '';
const from = <Table extends Record<string, string>>(table: Table) =>
  z.enum(Object.keys(table) as [string, ...string[]]).transform((text) => table[text as keyof Table]);

const number = z.string().regex(/^\d+(\.\d+)?$/);
const prices = { price: number.default('0'), trigger: number.default('0') };
const count = z.string().regex(/^\d+$/).transform(Number);
const Order = z.object({
  market: from(markets),
  name: z.string(),
  way: from(ways),
  kind: from(kinds),
  product: from(products),
  count,
  mark: z.string(),
  ...prices,
});
const Change = z.object({
  kind: from(kinds).optional(),
  count: count.optional(),
  price: number.optional(),
  trigger: number.optional(),
});

const is = (value: unknown) => json(200, { ok: true, is: value });
const not = (status: number, why: string, final = true) => json(status, { ok: false, why, final });
const form = (request: WireRequest) => Object.fromEntries(new URLSearchParams(request.body));
const fate = (placed: Placed) => (placed.ok ? is({ ref: placed.order.orderId }) : not(400, placed.refusal.code));

export const eleventh: Emulator = {
  id: 'eleventh',
  credentials,
  traits: { refusedInBook: [], orderId: (serial) => `E${serial}` },
  named: ({ symbol, exchangeToken }) => ({ symbol, token: `#${exchangeToken}` }),
  urls: (origin) => ({ api: origin, login: origin, feed: origin, master: origin }),
  limits: [],
  words: {
    rateLimited: () => not(429, 'Slower, please'),
    sessionExpired: () => not(401, 'The pass is over'),
    unregisteredAddress: (address) => not(403, `${address} is a stranger here`),
    timedOut: () => not(400, 'That timed out', false),
    serverError: (status) => not(status, 'Something broke', false),
    notFound: () => not(404, 'No such place'),
  },
  tagOf: (request) => form(request).mark ?? null,
  serve: (exchange) => ({
    unauthorised: ({ headers }) =>
      (exchange.tokenValidUntil('eleventh', String(headers.pass)) ?? 0) > exchange.clock.now() ? null : eleventh.words.sessionExpired(),
    routes: [...accountRoutes(exchange), ...bookRoutes()],
  }),
};

function accountRoutes(exchange: Exchange): Route[] {
  function signIn({ request }: Call): WireReply {
    const { client, secret } = form(request);
    if (client !== credentials.CLIENT || secret !== credentials.SECRET) return not(401, 'Who are you?');
    const pass = newToken();
    const until = nextIstHour(exchange.clock.now(), 6);
    exchange.keepToken('eleventh', pass, until);
    return is({ client, pass, until });
  }
  const last = (of: { exchange: string; symbol: string }) => {
    const instrument = findInstrument(of.exchange, of.symbol);
    return instrument ? exchange.quote(instrument).last : '0';
  };
  return [
    { method: 'POST', path: '/pass', operation: 'login', open: true, handle: signIn },
    { method: 'GET', path: '/me', operation: 'profile', handle: () => is({ client: credentials.CLIENT }) },
    { method: 'GET', path: '/money', operation: 'funds', handle: ({ account }) => is({ free: account.funds().available }) },
    {
      method: 'GET',
      path: '/kept',
      operation: 'holdings',
      handle: ({ account }) =>
        is(account.holdings().map((row) => ({ ...named(row), count: row.quantity, average: row.averagePrice, last: last(row) }))),
    },
    {
      method: 'GET',
      path: '/open',
      operation: 'positions',
      handle: ({ account }) =>
        is(
          account.positions().map((row) => ({
            ...named(row),
            product: wordOf(products, row.product),
            net: row.net,
            average: row.net === 0 ? '0' : new Big(row.openValue).div(Math.abs(row.net)).toFixed(4),
            last: last(row),
            realised: row.realised,
            units: row.multiplier,
          })),
        ),
    },
  ];
}

function bookRoutes(): Route[] {
  function place({ request, account }: Call): WireReply {
    const { data } = Order.safeParse(form(request));
    if (!data) return not(400, 'What do you mean?');
    const { market, name, way, kind, product, count, price, trigger, mark } = data;
    const said = { exchange: market, symbol: name, side: way, orderType: kind, product, quantity: count, price, triggerPrice: trigger };
    return fate(account.place({ ...said, tag: mark }));
  }
  function modify({ request, params, account }: Call): WireReply {
    const { kind, count, price, trigger } = Change.parse(form(request));
    return fate(
      account.modify(params.ref ?? '', {
        ...(kind && { orderType: kind }),
        ...(count !== undefined && { quantity: count }),
        ...(price !== undefined && { price }),
        ...(trigger !== undefined && { triggerPrice: trigger }),
      }),
    );
  }
  const trades = ({ account }: Call) =>
    is(
      account.trades().map((trade) => ({
        ...named(trade),
        id: trade.tradeId,
        ref: trade.orderId,
        way: wordOf(ways, trade.side),
        product: wordOf(products, trade.product),
        count: trade.quantity,
        price: trade.price,
        at: trade.at,
      })),
    );
  return [
    { method: 'GET', path: '/book', operation: 'orders', handle: ({ account }) => is(account.orders().map(orderRow)) },
    { method: 'POST', path: '/book', operation: 'place', handle: place },
    { method: 'PUT', path: '/book/:ref', operation: 'modify', handle: modify },
    { method: 'DELETE', path: '/book/:ref', operation: 'cancel', handle: ({ params, account }) => fate(account.cancel(params.ref ?? '')) },
    { method: 'GET', path: '/trades', operation: 'trades', handle: trades },
  ];
}

const stateWords: Readonly<Record<string, string>> = {
  OPEN: 'resting',
  MODIFIED: 'resting',
  MODIFY_PENDING: 'resting',
  CANCEL_PENDING: 'resting',
  TRIGGER_PENDING: 'armed',
  FILLED: 'done',
  REJECTED: 'refused',
  CANCELLED: 'withdrawn',
  EXPIRED: 'lapsed',
};

function orderRow(order: ExchangeOrder) {
  return {
    ...named(order),
    ref: order.orderId,
    way: wordOf(ways, order.side),
    kind: wordOf(kinds, order.orderType),
    product: wordOf(products, order.product),
    count: order.quantity,
    traded: order.filled,
    price: order.price,
    trigger: order.triggerPrice,
    average: averageOf(order),
    state: stateWords[order.state] ?? 'sent',
    why: order.refusal?.code ?? null,
    mark: order.tag,
    at: order.receivedAt,
  };
}

function named(of: { exchange: string; symbol: string }) {
  const instrument = findInstrument(of.exchange, of.symbol);
  return { name: of.symbol, number: `#${instrument?.exchangeToken}`, market: wordOf(markets, of.exchange) };
}
