import { z } from 'zod';
import { aliceblue } from '../../server/brokers/aliceblue/adapter.ts';
import { openFeed } from './aliceblue.stub.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { answerOf, fixtures, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('aliceblue');
const refused = errors();

export { error };
export const orderId = '261120000112229';

export const body = (name: string) => one(name).body;
const rowList = z.array(z.record(z.string(), z.unknown())).min(1);
export const rowsOf = (name: string) => rowList.parse(body(name).result);
export const ok = (...result: unknown[]) => ({ status: 'Ok', message: 'Success', result });

export function patched(list: ListName, patch: Record<string, unknown>): unknown {
  const [first, ...rest] = rowsOf(list === 'tradebook' ? 'trades' : list);
  return ok(Object.fromEntries(Object.entries({ ...first, ...patch }).filter(([, value]) => value !== undefined)), ...rest);
}

export const order = shareOrder('SBIN', '3045', { ordertype: 'LIMIT', price: '812.35' });
export const bse = { exchange: 'BSE', token: '500112' };
export const option = { exchange: 'NFO', symbol: 'NIFTY29DEC26C26000', tradingsymbol: 'NIFTY29DEC26C26000', token: '48003' };
const sensex = { exchange: 'BFO', symbol: 'SENSEX31DEC26F', tradingsymbol: 'SENSEX31DEC26F', token: '861201' };
const mcx = { exchange: 'MCX', symbol: 'GOLDM05DEC26F', tradingsymbol: 'GOLDM05DEC26F', token: '464111', producttype: 'CARRYFORWARD' };
const currency = {
  exchange: 'CDS',
  symbol: 'USDINR29DEC26F',
  tradingsymbol: 'USDINR29DEC26F',
  token: '10901',
  producttype: 'CARRYFORWARD',
};

export const credentials = { APP_CODE: 'testapp-0a1b', API_SECRET: 'testsecret-2c3d', USER_SESSION: 'living-token-4e5f' };

const prefix = '/open-api/od/v1';
export const routes = {
  token: `POST ${prefix}/vendor/getUserDetails`,
  profile: `GET ${prefix}/profile/`,
  funds: `GET ${prefix}/limits/`,
  holdings: `GET ${prefix}/holdings/CNC`,
  positions: `GET ${prefix}/positions`,
  orders: `GET ${prefix}/orders/book`,
  trades: `GET ${prefix}/orders/trades`,
  place: `POST ${prefix}/orders/placeorder`,
  modify: `POST ${prefix}/orders/modify`,
  cancel: `POST ${prefix}/orders/cancel`,
  endSocket: `POST ${prefix}/profile/invalidateWsSess`,
  socket: `POST ${prefix}/profile/createWsSess`,
  orderSocket: 'GET /open-api/order-notify/ws/createWsToken',
};

export function healthy(stub: StubServer): void {
  for (const name of ['profile', 'funds', 'holdings', 'positions', 'orders', 'trades'] as const) stub.on(routes[name], answerOf(one(name)));
  for (const name of ['place', 'modify', 'cancel'] as const) stub.on(routes[name], answerOf(one('placed')));
  stub.on(routes.token, answerOf(one('session')));
  stub.on(routes.endSocket, answerOf(one('socketSession')));
  stub.on(routes.socket, answerOf(one('socketSession')));
}

const sbin = { symbol: 'SBIN', token: '3045', exchange: 'NSE' };
const named = rowsOf('orders').map((row) => ({ ...row, order_id: row.brokerOrderId }));
const part = (patch: Record<string, unknown>) => ({ requestTime: '20-Nov-2026 09:42:33', brokerOrderId: orderId, ...patch });

export const suite: Suite = {
  definition: aliceblue,
  credentials,
  needed: ['ALICEBLUE_APP_CODE', 'ALICEBLUE_API_SECRET', 'ALICEBLUE_USER_SESSION'],
  account: '912444',
  healthy,
  reads: {
    profile: { route: routes.profile, data: rowsOf('profile')[0] },
    funds: { route: routes.funds, data: rowsOf('funds')[0] },
    holdings: {
      route: routes.holdings,
      data: rowsOf('holdings'),
      empty: refused.noHoldings?.body,
      normalized: [
        {
          symbol: 'IDEA',
          token: '14366',
          exchange: 'NSE',
          isin: 'INE669E01016',
          quantity: 36,
          sellable_quantity: 2,
          average_price: 7.17,
          last_price: 8.12,
          pnl: null,
        },
        {
          symbol: 'INFY',
          token: '500209',
          exchange: 'BSE',
          isin: 'INE009A01021',
          quantity: 6,
          sellable_quantity: 6,
          average_price: 1500,
          last_price: 1510.5,
          pnl: null,
        },
      ],
    },
    positions: {
      route: routes.positions,
      data: rowsOf('positions'),
      empty: refused.noPositions?.body,
      normalized: [
        {
          ...sbin,
          product_type: 'INTRADAY',
          net_quantity: 10,
          average_price: 811.2,
          last_price: null,
          realized_pnl: 0,
          unrealized_pnl: null,
          multiplier: 1,
        },
        {
          symbol: 'NIFTY28JUL22C16600',
          token: '54957',
          exchange: 'NFO',
          product_type: 'CARRYFORWARD',
          net_quantity: -50,
          average_price: 84.2,
          last_price: null,
          realized_pnl: 0,
          unrealized_pnl: null,
          multiplier: 1,
        },
        {
          symbol: 'IDEA',
          token: '14366',
          exchange: 'NSE',
          product_type: 'DELIVERY',
          net_quantity: 0,
          average_price: 0,
          last_price: null,
          realized_pnl: 120.5,
          unrealized_pnl: null,
          multiplier: 1,
        },
      ],
    },
    orders: { route: routes.orders, data: named, empty: refused.noOrders?.body },
    tradebook: {
      route: routes.trades,
      data: rowsOf('trades'),
      empty: refused.noTrades?.body,
      normalized: [
        {
          trade_id: '207745115',
          order_id: orderId,
          ...sbin,
          transaction_type: 'BUY',
          product_type: 'INTRADAY',
          quantity: 10,
          price: 811.2,
          traded_at: '2026-11-20T04:12:34.000Z',
        },
      ],
    },
  },
  patched,
  expired: error('expired'),
  order,
  booked: orderId,
  rules: {
    traded: {
      NSE: {},
      BSE: bse,
      NFO: { ...option, symbol: 'NIFTY29DEC26F', tradingsymbol: 'NIFTY29DEC26F' },
      BFO: sensex,
      MCX: mcx,
      CDS: currency,
    },
    options: [option],
    closed: ['MCX', 'CDS'],
    words: {
      exchange: member('exchange', { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: null, CDS: null }),
      ordertype: member('orderType', { MARKET: 'LIMIT', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL' }),
      producttype: member('product', { INTRADAY: 'INTRADAY', DELIVERY: 'LONGTERM', CARRYFORWARD: 'NORMAL' }),
      transactiontype: member('transactionType', { BUY: 'BUY', SELL: 'SELL' }),
      variety: member('orderComplexity', { NORMAL: 'REGULAR', STOPLOSS: 'REGULAR', AMO: 'AMO' }),
    },
    body: (seen) => JSON.parse(seen.body)[0],
    feed: openFeed,
  },
  calls: {
    placeOrder: { route: routes.place, run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: { route: routes.modify, run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }) },
    cancelOrder: { route: routes.cancel, run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: { body: body('placed') },
  orderId,
  ambiguous: {
    'a success without an order id': { body: ok({ requestTime: '20-Nov-2026 09:42:33' }) },
    'a success with an empty order id': { body: ok(part({ brokerOrderId: '' })) },
    'a success without a result': { body: { status: 'Ok', message: 'Success' } },
    'a success with an empty result': { body: ok() },
    'a success with a result that is no list': { body: { status: 'Ok', result: part({}) } },
    'a success with the ids of a sliced order': { body: ok(part({}), part({ brokerOrderId: '261120000112230' })) },
    'an order id that lost digits': { body: '{"status":"Ok","result":[{"brokerOrderId":2611200001122291234567}]}' },
    'an order id in a part that is not good': { body: ok(part({ status: 'EC954' })) },
    'a refused part without a code': { body: ok({ status: 'Not_ok', message: 'no' }) },
    'a refused part with the generic code': { body: ok({ status: 'EC003', message: 'An error occurred' }) },
    'a refusal that names an order': { body: { status: 'EC954', message: 'x', result: [part({})] } },
    'an order id under HTTP 500': { status: 500, body: body('placed') },
    'the generic error': error('generic'),
    'a failed placement': error('failed'),
    'a failed placement under HTTP 400': error('badRequest'),
    'HTTP 503 with its code': error('unavailable'),
    'HTTP 500 with the code of a refusal': { status: 500, body: refused.product?.body },
    'a validation code beside the generic one': { body: { status: 'EC954', message: 'EC003' } },
    'a code that is in no list': { body: { status: 'EC940', message: 'x' } },
    'a failed margin look-up': { body: { status: 'EC935', message: 'Failed to retrieve the single order margin.' } },
    'a failed conversion': { body: { status: 'EC873', message: 'Failed to convert positions.' } },
    'a failed retrieval': { body: { status: 'EC915', message: 'Failed to retrieve the order book' } },
    'no order found': error('noOrders'),
    'a refusal without a code': { body: { status: 'Not_ok', message: 'Something went wrong' } },
    'a text about a time-out': { body: { status: 'EC950', message: 'Request timed out' } },
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Insufficient margin \(EC911\)/ },
    product: { answer: error('product'), says: /product.*EC092/ },
    price: { answer: error('price'), says: /Price.*EC950/ },
    lot: { answer: error('lot'), says: /lot.*EC954/ },
    'an unknown instrument': { answer: error('instrument'), says: /instrumentId/ },
    'an unknown order': { answer: error('order'), says: /brokerOrderId/ },
    'a read-only user': { answer: error('readOnly'), says: /Read only/ },
    'a code in the message': { answer: error('codeInMessage'), says: /^EC991$/ },
    'a code in the part': { answer: { body: ok({ status: 'EC991', message: 'Invalid input' }) }, says: /Invalid input \(EC991\)/ },
    'a code under HTTP 400': { answer: { status: 400, body: refused.lot?.body }, says: /EC954/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5.*EC097/ },
    'an unregistered address, told in words': { answer: error('addressText'), says: /IP whitelist/ },
    'an unregistered address under HTTP 403': { answer: error('addressForbidden'), says: /203\.0\.113\.5/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
    'the first validation code': { answer: { body: { status: 'EC080', message: 'x' } }, says: /EC080/ },
    'the last validation code': { answer: { body: { status: 'EC936', message: 'x' } }, says: /EC936/ },
  },
  refusals: {
    'no token': { order: { token: '' }, field: 'token' },
    'a token that is no number': { order: { token: 'NSE|3045' }, field: 'token' },
  },
  stateField: 'orderStatus',
  states: {
    COMPLETE: 'FILLED',
    complete: 'FILLED',
    REJECTED: 'REJECTED',
    CANCELED: 'CANCELLED',
    CANCELLED: 'CANCELLED',
    Cancelled: 'CANCELLED',
    OPEN: 'OPEN',
    PENDING: 'TRANSIT',
    'TRIGGER PENDING': 'TRIGGER_PENDING',
    TRIGGER_PENDING: 'TRIGGER_PENDING',
    'AMO REQ RECEIVED': 'OPEN',
    // Only the whole word is final.
    'CANCEL PENDING': 'UNKNOWN',
  },
  badRows: [
    { list: 'orders', patch: { orderStatus: null }, names: 'orderStatus' },
    { list: 'orders', patch: { orderStatus: '' }, names: 'orderStatus' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filledQuantity: undefined }, names: 'filledQuantity' },
    { list: 'orders', patch: { filledQuantity: 'ten' }, names: 'filledQuantity' },
    { list: 'orders', patch: { filledQuantity: -1 }, names: 'filledQuantity' },
    { list: 'orders', patch: { filledQuantity: '' }, names: 'filledQuantity' },
    { list: 'orders', patch: { averageTradedPrice: '1,000' }, names: 'averageTradedPrice' },
    { list: 'orders', patch: { brokerOrderId: '' }, names: 'brokerOrderId' },
    { list: 'orders', patch: { brokerOrderId: Number('2611200001122291234567') }, names: 'brokerOrderId' },
    { list: 'orders', patch: { transactionType: 'X' }, names: 'transactionType' },
    { list: 'orders', patch: { tradingSymbol: undefined }, names: 'tradingSymbol', name: { symbol: null } },
    { list: 'positions', patch: { netQuantity: null }, names: 'netQuantity' },
    { list: 'positions', patch: { netQuantity: '1e3' }, names: 'netQuantity' },
    { list: 'positions', patch: { multiplier: null, exchange: 'MCX' }, names: 'multiplier', name: { exchange: 'MCX', symbol: 'SBIN-EQ' } },
    { list: 'positions', patch: { exchange: '' }, names: 'exchange', name: { exchange: null, symbol: 'SBIN-EQ' } },
    { list: 'holdings', patch: { t1Quantity: undefined }, names: 't1Quantity' },
    { list: 'holdings', patch: { averageTradedPrice: 'n/a' }, names: 'averageTradedPrice' },
    {
      list: 'holdings',
      patch: { nseTradingSymbol: '', bseTradingSymbol: null },
      names: 'nseTradingSymbol',
      name: { exchange: null, symbol: null, token: null },
    },
    { list: 'tradebook', patch: { filledQuantity: null }, names: 'filledQuantity' },
    { list: 'tradebook', patch: { tradedPrice: null }, names: 'tradedPrice' },
    { list: 'tradebook', patch: { tradedPrice: 0 }, names: 'tradedPrice' },
    { list: 'tradebook', patch: { exchangeTradeId: '' }, names: 'exchangeTradeId' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: '10', filledQuantity: '4', averageTradedPrice: '811.20' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2 },
    },
    {
      list: 'orders',
      patch: { price: '', slTriggerPrice: '', averageTradedPrice: '' },
      row: { price: null, trigger_price: null, average_price: null },
    },
    { list: 'orders', patch: { orderTime: '' }, row: { placed_at: null } },
    { list: 'orders', patch: { orderTime: '20-Nov-2026 09:42:33' }, row: { placed_at: '2026-11-20T04:12:33.000Z' } },
    { list: 'orders', patch: { orderTime: '20-Foo-2026 09:42:33' }, row: { placed_at: null } },
    { list: 'orders', patch: { orderStatus: 'OPEN', filledQuantity: 3 }, row: { state: 'OPEN', status: 'PARTIALLY_FILLED' } },
    { list: 'orders', patch: { orderStatus: 'CANCELED', filledQuantity: 3 }, row: { status: 'CANCELLED', filled_quantity: 3 } },
    { list: 'orders', patch: { orderStatus: 'constructor' }, row: { state: 'UNKNOWN' } },
    { list: 'orders', patch: { orderStatus: 'REJECTED', rejectionReason: 'RED:Margin ' }, row: { status_message: 'RED:Margin' } },
    { list: 'orders', patch: { brokerOrderId: 261120000112229 }, row: { order_id: orderId } },
    { list: 'orders', patch: { orderType: 'SLM' }, row: { order_type: 'SL-M' } },
    { list: 'orders', patch: { product: 'LONGTERM' }, row: { product_type: 'DELIVERY' } },
    { list: 'orders', patch: { product: 'LONGTERM', exchange: 'BFO' }, row: { product_type: 'CARRYFORWARD', exchange: 'BFO' } },
    { list: 'orders', patch: { product: 'NRML', exchange: 'NFO' }, row: { product_type: 'CARRYFORWARD' } },
    { list: 'orders', patch: { product: 'MTF' }, row: { product_type: 'MTF' } },
    { list: 'orders', patch: { tradingSymbol: 'BAJAJ-AUTO-EQ' }, row: { symbol: 'BAJAJ-AUTO' } },
    { list: 'orders', patch: { tradingSymbol: 'ZT-EQ', exchange: 'NFO' }, row: { symbol: 'ZT-EQ' } },
    { list: 'positions', patch: { netQuantity: '-20', netAveragePrice: null }, row: { net_quantity: -20, average_price: null } },
    { list: 'positions', patch: { product: 'mis' }, row: { product_type: 'INTRADAY' } },
    // An average of 0 beside a quantity is none: what today's trades cost stands in, never 0.
    { list: 'positions', patch: { netAveragePrice: 0 }, row: { net_quantity: 10, average_price: 811.2 } },
    { list: 'positions', patch: { netAveragePrice: undefined }, row: { average_price: 811.2 } },
    { list: 'positions', patch: { netAveragePrice: 0, dayBuyPrice: 0 }, row: { average_price: null } },
    {
      list: 'positions',
      patch: { netQuantity: -10, netAveragePrice: 0, daySellQuantity: 10, daySellPrice: 812.5 },
      row: { net_quantity: -10, average_price: 812.5 },
    },
    {
      list: 'positions',
      patch: { netAveragePrice: 0, overnightQuantity: 10, dayBuyQuantity: 0, overnightPrice: 800 },
      row: { average_price: 800 },
    },
    { list: 'positions', patch: { netAveragePrice: 0, overnightQuantity: 4, overnightPrice: 800 }, row: { average_price: null } },
    { list: 'positions', patch: { multiplier: undefined, realizedPnl: undefined }, row: { multiplier: 1, realized_pnl: null } },
    { list: 'orders', patch: { averageTradedPrice: 0, filledQuantity: 4 }, row: { filled_quantity: 4, average_price: null } },
    {
      list: 'orders',
      patch: { averageTradedPrice: undefined, slTriggerPrice: undefined },
      row: { average_price: null, trigger_price: null },
    },
    { list: 'holdings', patch: { averageTradedPrice: 0, ltp: undefined }, row: { average_price: null, last_price: null } },
    { list: 'holdings', patch: { totalQuantity: 40 }, row: { quantity: 40 } },
    { list: 'holdings', patch: { nseInstrumentId: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'tradebook', patch: { fillTimestamp: '26-May-2025 14:27:43' }, row: { traded_at: '2025-05-26T08:57:43.000Z' } },
  ],
  tags: [
    { patch: { orderTag: TAG }, tag: TAG },
    { patch: { orderTag: 'handmade' }, tag: 'handmade' },
    { patch: { orderTag: '' }, tag: null },
    { patch: { orderTag: '--' }, tag: null },
    { patch: { orderTag: 'NA' }, tag: null },
    { patch: { orderTag: undefined }, tag: null },
    { patch: { orderTag: '', remarks: TAG }, tag: TAG },
    { patch: { orderTag: TAG, remarks: '--' }, tag: TAG },
    { patch: { orderTag: 'NA', remarks: 'theirs' }, tag: 'theirs' },
  ],
};
