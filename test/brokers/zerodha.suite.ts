import { z } from 'zod';
import { zerodha } from '../../server/brokers/zerodha/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { answerOf, fixtures, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('zerodha');
const refused = errors();

export { error };

const placed = one('placed');
export const orderId = '1953341975595868160';

export const body = (name: string) => one(name).body;
const data = (name: string) => body(name).data;
const rowList = z.array(z.record(z.string(), z.unknown()));

export function patched(list: ListName, patch: Record<string, unknown>): unknown {
  const name = list === 'tradebook' ? 'trades' : list;
  const rows = rowList.parse(list === 'positions' ? z.object({ net: rowList }).parse(data(name)).net : data(name));
  const changed = rows.map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return { status: 'success', data: list === 'positions' ? { net: changed, day: [] } : changed };
}

export const order = shareOrder('SBIN', '779521');

export const credentials = { API_KEY: 'testkey-0a1b', API_SECRET: 'testsecret-2c3d', ACCESS_TOKEN: 'todays-token-4e5f' };

export function healthy(stub: StubServer): void {
  stub.on('GET /user/profile', answerOf(one('profile')));
  stub.on('GET /user/margins', answerOf(one('funds')));
  stub.on('GET /portfolio/holdings', answerOf(one('holdings')));
  stub.on('GET /portfolio/positions', answerOf(one('positions')));
  stub.on('GET /orders', answerOf(one('orders')));
  stub.on('GET /trades', answerOf(one('trades')));
  stub.on('POST /session/token', answerOf(one('session')));
  stub.on('POST /orders/*', answerOf(placed));
  stub.on('PUT /orders/*/*', answerOf(placed));
  stub.on('DELETE /orders/*/*', answerOf(placed));
}

export const sbin = { symbol: 'SBIN', token: '779521', exchange: 'NSE' };
export const nifty = { symbol: 'NIFTY26NOVFUT', token: '12345602', exchange: 'NFO' };
const empty = { status: 'success', data: [] };

export const suite: Suite = {
  definition: zerodha,
  credentials,
  needed: ['ZERODHA_API_KEY'],
  account: 'ZT0001',
  healthy,
  reads: {
    profile: { route: 'GET /user/profile', data: data('profile') },
    funds: { route: 'GET /user/margins', data: data('funds') },
    holdings: {
      route: 'GET /portfolio/holdings',
      data: data('holdings'),
      empty,
      normalized: [
        { ...sbin, isin: 'INE062A01020', quantity: 25, sellable_quantity: 25, average_price: 790.4, last_price: 812.35, pnl: 548.75 },
        {
          symbol: 'INFY',
          token: '408065',
          exchange: 'NSE',
          isin: 'INE009A01021',
          quantity: 4,
          sellable_quantity: 4,
          average_price: 1500,
          last_price: 1510.5,
          pnl: 42,
        },
      ],
    },
    positions: {
      route: 'GET /portfolio/positions',
      data: z.object({ net: z.unknown() }).parse(data('positions')).net,
      empty: { status: 'success', data: { net: [], day: [] } },
      normalized: [
        {
          ...sbin,
          product_type: 'INTRADAY',
          net_quantity: 10,
          average_price: 811.2,
          last_price: 812.35,
          realized_pnl: 0,
          unrealized_pnl: 11.5,
          multiplier: 1,
        },
        {
          ...nifty,
          product_type: 'CARRYFORWARD',
          net_quantity: -75,
          average_price: 26010.05,
          last_price: 26000,
          realized_pnl: 0,
          unrealized_pnl: 753.75,
          multiplier: 1,
        },
        {
          symbol: 'LEADMINI26NOVFUT',
          token: '53496327',
          exchange: 'MCX',
          product_type: 'CARRYFORWARD',
          net_quantity: 0,
          average_price: 0,
          last_price: 161.05,
          realized_pnl: 120.5,
          unrealized_pnl: 0,
          multiplier: 1000,
        },
      ],
    },
    orders: { route: 'GET /orders', data: data('orders'), empty },
    tradebook: {
      route: 'GET /trades',
      data: data('trades'),
      empty,
      normalized: [
        {
          trade_id: '10000001',
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
    traded: { NSE: {}, BSE: {}, NFO: { tradingsymbol: nifty.symbol }, BFO: { tradingsymbol: 'SENSEX26DECFUT' }, MCX: {}, CDS: {} },
    options: [{ exchange: 'NFO', tradingsymbol: 'NIFTY26NOV26000CE' }],
    closed: [],
    passesStopMarket: true,
    words: {
      exchange: member('exchange', { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' }),
      ordertype: member('order_type', { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' }),
      producttype: member('product', { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' }),
      transactiontype: member('transaction_type', { BUY: 'BUY', SELL: 'SELL' }),
      variety: member('path', { NORMAL: '/orders/regular', STOPLOSS: '/orders/regular', AMO: '/orders/amo' }),
    },
    body: ({ form, path }) => ({ ...form, path }),
  },
  calls: {
    placeOrder: { route: 'POST /orders/regular', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: 'PUT /orders/regular/*',
      run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }),
    },
    cancelOrder: { route: 'DELETE /orders/regular/*', run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'a success without an order id': { body: { status: 'success', data: {} } },
    'a success with an empty order id': { body: { status: 'success', data: { order_id: '' } } },
    'a success with null': { body: { status: 'success', data: null } },
    'an order id under HTTP 500': { status: 500, body: placed.body },
    'an error under HTTP 200': { status: 200, body: refused.margin?.body },
    'a text about a time-out': error('timedOut'),
    'a short text about a time-out': error('timeout'),
    'HTTP 500': error('general'),
    'HTTP 502': error('data'),
    'HTTP 503 with the type of a rate refusal': error('network'),
    'HTTP 504': error('gateway'),
    'HTTP 404': error('notFound'),
    'a permission type under HTTP 409': { status: 409, body: refused.permission?.body },
    'HTTP 403 of another type': error('forbiddenOther'),
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Insufficient funds/ },
    product: { answer: error('product'), says: /NRML/ },
    price: { answer: error('price'), says: /circuit/ },
    protection: { answer: error('protection'), says: /market protection/ },
    'an unknown order': { answer: error('order'), says: /does not exist/ },
    permission: { answer: error('permission'), says: /not allowed/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'an unregistered address under another type': { answer: error('addressOtherType'), says: /No IPs configured/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
  },
  stateField: 'status',
  states: {
    COMPLETE: 'FILLED',
    REJECTED: 'REJECTED',
    CANCELLED: 'CANCELLED',
    'CANCELLED AMO': 'CANCELLED',
    OPEN: 'OPEN',
    open: 'OPEN',
    UPDATE: 'OPEN',
    'TRIGGER PENDING': 'TRIGGER_PENDING',
    'PUT ORDER REQ RECEIVED': 'TRANSIT',
    'VALIDATION PENDING': 'TRANSIT',
    'OPEN PENDING': 'TRANSIT',
    'AMO REQ RECEIVED': 'OPEN',
    'MODIFY VALIDATION PENDING': 'OPEN',
    'MODIFY PENDING': 'OPEN',
    MODIFIED: 'OPEN',
    'NOT MODIFIED': 'OPEN',
    'CANCEL PENDING': 'OPEN',
  },
  badRows: [
    { list: 'orders', patch: { status: null }, names: 'status' },
    { list: 'orders', patch: { status: '' }, names: 'status' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filled_quantity: undefined }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: 'ten' }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: -1 }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: true }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: '' }, names: 'filled_quantity' },
    { list: 'orders', patch: { average_price: '1,000' }, names: 'average_price' },
    { list: 'orders', patch: { order_id: 1953341975595868200 }, names: 'order_id' },
    { list: 'orders', patch: { transaction_type: 'X' }, names: 'transaction_type' },
    { list: 'positions', patch: { quantity: null }, names: 'quantity' },
    { list: 'positions', patch: { quantity: '1e3' }, names: 'quantity' },
    { list: 'positions', patch: { multiplier: null }, names: 'multiplier' },
    { list: 'holdings', patch: { t1_quantity: undefined }, names: 't1_quantity' },
    { list: 'holdings', patch: { average_price: 'n/a' }, names: 'average_price' },
    { list: 'tradebook', patch: { quantity: null }, names: 'quantity' },
    { list: 'tradebook', patch: { average_price: null }, names: 'average_price' },
    { list: 'tradebook', patch: { trade_id: '' }, names: 'trade_id' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: '10', filled_quantity: '4', average_price: '811.20' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2 },
    },
    { list: 'orders', patch: { average_price: null, order_timestamp: null }, row: { average_price: null, placed_at: null } },
    {
      list: 'orders',
      patch: { status: 'OPEN', filled_quantity: 3 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 },
    },
    {
      list: 'orders',
      patch: { status: 'CANCELLED', filled_quantity: 3 },
      row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3 },
    },
    { list: 'orders', patch: { product: 'MTF', exchange: 'BFO' }, row: { product_type: 'MTF', exchange: 'BFO' } },
    { list: 'orders', patch: { order_id: '9999999999999999999' }, row: { order_id: '9999999999999999999' } },
    { list: 'positions', patch: { quantity: '-20', average_price: null }, row: { net_quantity: -20, average_price: null } },
    { list: 'positions', patch: { average_price: 0 }, row: { net_quantity: 10, average_price: null } },
    {
      list: 'positions',
      patch: { realised: undefined, unrealised: undefined, last_price: undefined },
      row: { average_price: 811.2, last_price: null, realized_pnl: null, unrealized_pnl: null },
    },
    { list: 'orders', patch: { price: undefined, trigger_price: undefined }, row: { price: null, trigger_price: null } },
    { list: 'holdings', patch: { last_price: undefined, pnl: undefined }, row: { last_price: null, pnl: null } },
    { list: 'holdings', patch: { instrument_token: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'tradebook', patch: { fill_timestamp: '09:15' }, row: { traded_at: null } },
  ],
  tags: [
    { patch: { tag: TAG, tags: undefined }, tag: TAG },
    { patch: { tag: null, tags: ['mktp', 'mktp:2.00', TAG] }, tag: TAG },
    { patch: { tag: 'mktp', tags: ['mktp', TAG] }, tag: TAG },
    { patch: { tag: null, tags: ['mktp', 'mktp:2.00'] }, tag: null },
    { patch: { tag: null, tags: ['autoslice', 'autoslice:1953341975595868160'] }, tag: null },
    { patch: { tag: 'handmade', tags: ['handmade'] }, tag: 'handmade' },
    { patch: { tag: null, tags: ['mktp', 'handmade'] }, tag: 'handmade' },
    { patch: { tag: null, tags: null }, tag: null },
    { patch: { tag: 'handmade', tags: ['K3V9C0M2P7Q1X8ZA'] }, tag: 'K3V9C0M2P7Q1X8ZA' },
    { patch: { tag: 'K3V9C0M2P7Q1X8ZA', tags: [] }, tag: 'K3V9C0M2P7Q1X8ZA' },
  ],
};
