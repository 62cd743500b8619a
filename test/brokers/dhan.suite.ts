import { z } from 'zod';
import { dhan } from '../../server/brokers/dhan/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, fixtures, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('dhan');
const refused = errors();

export { error };
export const orderId = '112611200001';
export const client = '1100004207';
const rowList = z.array(z.record(z.string(), z.unknown()));

/** A recorded answer, as the stub server gives it. */
export function recorded(name: string): Answer {
  const { status, body } = one(name);
  return { status, body };
}

export const rows = (name: string) => rowList.parse(one(name).body);

export function patched(list: ListName, patch: Record<string, unknown>): Record<string, unknown>[] {
  return rows(list === 'tradebook' ? 'trades' : list).map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
}

export const order = shareOrder('SBIN', '3045');

export const credentials = { CLIENT_ID: client, ACCESS_TOKEN: 'todays-token-4e5f' };

export function healthy(stub: StubServer): void {
  for (const [path, name] of Object.entries({ profile: 'profile', fundlimit: 'funds', holdings: 'holdings', positions: 'positions' }))
    stub.on(`GET /${path}`, recorded(name));
  stub.on('GET /orders', recorded('orders'));
  stub.on('GET /trades', recorded('trades'));
  stub.on('GET /orders/*', (seen) => ({ body: rows('orders').filter((row) => row.orderId === seen.path.split('/')[2]) }));
  stub.on('POST /app/generateAccessToken', recorded('session'));
  stub.on('POST /orders', recorded('placed'));
  stub.on('PUT /orders/*', recorded('placed'));
  stub.on('DELETE /orders/*', recorded('placed'));
}

export const sbin = { symbol: 'SBIN', token: '3045', exchange: 'NSE' };
export const nifty = { symbol: 'NIFTY-Nov2026-FUT', token: '49081', exchange: 'NFO' };

const carriedShort = { netQty: -10, carryForwardSellQty: 20, sellAvg: 812.5, costPrice: 790 };

export const suite: Suite = {
  definition: dhan,
  credentials,
  needed: ['DHAN_CLIENT_ID', 'DHAN_PIN', 'DHAN_TOTP_SECRET', 'DHAN_ACCESS_TOKEN'],
  account: client,
  healthy,
  reads: {
    profile: { route: 'GET /profile', data: one('profile').body },
    funds: { route: 'GET /fundlimit', data: one('funds').body },
    holdings: {
      route: 'GET /holdings',
      data: rows('holdings'),
      empty: [],
      normalized: [
        {
          ...sbin,
          exchange: 'ALL',
          isin: 'INE062A01020',
          quantity: 25,
          sellable_quantity: 25,
          average_price: 790.4,
          last_price: null,
          pnl: null,
        },
        {
          symbol: 'INFY',
          token: '1594',
          exchange: 'ALL',
          isin: 'INE009A01021',
          quantity: 4,
          sellable_quantity: 4,
          average_price: 1500,
          last_price: 1510.5,
          pnl: null,
        },
      ],
    },
    positions: {
      route: 'GET /positions',
      data: rows('positions'),
      empty: [],
      normalized: [
        {
          ...sbin,
          product_type: 'INTRADAY',
          net_quantity: 10,
          average_price: 811.2,
          last_price: null,
          realized_pnl: 0,
          unrealized_pnl: 11.5,
          multiplier: 1,
        },
        {
          ...nifty,
          product_type: 'CARRYFORWARD',
          net_quantity: -75,
          average_price: 26010.05,
          last_price: null,
          realized_pnl: 0,
          unrealized_pnl: 753.75,
          multiplier: 1,
        },
        {
          symbol: 'LEADMINI-Nov2026-FUT',
          token: '208951',
          exchange: 'MCX',
          product_type: 'CARRYFORWARD',
          net_quantity: 0,
          average_price: 0,
          last_price: null,
          realized_pnl: 120.5,
          unrealized_pnl: 0,
          multiplier: 1000,
        },
      ],
    },
    orders: { route: 'GET /orders', data: rows('orders').map((row) => ({ ...row, order_id: row.orderId })), empty: [] },
    tradebook: { route: 'GET /trades', data: rows('trades'), empty: [] },
  },
  patched,
  expired: error('expired'),
  order,
  booked: orderId,
  rules: {
    traded: { NSE: {}, BSE: {}, NFO: { symbol: nifty.symbol }, BFO: { symbol: 'SENSEX-Dec2026-FUT' }, MCX: {}, CDS: {} },
    options: [{ exchange: 'NFO', symbol: 'NIFTY-Dec2026-26000-CE' }],
    closed: ['CDS'],
    words: {
      exchange: member('exchangeSegment', {
        NSE: 'NSE_EQ',
        BSE: 'BSE_EQ',
        NFO: 'NSE_FNO',
        BFO: 'BSE_FNO',
        MCX: 'MCX_COMM',
        CDS: 'NSE_CURRENCY',
      }),
      ordertype: member('orderType', { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'STOP_LOSS', 'SL-M': 'STOP_LOSS' }),
      producttype: member('productType', { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' }),
      transactiontype: member('transactionType', { BUY: 'BUY', SELL: 'SELL' }),
      variety: member('afterMarketOrder', { NORMAL: false, STOPLOSS: false, AMO: true }),
    },
    body: (seen) => JSON.parse(seen.body),
  },
  calls: {
    placeOrder: { route: 'POST /orders', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: { route: 'PUT /orders/*', run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }) },
    cancelOrder: { route: 'DELETE /orders/*', run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: recorded('placed'),
  orderId,
  ambiguous: {
    'a status without an order id': { body: { orderStatus: 'TRANSIT' } },
    'an empty order id': { body: { orderId: '', orderStatus: 'TRANSIT' } },
    'an order id too long for a number': { body: '{"orderId":1953341975595868160,"orderStatus":"TRANSIT"}' },
    'an order id under HTTP 500': { status: 500, body: { orderId, orderStatus: 'TRANSIT' } },
    'an empty 202': { status: 202 },
    'an empty list': { body: [] },
    'an error under HTTP 200': { status: 200, body: refused.input?.body },
    'a text about a time-out': error('timedOut'),
    'HTTP 500 DH-908': error('internal'),
    'HTTP 400 DH-908': error('internalAs400'),
    'HTTP 502 DH-909': error('network'),
    'HTTP 400 DH-909': error('networkAs400'),
    'HTTP 400 DH-910': error('others'),
    'a definite code under HTTP 500': { status: 500, body: refused.margin?.body },
    'a definite code under HTTP 404': error('notFoundByTag'),
    'a definite code under another status than its own': { status: 400, body: refused.access?.body },
    'a definite code without its type': { status: 400, body: { errorCode: 'DH-905', errorMessage: 'quantity is required' } },
    'a definite code without a text': { status: 400, body: { errorType: 'Order_Error', errorCode: 'DH-906' } },
    'an invalid address under HTTP 200': { status: 200, body: refused.address?.body },
    'an invalid address under HTTP 500': { status: 500, body: refused.address?.body },
    'the envelope of the interface description': error('otherEnvelope'),
    'the envelope of an unknown path': error('noRoute'),
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
    'HTTP 401 that is not JSON': { status: 401, body: 'who?' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Margin Exceeds.*DH-906/ },
    product: { answer: error('product'), says: /MARGIN is not valid/ },
    price: { answer: error('price'), says: /Trigger Price/ },
    'bad input': { answer: error('input'), says: /Missing required fields/ },
    'bad data': { answer: error('data'), says: /DH-907/ },
    'a closed market': { answer: error('closed'), says: /Market is Closed/ },
    'an order in transit': { answer: error('transit'), says: /Transit state/ },
    'an unknown order': { answer: error('order'), says: /cannot be processed/ },
    access: { answer: error('access'), says: /Trading APIs/ },
    'an inactive segment': { answer: error('segment'), says: /segment/ },
    'an unregistered address': { answer: error('address'), says: /Invalid IP/ },
    'an unregistered address under its newer code': { answer: error('addressNewer'), says: /DH-911/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
  },
  refusals: {
    'a symbol in place of the security id': { order: { token: 'SBIN' }, field: 'token' },
    'no security id': { order: { token: '' }, field: 'token' },
  },
  stateField: 'orderStatus',
  states: {
    TRANSIT: 'TRANSIT',
    PENDING: 'OPEN',
    Pending: 'OPEN',
    PART_TRADED: 'OPEN',
    MODIFIED: 'OPEN',
    TRADED: 'FILLED',
    REJECTED: 'REJECTED',
    CANCELLED: 'CANCELLED',
    INACTIVE: 'CANCELLED',
    EXPIRED: 'EXPIRED',
    TRIGGERED: 'UNKNOWN',
    CLOSED: 'UNKNOWN',
  },
  badRows: [
    { list: 'orders', patch: { orderStatus: null }, names: 'orderStatus' },
    { list: 'orders', patch: { orderStatus: '' }, names: 'orderStatus' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filledQty: undefined }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: 'ten' }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: -1 }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: '' }, names: 'filledQty' },
    { list: 'orders', patch: { averageTradedPrice: '1,000' }, names: 'averageTradedPrice' },
    { list: 'orders', patch: { orderId: 1953341975595868200 }, names: 'orderId' },
    { list: 'orders', patch: { orderId: '' }, names: 'orderId' },
    { list: 'orders', patch: { transactionType: 'X' }, names: 'transactionType' },
    { list: 'orders', patch: { price: undefined }, names: 'price' },
    { list: 'positions', patch: { netQty: null }, names: 'netQty' },
    { list: 'positions', patch: { netQty: '1e3' }, names: 'netQty' },
    { list: 'positions', patch: { multiplier: 'n/a' }, names: 'multiplier' },
    {
      list: 'positions',
      patch: { exchangeSegment: 'MCX_COMM', multiplier: undefined },
      names: 'multiplier',
      name: { exchange: 'MCX' },
    },
    { list: 'positions', patch: { buyAvg: 'n/a' }, names: 'buyAvg' },
    { list: 'positions', patch: { carryForwardBuyQty: 1.5 }, names: 'carryForwardBuyQty' },
    { list: 'positions', patch: { costPrice: 'n/a' }, names: 'costPrice' },
    { list: 'holdings', patch: { totalQty: undefined }, names: 'totalQty' },
    { list: 'holdings', patch: { avgCostPrice: 'n/a' }, names: 'avgCostPrice' },
    { list: 'tradebook', patch: { tradedQuantity: null }, names: 'tradedQuantity' },
    { list: 'tradebook', patch: { tradedPrice: null }, names: 'tradedPrice' },
    { list: 'tradebook', patch: { exchangeTradeId: '' }, names: 'exchangeTradeId' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: '10', filledQty: '4', averageTradedPrice: '811.20' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2 },
    },
    { list: 'orders', patch: { orderId: 112611200009 }, row: { order_id: '112611200009' } },
    { list: 'orders', patch: { createTime: null }, row: { placed_at: null } },
    { list: 'orders', patch: { createTime: '0001-01-01 00:00:00' }, row: { placed_at: null } },
    {
      list: 'orders',
      patch: { orderStatus: 'PENDING', filledQty: 3 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 },
    },
    {
      list: 'orders',
      patch: { orderStatus: 'CANCELLED', filledQty: 3, omsErrorDescription: 'Cancelled by user' },
      row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3, status_message: 'Cancelled by user' },
    },
    {
      list: 'orders',
      patch: { orderStatus: 'EXPIRED', filledQty: 0 },
      row: { state: 'EXPIRED', status: 'CANCELLED', status_message: null },
    },
    { list: 'orders', patch: { orderStatus: 'constructor' }, row: { state: 'UNKNOWN', status: 'UNKNOWN' } },
    { list: 'orders', patch: { orderType: 'STOP_LOSS_MARKET' }, row: { order_type: 'SL-M' } },
    {
      list: 'orders',
      patch: { productType: 'MTF', exchangeSegment: 'BSE_CURRENCY' },
      row: { product_type: 'MTF', exchange: 'BSE_CURRENCY' },
    },
    { list: 'orders', patch: { exchangeSegment: 'NSE_CURRENCY' }, row: { exchange: 'CDS' } },
    { list: 'orders', patch: { averageTradedPrice: null, orderId: '42' }, row: { average_price: null } },
    { list: 'orders', patch: { averageTradedPrice: 0, orderId: '42' }, row: { average_price: null } },
    { list: 'positions', patch: { netQty: '-20', costPrice: 0, sellAvg: 812.5 }, row: { net_quantity: -20, average_price: 812.5 } },
    // A long and a short position of the day: the average of the side.
    { list: 'positions', patch: { buyAvg: 810, costPrice: 809 }, row: { average_price: 810 } },
    { list: 'positions', patch: { netQty: -10, sellAvg: 812.5, costPrice: 811.2 }, row: { average_price: 812.5 } },
    // Carried over, where the averages are marked to market: the cost, unless a short position also bought.
    { list: 'positions', patch: { carryForwardBuyQty: 10, buyAvg: 810, costPrice: 790 }, row: { average_price: 790 } },
    { list: 'positions', patch: { carryForwardBuyQty: 10, buyAvg: 810, costPrice: 0 }, row: { average_price: 810 } },
    { list: 'positions', patch: { ...carriedShort, buyQty: 0 }, row: { average_price: 790 } },
    { list: 'positions', patch: { ...carriedShort, buyQty: 10 }, row: { average_price: 812.5 } },
    { list: 'positions', patch: { ...carriedShort, buyQty: undefined }, row: { average_price: 812.5 } },
    // Where the side says nothing, the cost; an average of 0 is none.
    { list: 'positions', patch: { buyAvg: null, costPrice: 809 }, row: { average_price: 809 } },
    { list: 'positions', patch: { costPrice: null, buyAvg: 810 }, row: { average_price: 810 } },
    { list: 'positions', patch: { netQty: -10, sellAvg: 0, costPrice: 809 }, row: { average_price: null } },
    { list: 'positions', patch: { buyAvg: 0, costPrice: 0, sellAvg: 812.5 }, row: { average_price: null } },
    { list: 'positions', patch: { multiplier: undefined }, row: { net_quantity: 10, multiplier: 1 } },
    { list: 'positions', patch: { multiplier: 0, exchangeSegment: 'BSE_FNO' }, row: { multiplier: 1 } },
    { list: 'positions', patch: { exchangeSegment: 'MCX_COMM', multiplier: '1250' }, row: { exchange: 'MCX', multiplier: 1250 } },
    {
      list: 'positions',
      patch: { realizedProfit: undefined, unrealizedProfit: undefined, costPrice: undefined, carryForwardBuyQty: undefined },
      row: { average_price: 811.2, realized_pnl: null, unrealized_pnl: null },
    },
    { list: 'holdings', patch: { avgCostPrice: undefined }, row: { sellable_quantity: 25, average_price: null } },
    { list: 'holdings', patch: { securityId: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'holdings', patch: { totalQty: 30, t1Qty: 5 }, row: { quantity: 30 } },
    { list: 'tradebook', patch: { exchangeTime: '09:15' }, row: { traded_at: null } },
  ],
  tags: [
    { patch: { correlationId: TAG }, tag: TAG },
    { patch: { correlationId: 'handmade' }, tag: 'handmade' },
    { patch: { correlationId: `${client}-1763611953000` }, tag: null },
    { patch: { correlationId: 'NA' }, tag: null },
    { patch: { correlationId: '' }, tag: null },
    { patch: { correlationId: null }, tag: null },
    { patch: { correlationId: undefined }, tag: null },
    { patch: { correlationId: TAG.toUpperCase() }, tag: TAG.toUpperCase() },
  ],
};
