import { z } from 'zod';
import { upstox } from '../../server/brokers/upstox/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, answerOf, fixtures, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('upstox');
const refused = errors();

export { error };
export const orderId = '261120025562880';

export const body = (name: string) => one(name).body;
const data = (name: string) => body(name).data;
const rowList = z.array(z.record(z.string(), z.unknown()));

/** A success whose error is spelled the one way or the other. */
function spelled(status: number, fault: Record<string, unknown>): Answer {
  return { status, body: { status: 'error', errors: [fault] } };
}

export function patched(list: ListName, patch: Record<string, unknown>): unknown {
  const rows = rowList.parse(data(list === 'tradebook' ? 'trades' : list));
  const changed = rows.map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return { status: 'success', data: changed };
}

export const order = shareOrder('SBIN', 'NSE_EQ|INE062A01020');
/** One order of each exchange that Upstox takes. */
export const future = { exchange: 'NFO', symbol: 'NIFTY26NOVFUT', tradingsymbol: 'NIFTY26NOVFUT', token: 'NSE_FO|43919' };
export const option = { exchange: 'NFO', symbol: 'NIFTY26NOV26000CE', tradingsymbol: 'NIFTY26NOV26000CE', token: 'NSE_FO|43920' };
export const sensex = { exchange: 'BFO', symbol: 'SENSEX26DECFUT', tradingsymbol: 'SENSEX26DECFUT', token: 'BSE_FO|861201' };
export const currency = { exchange: 'CDS', symbol: 'USDINR26NOVFUT', tradingsymbol: 'USDINR26NOVFUT', token: 'NCD_FO|10901' };
export const bse = { exchange: 'BSE', token: 'BSE_EQ|INE062A01020' };

export const credentials = { API_KEY: 'testkey-0a1b', API_SECRET: 'testsecret-2c3d', ACCESS_TOKEN: 'todays-token-4e5f' };

export const routes = {
  holdings: 'GET /v2/portfolio/long-term-holdings',
  positions: 'GET /v2/portfolio/short-term-positions',
  mtf: 'GET /v3/portfolio/mtf-positions',
  orders: 'GET /v2/order/retrieve-all',
  trades: 'GET /v2/order/trades/get-trades-for-day',
  place: 'POST /v3/order/place',
  modify: 'PUT /v3/order/modify',
  cancel: 'DELETE /v3/order/cancel',
};

export function healthy(stub: StubServer): void {
  stub.on('GET /v2/user/profile', answerOf(one('profile')));
  stub.on('GET /v2/user/get-funds-and-margin', answerOf(one('funds')));
  stub.on(routes.holdings, answerOf(one('holdings')));
  stub.on(routes.positions, answerOf(one('positions')));
  stub.on(routes.mtf, { body: empty });
  stub.on(routes.orders, answerOf(one('orders')));
  stub.on(routes.trades, answerOf(one('trades')));
  stub.on('GET /v2/order/details', answerOf(one('details')));
  stub.on('GET /v2/order/history', answerOf(one('history')));
  stub.on('POST /v2/login/authorization/token', answerOf(one('session')));
  stub.on(routes.place, answerOf(one('placed')));
  stub.on(routes.modify, answerOf(one('changed')));
  stub.on(routes.cancel, answerOf(one('changed')));
}

export const sbin = { symbol: 'SBIN', token: 'NSE_EQ|INE062A01020', exchange: 'NSE' };
const empty = { status: 'success', data: [] };
const accepted = { status: 'success', data: { order_ids: [orderId], order_id: orderId } };

export const suite: Suite = {
  definition: upstox,
  credentials,
  needed: ['UPSTOX_API_KEY', 'UPSTOX_API_SECRET', 'UPSTOX_ACCESS_TOKEN'],
  account: 'UT0001',
  healthy,
  reads: {
    profile: { route: 'GET /v2/user/profile', data: data('profile') },
    funds: { route: 'GET /v2/user/get-funds-and-margin', data: data('funds') },
    holdings: {
      route: routes.holdings,
      data: data('holdings'),
      empty,
      normalized: [
        {
          symbol: 'YESBANK',
          token: 'NSE_EQ|INE528G01035',
          exchange: 'NSE',
          isin: 'INE528G01035',
          quantity: 36,
          sellable_quantity: 36,
          average_price: 18.75,
          last_price: 17.05,
          pnl: -61.2,
        },
        {
          symbol: 'INFY',
          token: 'NSE_EQ|INE009A01021',
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
      route: routes.positions,
      data: data('positions'),
      empty,
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
          symbol: 'BANKNIFTY26NOV58000PE',
          token: 'NSE_FO|52618',
          exchange: 'NFO',
          product_type: 'CARRYFORWARD',
          net_quantity: -30,
          average_price: 2.65,
          last_price: 1.75,
          realized_pnl: 0,
          unrealized_pnl: 27,
          multiplier: 1,
        },
        {
          symbol: 'NHPC',
          token: 'NSE_EQ|INE848E01016',
          exchange: 'NSE',
          product_type: 'DELIVERY',
          net_quantity: 0,
          average_price: null,
          last_price: 79.4,
          realized_pnl: 120.5,
          unrealized_pnl: 0,
          multiplier: 1,
        },
      ],
    },
    orders: { route: routes.orders, data: data('orders'), empty },
    tradebook: {
      route: routes.trades,
      data: data('trades'),
      empty,
      normalized: [
        {
          trade_id: '50091502',
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
    traded: { NSE: {}, BSE: bse, NFO: future, BFO: sensex, MCX: { token: 'MCX_FO|464101' }, CDS: currency },
    options: [
      { ...option, token: future.token },
      { ...currency, tradingsymbol: 'USDINR26NOV90CE' },
    ],
    closed: ['MCX'],
    passesStopMarket: true,
    words: {
      exchange: member('instrument_token', {
        NSE: order.token,
        BSE: bse.token,
        NFO: future.token,
        MCX: null,
        BFO: sensex.token,
        CDS: currency.token,
      }),
      ordertype: member('order_type', { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' }),
      producttype: member('product', { INTRADAY: 'I', DELIVERY: 'D', CARRYFORWARD: 'D' }),
      transactiontype: member('transaction_type', { BUY: 'BUY', SELL: 'SELL' }),
      variety: member('is_amo', { NORMAL: false, STOPLOSS: false, AMO: true }),
    },
    body: (seen) => JSON.parse(seen.body),
  },
  calls: {
    placeOrder: { route: routes.place, run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: routes.modify,
      run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }),
    },
    cancelOrder: { route: routes.cancel, run: (broker) => broker.cancelOrder(orderId) },
  },
  // A placement answers with a list of ids, a change with one: here both stand side by side.
  accepted: { body: accepted },
  orderId,
  ambiguous: {
    'a success without an order id': { body: { status: 'success', data: {} } },
    'a success with an empty order id': { body: { status: 'success', data: { order_ids: [''], order_id: '' } } },
    'a success without ids': { body: { status: 'success', data: { order_ids: [] } } },
    'a success with the ids of a sliced order': { body: { status: 'success', data: { order_ids: [orderId, '261120025562881'] } } },
    'an order id that is a number': {
      body: '{"status":"success","data":{"order_ids":[2611200255628801234567],"order_id":2611200255628801234567}}',
    },
    'a success with null': { body: { status: 'success', data: null } },
    'an order id under HTTP 500': { status: 500, body: accepted },
    'an error under HTTP 200': { status: 200, body: refused.product?.body },
    'the internal error under HTTP 400, whatever its text': error('internal'),
    'a text about a time-out': error('timedOutText'),
    'HTTP 408': error('requestTimeout'),
    'HTTP 500': error('server'),
    'HTTP 500 with the code of a refusal': error('knownUnder500'),
    'HTTP 503': error('unavailable'),
    'a 4xx without errors': { status: 400, body: { status: 'error', message: 'no' } },
    'a 4xx with an empty list of errors': { status: 400, body: { status: 'error', errors: [] } },
    'a 4xx without a code': spelled(400, { message: 'Bad request' }),
    'a 4xx with a code of another house': spelled(400, { errorCode: 'GW-17', message: 'Bad request' }),
    'a refusal beside an internal error': {
      status: 400,
      body: {
        status: 'error',
        errors: [
          { error_code: 'UDAPI1052', message: 'a' },
          { error_code: 'UDAPI100500', message: 'b' },
        ],
      },
    },
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /You need to add Rs\./ },
    product: { answer: error('product'), says: /product.*UDAPI1054/ },
    price: { answer: error('price'), says: /price/ },
    protection: { answer: error('protection'), says: /market protection/ },
    'an unknown instrument': { answer: error('instrument'), says: /Instrument key/ },
    'an exchange that is closed to the API': { answer: error('mcx'), says: /MCX/ },
    'an unknown order': { answer: error('order'), says: /not found/ },
    'a finished order': { answer: error('finished'), says: /complete/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'no registered address': { answer: error('noAddress'), says: /No static IP/ },
    'an algo name': { answer: error('algo'), says: /algo/ },
    rate: { answer: error('rate'), says: /Too Many Request/ },
    'the hour': { answer: error('hours'), says: /5:30/ },
    'a code in the old spelling alone': { answer: spelled(400, { errorCode: 'UDAPI1052', message: 'zero' }), says: /UDAPI1052/ },
    'a code in the new spelling alone': { answer: spelled(400, { error_code: 'UDAPI1052', message: 'zero' }), says: /UDAPI1052/ },
  },
  refusals: {
    'a token that is a bare number': { order: { token: '3045' }, field: 'token' },
    'a key without an id': { order: { token: 'NSE_EQ|' }, field: 'token' },
    'a key of another exchange': { order: { token: 'BSE_EQ|INE062A01020' }, field: 'token' },
    'two keys in one': { order: { token: 'NSE_EQ|INE062A01020|INE009A01021' }, field: 'token' },
  },
  stateField: 'status',
  states: {
    complete: 'FILLED',
    COMPLETE: 'FILLED',
    rejected: 'REJECTED',
    cancelled: 'CANCELLED',
    'cancelled after market order': 'CANCELLED',
    open: 'OPEN',
    modified: 'OPEN',
    'not modified': 'OPEN',
    'modify pending': 'OPEN',
    'modify validation pending': 'OPEN',
    'cancel pending': 'OPEN',
    'not cancelled': 'OPEN',
    'after market order req received': 'OPEN',
    'modify after market order req received': 'OPEN',
    'trigger pending': 'TRIGGER_PENDING',
    'put order req received': 'TRANSIT',
    'validation pending': 'TRANSIT',
    'open pending': 'TRANSIT',
  },
  badRows: [
    { list: 'orders', patch: { status: null }, names: 'status' },
    { list: 'orders', patch: { status: '' }, names: 'status' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filled_quantity: undefined }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: 'ten' }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: -1 }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: '' }, names: 'filled_quantity' },
    { list: 'orders', patch: { average_price: '1,000' }, names: 'average_price' },
    { list: 'orders', patch: { order_id: 261120025562880 }, names: 'order_id' },
    { list: 'orders', patch: { transaction_type: 'X' }, names: 'transaction_type' },
    { list: 'orders', patch: { trading_symbol: undefined, tradingsymbol: undefined }, names: 'trading_symbol', name: { symbol: null } },
    { list: 'positions', patch: { quantity: null }, names: 'quantity' },
    { list: 'positions', patch: { quantity: '1e3' }, names: 'quantity' },
    { list: 'positions', patch: { multiplier: null }, names: 'multiplier' },
    { list: 'positions', patch: { average_price: null, buy_price: 'n/a' }, names: 'buy_price' },
    { list: 'positions', patch: { exchange: '' }, names: 'exchange', name: { exchange: null, symbol: 'SBIN-EQ' } },
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
      patch: { status: 'open', filled_quantity: 3 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 },
    },
    { list: 'orders', patch: { status: 'cancelled', filled_quantity: 3 }, row: { status: 'CANCELLED', filled_quantity: 3 } },
    { list: 'orders', patch: { status: 'constructor' }, row: { state: 'UNKNOWN' } },
    { list: 'orders', patch: { status: 'cancel pending', filled_quantity: 0 }, row: { status: 'PLACED' } },
    { list: 'orders', patch: { product: 'D', exchange: 'NSE' }, row: { product_type: 'DELIVERY' } },
    { list: 'orders', patch: { product: 'D', exchange: 'BSE' }, row: { product_type: 'DELIVERY' } },
    { list: 'orders', patch: { product: 'D', exchange: 'CDS' }, row: { product_type: 'CARRYFORWARD' } },
    { list: 'orders', patch: { product: 'MTF', exchange: 'BFO' }, row: { product_type: 'MTF', exchange: 'BFO' } },
    { list: 'orders', patch: { trading_symbol: undefined }, row: { symbol: 'SBIN' } },
    { list: 'orders', patch: { tradingsymbol: undefined }, row: { symbol: 'SBIN' } },
    { list: 'orders', patch: { trading_symbol: 'BAJAJ-AUTO' }, row: { symbol: 'BAJAJ-AUTO' } },
    { list: 'orders', patch: { trading_symbol: 'BAJAJ-AUTO-EQ' }, row: { symbol: 'BAJAJ-AUTO' } },
    { list: 'orders', patch: { trading_symbol: 'ZT-EQ', exchange: 'NFO' }, row: { symbol: 'ZT-EQ' } },
    { list: 'positions', patch: { quantity: '-20', average_price: null }, row: { net_quantity: -20, average_price: null } },
    { list: 'positions', patch: { average_price: null, buy_price: 812.05, sell_price: 815 }, row: { average_price: 812.05 } },
    { list: 'positions', patch: { average_price: 0, buy_price: '812.05', sell_price: 815 }, row: { average_price: 812.05 } },
    { list: 'positions', patch: { quantity: -10, average_price: 0, buy_price: 812.05, sell_price: 815 }, row: { average_price: 815 } },
    { list: 'positions', patch: { average_price: 0, buy_price: 0, sell_price: 815 }, row: { average_price: null } },
    { list: 'positions', patch: { average_price: '', buy_price: '' }, row: { average_price: null } },
    { list: 'positions', patch: { average_price: 811.2, buy_price: 812.05 }, row: { average_price: 811.2 } },
    { list: 'positions', patch: { quantity: 0, average_price: null, buy_price: 812.05 }, row: { average_price: null } },
    {
      list: 'positions',
      patch: { average_price: undefined, last_price: undefined, realised: undefined, unrealised: undefined, buy_price: undefined },
      row: { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null },
    },
    { list: 'orders', patch: { price: undefined, trigger_price: undefined }, row: { price: null, trigger_price: null } },
    { list: 'holdings', patch: { last_price: undefined, pnl: undefined }, row: { last_price: null, pnl: null } },
    { list: 'positions', patch: { trading_symbol: 'SBIN' }, row: { symbol: 'SBIN' } },
    { list: 'holdings', patch: { instrument_token: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'holdings', patch: { quantity: 0, t1_quantity: 12 }, row: { quantity: 12 } },
    { list: 'tradebook', patch: { exchange_timestamp: '03-Aug-2017 15:03:42' }, row: { traded_at: '2017-08-03T09:33:42.000Z' } },
    { list: 'tradebook', patch: { exchange_timestamp: '03-Aux-2017 15:03:42' }, row: { traded_at: null } },
    { list: 'tradebook', patch: { instrument_token: '151064324' }, row: { token: '151064324' } },
  ],
  tags: [
    { patch: { tag: TAG }, tag: TAG },
    { patch: { tag: 'handmade' }, tag: 'handmade' },
    { patch: { tag: '' }, tag: null },
    { patch: { tag: null }, tag: null },
    { patch: { tag: undefined }, tag: null },
    { patch: { tag: 'K3V9C0M2P7Q1X8ZA' }, tag: 'K3V9C0M2P7Q1X8ZA' },
  ],
};
