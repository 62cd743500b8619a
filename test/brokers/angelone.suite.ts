import { z } from 'zod';
import { angelone } from '../../server/brokers/angelone/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { answerOf, fixtures, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('angelone');
const refused = errors();

export { error };

const placed = one('placed');
export const orderId = '201020000000080';

export const SECURE = '/rest/secure/angelbroking';
export const LOGIN = 'POST /rest/auth/angelbroking/user/v1/loginByPassword';
export const route = {
  profile: `GET ${SECURE}/user/v1/getProfile`,
  funds: `GET ${SECURE}/user/v1/getRMS`,
  holdings: `GET ${SECURE}/portfolio/v1/getAllHolding`,
  positions: `GET ${SECURE}/order/v1/getPosition`,
  orders: `GET ${SECURE}/order/v1/getOrderBook`,
  details: `GET ${SECURE}/order/v1/details/*`,
  tradebook: `GET ${SECURE}/order/v1/getTradeBook`,
  logout: `POST ${SECURE}/user/v1/logout`,
  place: `POST ${SECURE}/order/v1/placeOrder`,
  modify: `POST ${SECURE}/order/v1/modifyOrder`,
  cancel: `POST ${SECURE}/order/v1/cancelOrder`,
} as const;

export const data = (name: string) => one(name).body.data;
export const said = (value: unknown) => ({ status: true, message: 'SUCCESS', errorcode: '', data: value });
const rowList = z.array(z.record(z.string(), z.unknown()));
const holdingRows = z.object({ holdings: rowList }).parse(data('holdings')).holdings;
export const orderRows = rowList.parse(data('orders'));

/** A row with other members; undefined takes one away. */
export function changed(row: Record<string, unknown>, patch: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined));
}

export function patched(list: ListName, patch: Record<string, unknown>): unknown {
  const [first = {}, ...rest] = list === 'holdings' ? holdingRows : rowList.parse(data(list === 'tradebook' ? 'trades' : list));
  const rows = [changed(first, patch), ...rest];
  return said(list === 'holdings' ? { holdings: rows, totalholding: null } : rows);
}

export const order = shareOrder('SBIN-EQ', '3045');

export const credentials = {
  API_KEY: 'testkey-0a1b',
  CLIENT_ID: 'ZT0001',
  PIN: 'testpin-2c3d',
  TOTP_SECRET: 'KRSXG5CTMVRXEZLU',
};

export function healthy(stub: StubServer): void {
  stub.on(LOGIN, answerOf(one('session')));
  stub.on(route.logout, { body: said('') });
  for (const name of ['profile', 'funds', 'holdings', 'positions', 'orders', 'details'] as const) stub.on(route[name], answerOf(one(name)));
  stub.on(route.tradebook, answerOf(one('trades')));
  for (const call of ['place', 'modify', 'cancel'] as const) stub.on(route[call], answerOf(placed));
}

export const sbin = { symbol: 'SBIN-EQ', token: '3045', exchange: 'NSE' };
export const nifty = { symbol: 'NIFTY24NOV26FUT', token: '47001', exchange: 'NFO' };
const empty = said(null);

export const suite: Suite = {
  definition: angelone,
  credentials,
  needed: ['ANGELONE_API_KEY', 'ANGELONE_CLIENT_ID', 'ANGELONE_PIN', 'ANGELONE_TOTP_SECRET'],
  account: 'ZT0001',
  healthy,
  reads: {
    profile: { route: route.profile, data: data('profile') },
    funds: { route: route.funds, data: data('funds') },
    holdings: {
      route: route.holdings,
      data: holdingRows,
      empty,
      normalized: [
        { ...sbin, isin: 'INE062A01020', quantity: 8, sellable_quantity: 8, average_price: 573.1, last_price: 579.05, pnl: 48 },
        {
          symbol: 'TATASTEEL-EQ',
          token: '3499',
          exchange: 'NSE',
          isin: 'INE081A01020',
          quantity: 5,
          sellable_quantity: 5,
          average_price: 111.87,
          last_price: 130.15,
          pnl: 37,
        },
      ],
    },
    positions: {
      route: route.positions,
      data: data('positions'),
      empty,
      normalized: [
        {
          symbol: 'RELIANCE-EQ',
          token: '2885',
          exchange: 'NSE',
          product_type: 'DELIVERY',
          net_quantity: 1,
          average_price: 2235.8,
          last_price: 2240.1,
          realized_pnl: 0,
          unrealized_pnl: 4.3,
          multiplier: 1,
        },
        {
          ...nifty,
          product_type: 'CARRYFORWARD',
          net_quantity: -65,
          average_price: 26050,
          last_price: 26010,
          realized_pnl: 3250,
          unrealized_pnl: 2600,
          multiplier: 1,
        },
        {
          ...sbin,
          product_type: 'INTRADAY',
          net_quantity: 0,
          average_price: null,
          last_price: 812,
          realized_pnl: 11.5,
          unrealized_pnl: 0,
          multiplier: 1,
        },
      ],
    },
    orders: { route: route.orders, data: orderRows.map((row) => ({ ...row, order_id: row.orderid })), empty },
    tradebook: { route: route.tradebook, data: data('trades'), empty },
  },
  patched,
  expired: error('expired'),
  order,
  booked: orderId,
  rules: {
    traded: {
      NSE: {},
      BSE: {},
      NFO: { symbol: nifty.symbol, tradingsymbol: nifty.symbol },
      BFO: { symbol: 'SENSEX26DECFUT', tradingsymbol: 'SENSEX26DECFUT' },
      MCX: {},
      CDS: {},
    },
    options: [{ exchange: 'NFO', tradingsymbol: 'NIFTY24NOV2626000CE' }],
    closed: ['MCX', 'CDS'],
    passesStopMarket: true,
    words: {
      exchange: member('exchange', { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: null, CDS: null }),
      ordertype: {
        MARKET: { ordertype: 'MARKET', variety: 'NORMAL' },
        LIMIT: { ordertype: 'LIMIT', variety: 'NORMAL' },
        SL: { ordertype: 'STOPLOSS_LIMIT', variety: 'STOPLOSS' },
        'SL-M': { ordertype: 'STOPLOSS_MARKET', variety: 'STOPLOSS' },
      },
      producttype: member('producttype', { INTRADAY: 'INTRADAY', DELIVERY: 'DELIVERY', CARRYFORWARD: 'CARRYFORWARD' }),
      transactiontype: member('transactiontype', { BUY: 'BUY', SELL: 'SELL' }),
      variety: { NORMAL: {}, STOPLOSS: {}, AMO: {} },
    },
    body: (seen) => JSON.parse(seen.body),
  },
  calls: {
    placeOrder: { route: route.place, run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: { route: route.modify, run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }) },
    cancelOrder: { route: route.cancel, run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'a success without an order id': { body: said({}) },
    'a success with an empty order id': { body: said({ orderid: '' }) },
    'a success with null': { body: said(null) },
    'a success with an error code beside it': { body: { ...placed.body, errorcode: 'AB1012' } },
    'a success with an error code and the text of a price protection': {
      body: { ...refused.priceProtection?.body, status: true },
    },
    'a success with an error code and no order id': { body: { ...said({}), errorcode: 'AB1012' } },
    'a success with an order id beyond exact numbers': {
      body: '{"status":true,"message":"SUCCESS","errorcode":"","data":{"orderid":20102000000008000001}}',
    },
    'an order id under HTTP 500': { status: 500, body: placed.body },
    'a refusal that names an order': { body: { ...refused.product?.body, data: { orderid: orderId } } },
    'the catch-all AB1007': error('catchAll'),
    'the catch-all with another text': error('catchAllOrder'),
    'the internal AB1004': error('internal'),
    'the internal AB2000': error('internal2'),
    'the internal AB2001': error('internal3'),
    'a code that is not listed': error('tooMany'),
    'a refusal without a code': { body: { status: false, message: 'no', errorcode: '', data: null } },
    'a text about a time-out beside a definite code': error('timeout'),
    'a definite code under HTTP 502': error('gateway'),
    'HTTP 400 with an empty body': { status: 400 },
    'HTTP 403 that is not JSON': { status: 403, body: '<html>forbidden</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
    'the rate text under HTTP 200': { status: 200, body: 'Access denied because of exceeding access rate' },
  },
  rejections: {
    product: { answer: error('product'), says: /Invalid Product Type, AB1012/ },
    'product, with the flag as a text': { answer: error('productText'), says: /Invalid Product Type/ },
    symbol: { answer: error('symbol'), says: /Symbol Not Found/ },
    'symbol details': { answer: error('symbolDetails'), says: /Symbol Details/ },
    variety: { answer: error('variety'), says: /Invalid Order Variety/ },
    'a blocked client': { answer: error('blocked'), says: /block for trading/ },
    'a user type': { answer: error('userType'), says: /User Type/ },
    'a ROBO order': { answer: error('robo'), says: /ROBO/ },
    'a long tag': { answer: error('tag'), says: /less than 20/ },
    'an unregistered address': { answer: error('address'), says: /Unregistered IP/ },
    'an unregistered address under HTTP 403': { answer: error('addressForbidden'), says: /Unregistered IP/ },
    'a scrip under surveillance': { answer: error('surveillance'), says: /consent of a person.*own app.*cautionary.*AB4036/ },
    'a limit beyond the price protection': { answer: error('priceProtection'), says: /Limit Price Protection range/ },
    'a stop with a limit too far off': { answer: error('stopBand'), says: /Difference between limit price and trigger price/ },
    rate: { answer: { status: 403, body: 'Access denied because of exceeding access rate' }, says: /exceeding access rate/ },
  },
  refusals: {
    'an NSE symbol without its series': { order: { symbol: 'SBIN', tradingsymbol: 'SBIN' }, field: 'SBIN-EQ' },
    'an NSE symbol with a dash of its own': { order: { tradingsymbol: 'BAJAJ-AUTO' }, field: 'BAJAJ-AUTO-EQ' },
    'no token': { order: { token: '' }, field: 'token' },
  },
  stateField: 'orderstatus',
  states: {
    complete: 'FILLED',
    rejected: 'REJECTED',
    cancelled: 'CANCELLED',
    'cancelled after market order': 'CANCELLED',
    'AMO CANCELLED': 'CANCELLED',
    open: 'OPEN',
    OPEN: 'OPEN',
    modified: 'OPEN',
    'not modified': 'OPEN',
    'not cancelled': 'OPEN',
    'modify pending': 'OPEN',
    'modify validation pending': 'OPEN',
    'cancel pending': 'OPEN',
    'trigger pending': 'TRIGGER_PENDING',
    'open pending': 'TRANSIT',
    'validation pending': 'TRANSIT',
    'put order req received': 'TRANSIT',
    'after market order req received': 'OPEN',
    'modify after market order req received': 'OPEN',
  },
  badRows: [
    { list: 'orders', patch: { orderstatus: '', status: '' }, names: 'orderstatus' },
    { list: 'orders', patch: { orderstatus: null, status: undefined }, names: 'orderstatus' },
    { list: 'orders', patch: { orderstatus: 5 }, names: 'orderstatus' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: '1.5' }, names: 'quantity' },
    { list: 'orders', patch: { filledshares: undefined }, names: 'filledshares' },
    { list: 'orders', patch: { filledshares: 'ten' }, names: 'filledshares' },
    { list: 'orders', patch: { filledshares: '-1' }, names: 'filledshares' },
    { list: 'orders', patch: { filledshares: true }, names: 'filledshares' },
    { list: 'orders', patch: { filledshares: '' }, names: 'filledshares' },
    { list: 'orders', patch: { averageprice: '1,000' }, names: 'averageprice' },
    { list: 'orders', patch: { orderid: 2.010200000000801e19 }, names: 'orderid' },
    { list: 'orders', patch: { orderid: '' }, names: 'orderid' },
    { list: 'orders', patch: { transactiontype: 'X' }, names: 'transactiontype' },
    { list: 'positions', patch: { netqty: null }, names: 'netqty' },
    { list: 'positions', patch: { netqty: '1e3' }, names: 'netqty' },
    { list: 'positions', patch: { netqty: '- 5' }, names: 'netqty' },
    { list: 'positions', patch: { multiplier: null }, names: 'multiplier' },
    { list: 'positions', patch: { totalbuyavgprice: 'n/a' }, names: 'totalbuyavgprice' },
    { list: 'holdings', patch: { quantity: undefined }, names: 'quantity' },
    { list: 'holdings', patch: { t1quantity: 'x' }, names: 't1quantity' },
    { list: 'holdings', patch: { averageprice: 'n/a' }, names: 'averageprice' },
    { list: 'tradebook', patch: { fillsize: null }, names: 'fillsize' },
    { list: 'tradebook', patch: { fillprice: null }, names: 'fillprice' },
    { list: 'tradebook', patch: { fillid: '' }, names: 'fillid' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: 10, filledshares: 4, averageprice: 811.2 },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2 },
    },
    {
      list: 'orders',
      patch: { averageprice: '', updatetime: '', exchtime: '', exchorderupdatetime: '' },
      row: { average_price: null, placed_at: null },
    },
    { list: 'orders', patch: { averageprice: undefined }, row: { average_price: null } },
    { list: 'orders', patch: { filledshares: '4', averageprice: '0.00' }, row: { filled_quantity: 4, average_price: null } },
    { list: 'orders', patch: { averageprice: null, updatetime: 'yesterday' }, row: { average_price: null } },
    { list: 'orders', patch: { orderid: 201020000000080 }, row: { order_id: '201020000000080' } },
    {
      list: 'orders',
      patch: { orderstatus: 'open', filledshares: '3' },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 },
    },
    {
      list: 'orders',
      patch: { orderstatus: 'cancelled', filledshares: '3', cancelsize: '7' },
      row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3 },
    },
    { list: 'orders', patch: { orderstatus: '', status: 'rejected' }, row: { state: 'REJECTED', status: 'REJECTED' } },
    { list: 'orders', patch: { orderstatus: null, status: 'complete' }, row: { state: 'FILLED' } },
    { list: 'orders', patch: { orderstatus: 'open', status: 'complete' }, row: { state: 'OPEN' } },
    { list: 'orders', patch: { ordertype: 'STOPLOSS_MARKET', producttype: 'BO' }, row: { order_type: 'SL-M', product_type: 'BO' } },
    { list: 'orders', patch: { exchange: 'BFO', symboltoken: null }, row: { exchange: 'BFO', token: null } },
    {
      list: 'orders',
      patch: { updatetime: '20-Nov-2026 10:00:00', exchtime: '20-Nov-2026 09:15:01', exchorderupdatetime: '' },
      row: { placed_at: '2026-11-20T03:45:01.000Z' },
    },
    { list: 'positions', patch: { netqty: -20, totalsellavgprice: undefined }, row: { net_quantity: -20, average_price: null } },
    {
      list: 'positions',
      patch: { ltp: undefined, pnl: undefined },
      row: { last_price: null, realized_pnl: 0, unrealized_pnl: 4.3 },
    },
    {
      list: 'positions',
      patch: { pnl: '9', realised: '- 13.75', unrealised: '' },
      row: { realized_pnl: -13.75, unrealized_pnl: null },
    },
    {
      list: 'positions',
      patch: { pnl: '9', realised: undefined, unrealised: undefined },
      row: { realized_pnl: null, unrealized_pnl: null },
    },
    { list: 'positions', patch: { buyqty: undefined, sellqty: undefined }, row: { net_quantity: 1, average_price: 2235.8 } },
    { list: 'positions', patch: { totalbuyavgprice: '0', buyavgprice: '2235.80' }, row: { average_price: 2235.8 } },
    { list: 'positions', patch: { totalbuyavgprice: '0', buyavgprice: '2235.80', cfbuyqty: '1' }, row: { average_price: null } },
    {
      list: 'positions',
      patch: { netqty: '-1', totalsellavgprice: undefined, sellavgprice: '2240', buyavgprice: '9' },
      row: { average_price: 2240 },
    },
    { list: 'positions', patch: { totalbuyavgprice: '0', buyavgprice: '0.00' }, row: { average_price: null } },
    { list: 'holdings', patch: { averageprice: 0 }, row: { average_price: null } },
    { list: 'holdings', patch: { averageprice: undefined }, row: { average_price: null } },
    { list: 'positions', patch: { multiplier: '100' }, row: { multiplier: 100 } },
    { list: 'holdings', patch: { symboltoken: '', isin: '', t1quantity: null }, row: { token: null, isin: null, quantity: 8 } },
    { list: 'tradebook', patch: { filltime: '' }, row: { traded_at: null } },
    { list: 'tradebook', patch: { symboltoken: '3045', fillsize: 10 }, row: { token: '3045', quantity: 10 } },
  ],
  tags: [
    { patch: { ordertag: TAG }, tag: TAG },
    { patch: { ordertag: '' }, tag: null },
    { patch: { ordertag: null }, tag: null },
    { patch: { ordertag: undefined }, tag: null },
    { patch: { ordertag: 'handmade' }, tag: 'handmade' },
    { patch: { ordertag: TAG.toUpperCase() }, tag: TAG.toUpperCase() },
  ],
};
