import { z } from 'zod';
import { fyers } from '../../server/brokers/fyers/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, answerOf, type Fixture, fixtures, type StubServer } from './stub-server.ts';

const { one, errors } = fixtures('fyers');
const refused = errors();
const placed = one('placed');
export const orderId = '26112000000101';

function found(name: string): Fixture {
  const fixture = refused[name];
  if (!fixture) throw new Error(`no fixture ${name}`);
  return fixture;
}

export const error = (name: string): Answer => answerOf(found(name));
export const body = (name: string) => one(name).body;

const rowList = z.array(z.record(z.string(), z.unknown()));
const lists = {
  holdings: { file: 'holdings', key: 'holdings' },
  positions: { file: 'positions', key: 'netPositions' },
  orders: { file: 'orders', key: 'orderBook' },
  tradebook: { file: 'trades', key: 'tradeBook' },
} as const satisfies Record<ListName, { file: string; key: string }>;

export const listOf = (list: ListName) => rowList.parse(body(lists[list].file)[lists[list].key]);

export function patched(list: ListName, patch: Record<string, unknown>): Record<string, unknown> {
  const changed = listOf(list).map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return { ...body(lists[list].file), [lists[list].key]: changed };
}

export const order = shareOrder('NSE:SBIN-EQ', '10100000003045');

const named = (exchange: string, symbol: string, token: string) => ({ exchange, symbol, tradingsymbol: symbol, token });
/** A symbol of each exchange, as an order names it. */
export const traded = {
  NSE: named('NSE', 'NSE:SBIN-EQ', '10100000003045'),
  BSE: named('BSE', 'BSE:SBIN-A', '12100000500112'),
  NFO: named('NFO', 'NSE:NIFTY26NOVFUT', '101126112447001'),
  BFO: named('BFO', 'BSE:SENSEX26DECFUT', '1211261231861201'),
  MCX: named('MCX', 'MCX:SILVERMIC26NOVFUT', '1120261130457533'),
  CDS: named('CDS', 'NSE:USDINR26NOVFUT', '10122611261091'),
};

export const credentials = { APP_ID: 'TESTAPP01-100', SECRET_KEY: 'testsecret-2c3d', ACCESS_TOKEN: 'todays-token-4e5f' };

export function healthy(stub: StubServer): void {
  stub.on('GET /api/v3/profile', answerOf(one('profile')));
  stub.on('GET /api/v3/funds', answerOf(one('funds')));
  stub.on('GET /api/v3/holdings', answerOf(one('holdings')));
  stub.on('GET /api/v3/positions', answerOf(one('positions')));
  stub.on('GET /api/v3/orders', answerOf(one('orders')));
  stub.on('GET /api/v3/tradebook', answerOf(one('trades')));
  stub.on('GET /data/depth', answerOf(one('depth')));
  stub.on('POST /api/v3/validate-authcode', answerOf(one('session')));
  for (const method of ['POST', 'PATCH', 'DELETE']) stub.on(`${method} /api/v3/orders/sync`, answerOf(placed));
}

export const sbin = { symbol: 'NSE:SBIN-EQ', token: '10100000003045', exchange: 'NSE' };
export const nifty = { symbol: 'NSE:NIFTY26NOVFUT', token: '101126112447001', exchange: 'NFO' };
const silver = { symbol: 'MCX:SILVERMIC26NOVFUT', token: '1120261130457533', exchange: 'MCX' };
const empty = (list: ListName) => ({ s: 'ok', code: 200, message: '', [lists[list].key]: [], overall: {} });
const ok = (more: object): Answer => ({ body: { s: 'ok', code: 1101, message: 'Order submitted successfully.', ...more } });

export const suite: Suite = {
  definition: fyers,
  credentials,
  needed: ['FYERS_APP_ID'],
  account: 'FX0011',
  healthy,
  reads: {
    profile: { route: 'GET /api/v3/profile', data: body('profile').data },
    funds: { route: 'GET /api/v3/funds', data: body('funds').fund_limit },
    holdings: {
      route: 'GET /api/v3/holdings',
      data: listOf('holdings'),
      empty: empty('holdings'),
      normalized: [
        { ...sbin, isin: 'INE062A01020', quantity: 20, sellable_quantity: 20, average_price: 790.4, last_price: 812.35, pnl: 548.75 },
        {
          symbol: 'NSE:INFY-EQ',
          token: '10100000001594',
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
      route: 'GET /api/v3/positions',
      data: listOf('positions'),
      empty: empty('positions'),
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
          realized_pnl: 1500,
          unrealized_pnl: 753.75,
          multiplier: 1,
        },
        {
          ...silver,
          product_type: 'CARRYFORWARD',
          net_quantity: 0,
          average_price: 0,
          last_price: 156161,
          realized_pnl: 400,
          unrealized_pnl: 0,
          multiplier: 1,
        },
      ],
    },
    orders: {
      route: 'GET /api/v3/orders',
      data: listOf('orders').map((row) => ({ ...row, order_id: row.id })),
      empty: empty('orders'),
    },
    tradebook: {
      route: 'GET /api/v3/tradebook',
      data: listOf('tradebook'),
      empty: empty('tradebook'),
      normalized: [
        {
          trade_id: '52605023',
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
    traded,
    options: [],
    closed: [],
    words: {
      exchange: member('symbol', {
        NSE: traded.NSE.symbol,
        BSE: traded.BSE.symbol,
        NFO: traded.NFO.symbol,
        BFO: traded.BFO.symbol,
        MCX: traded.MCX.symbol,
        CDS: traded.CDS.symbol,
      }),
      ordertype: member('type', { MARKET: 2, LIMIT: 1, SL: 4, 'SL-M': 4 }),
      producttype: member('productType', { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' }),
      transactiontype: member('side', { BUY: 1, SELL: -1 }),
      variety: member('offlineOrder', { NORMAL: false, STOPLOSS: false, AMO: true }),
    },
    body: (seen) => JSON.parse(seen.body),
    market: (stub) =>
      stub.on('GET /data/depth', ({ query }) => ({
        body: { s: 'ok', d: { [query.symbol ?? '']: { tick_Size: 0.05, lower_ckt: 730, upper_ckt: 890 } } },
      })),
  },
  calls: {
    placeOrder: { route: 'POST /api/v3/orders/sync', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: 'PATCH /api/v3/orders/sync',
      run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }),
    },
    cancelOrder: { route: 'DELETE /api/v3/orders/sync', run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'code 201, an order without acknowledgement': ok({ code: 201, id: orderId }),
    'code 201 as text': ok({ code: '201', id: orderId }),
    'code 201 as an error': { status: 400, body: { s: 'error', code: 201, message: 'Order is in transit' } },
    'a success without an order id': ok({}),
    'a success with an empty order id': ok({ id: '' }),
    'a success with a null order id': ok({ id: null }),
    'an order id no number can hold': ok({ id: 1953341975595868200 }),
    'an asynchronous success': ok({ id_fyers: 'c6697c04-0000-4000-8000-000000000101' }),
    'a sliced success without a state': { body: { code: 1101, message: '', data: [{ statusCode: 200, body: { s: 'ok', id: orderId } }] } },
    'an order id under HTTP 500': { status: 500, body: placed.body },
    'a refusal that names an order': { body: { ...found('margin').body, id: orderId } },
    'code -99 without a reason': { body: { s: 'error', code: -99, message: '' } },
    'code -99 with blanks for a reason': { body: { s: 'error', code: -99, message: '  ' } },
    'code -99 that something went wrong': { body: found('general').body },
    'HTTP 500': error('general'),
    'a margin text under HTTP 500': { status: 500, body: found('margin').body },
    'a bad parameter under HTTP 502': { status: 502, body: found('tick').body },
    'a bad parameter under HTTP 404': { status: 404, body: found('tick').body },
    'a rate refusal under HTTP 503': { status: 503, body: found('rate').body },
    'a dead login under HTTP 500': { status: 500, body: found('expired').body },
    'an address refusal under HTTP 500': { status: 500, body: found('address').body },
    'a code nobody lists': { body: { s: 'error', code: -209, message: 'Not allowed' } },
    'an error without a code': { body: { s: 'error', message: 'Not allowed' } },
    'a text about a time-out': { body: { s: 'error', code: -99, message: 'Request timed out, check the orderbook before placing again' } },
    'another state': { body: { ...placed.body, s: 'no_data' } },
    'HTTP 403 that is not JSON': { status: 403, body: '<html>forbidden</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Margin Shortfall/ },
    'margin under HTTP 400': { answer: { status: 400, body: found('margin').body }, says: /Margin Shortfall/ },
    price: { answer: error('circuit'), says: /circuit limit/ },
    'a price off the tick': { answer: error('tick'), says: /tick size/ },
    'a bad parameter under HTTP 200': { answer: { body: found('tick').body }, says: /tick size/ },
    product: { answer: error('product'), says: /MARGIN/ },
    'an unknown order': { answer: error('order'), says: /order id/ },
    'an unknown symbol': { answer: error('symbol'), says: /symbol/ },
    'an unknown app': { answer: error('app'), says: /app id/ },
    permission: { answer: error('permission'), says: /permission/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'an unregistered address under another code': { answer: error('addressOtherCode'), says: /unregistered IP/ },
    rate: { answer: error('rate'), says: /limit reached/ },
    'rate under HTTP 200': { answer: { body: found('rate').body }, says: /limit reached/ },
  },
  refusals: {
    'BCD, which the contract does not name': { order: { ...traded.BSE, exchange: 'BCD' }, field: 'exchange' },
    'a symbol without its exchange': { order: { tradingsymbol: 'SBIN-EQ' }, field: 'symbol' },
    'a symbol of another exchange': { order: { tradingsymbol: 'BSE:SBIN-A' }, field: 'symbol' },
    'a share on NFO': { order: { ...traded.NFO, tradingsymbol: 'NSE:SBIN-EQ' }, field: 'symbol' },
    'a future on NSE': { order: { tradingsymbol: 'NSE:BAJAJ-AUTO26NOVFUT' }, field: 'symbol' },
    'a weekly option on NSE': { order: { tradingsymbol: 'NSE:NIFTY26N2426000CE' }, field: 'symbol' },
    'a currency pair on NFO': { order: { ...traded.NFO, tradingsymbol: 'NSE:USDINR26NOVFUT' }, field: 'symbol' },
    'a share on BFO': { order: { ...traded.BFO, tradingsymbol: 'BSE:SBIN-A' }, field: 'symbol' },
    'a currency of BSE on BFO': { order: { ...traded.BFO, tradingsymbol: 'BSE:USDINR26NOVFUT' }, field: 'symbol' },
    'an index future on CDS': { order: { ...traded.CDS, tradingsymbol: 'NSE:NIFTY26NOVFUT' }, field: 'symbol' },
    'a token of another segment': { order: { ...traded.NFO, token: '102026112447001' }, field: 'token' },
    'SL-M with a trigger outside the circuit limits': { order: { ordertype: 'SL-M', triggerprice: '900' }, field: 'trigger_price' },
    'SL-M of a symbol whose market is not shown': {
      order: { ordertype: 'SL-M', triggerprice: '800', tradingsymbol: 'NSE:INFY-EQ' },
      field: 'order_type',
    },
  },
  stateField: 'status',
  states: { 1: 'CANCELLED', 2: 'FILLED', 3: 'UNKNOWN', 4: 'TRANSIT', 5: 'REJECTED', 6: 'OPEN', 7: 'EXPIRED', 8: 'UNKNOWN' },
  badRows: [
    { list: 'orders', patch: { status: null }, names: 'status' },
    { list: 'orders', patch: { status: '' }, names: 'status' },
    { list: 'orders', patch: { status: 2.5 }, names: 'status' },
    { list: 'orders', patch: { status: true }, names: 'status' },
    { list: 'orders', patch: { qty: null }, names: 'qty' },
    { list: 'orders', patch: { qty: 1.5 }, names: 'qty' },
    { list: 'orders', patch: { filledQty: undefined }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: 'ten' }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: -1 }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: true }, names: 'filledQty' },
    { list: 'orders', patch: { filledQty: '' }, names: 'filledQty' },
    { list: 'orders', patch: { tradedPrice: '1,000' }, names: 'tradedPrice' },
    { list: 'orders', patch: { tradedPrice: undefined }, names: 'tradedPrice' },
    { list: 'orders', patch: { id: 1953341975595868200 }, names: 'id' },
    { list: 'orders', patch: { id: '' }, names: 'id' },
    { list: 'orders', patch: { side: 0 }, names: 'side' },
    { list: 'orders', patch: { side: 'BUY' }, names: 'side' },
    { list: 'orders', patch: { segment: null }, names: 'segment', name: { exchange: null } },
    { list: 'orders', patch: { symbol: 'SBIN-EQ' }, names: 'symbol', name: { symbol: 'SBIN-EQ', exchange: null } },
    { list: 'orders', patch: { type: null }, names: 'type' },
    { list: 'positions', patch: { qty: null }, names: 'qty' },
    { list: 'positions', patch: { netQty: '1e3' }, names: 'netQty' },
    { list: 'positions', patch: { netQty: -10 }, names: 'netQty' },
    { list: 'positions', patch: { side: -1 }, names: 'netQty' },
    { list: 'positions', patch: { side: 0, netQty: 0 }, names: 'netQty' },
    { list: 'positions', patch: { side: 2, netQty: 20 }, names: 'side' },
    { list: 'positions', patch: { qtyMulti_com: 'n/a' }, names: 'qtyMulti_com' },
    { list: 'positions', patch: { buyAvg: 'n/a' }, names: 'buyAvg' },
    {
      list: 'positions',
      patch: { symbol: 'MCX:SILVERM26NOVFUT', segment: 20, qtyMulti_com: undefined },
      names: 'qtyMulti_com',
      name: { symbol: 'MCX:SILVERM26NOVFUT', exchange: 'MCX' },
    },
    { list: 'holdings', patch: { remainingQuantity: undefined }, names: 'remainingQuantity' },
    { list: 'holdings', patch: { costPrice: 'n/a' }, names: 'costPrice' },
    { list: 'tradebook', patch: { tradedQty: null }, names: 'tradedQty' },
    { list: 'tradebook', patch: { tradePrice: null }, names: 'tradePrice' },
    { list: 'tradebook', patch: { tradeNumber: '' }, names: 'tradeNumber' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { qty: '10', filledQty: '4', tradedPrice: '811.20', side: '-1', type: '2', segment: '10' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2, transaction_type: 'SELL', order_type: 'MARKET', exchange: 'NSE' },
    },
    { list: 'orders', patch: { id: 26112000000101 }, row: { order_id: orderId } },
    { list: 'orders', patch: { status: 4 }, row: { state: 'TRANSIT', status: 'PARTIALLY_FILLED' } },
    { list: 'orders', patch: { tradedPrice: null, orderDateTime: null }, row: { average_price: null, placed_at: null } },
    { list: 'orders', patch: { orderDateTime: '09-Mar-2023 09:34:38' }, row: { placed_at: '2023-03-09T04:04:38.000Z' } },
    { list: 'orders', patch: { orderDateTime: '09-Mrz-2023 09:34:38' }, row: { placed_at: null } },
    { list: 'orders', patch: { status: 6, filledQty: 3 }, row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 } },
    {
      list: 'orders',
      patch: { status: 6, type: 3, filledQty: 0 },
      row: { state: 'TRIGGER_PENDING', order_type: 'SL-M', status: 'PLACED' },
    },
    { list: 'orders', patch: { status: 6, type: 4, filledQty: 3 }, row: { state: 'OPEN', order_type: 'SL' } },
    { list: 'orders', patch: { status: 1, filledQty: 3 }, row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3 } },
    { list: 'orders', patch: { status: 7, filledQty: 0, message: 'Expired' }, row: { status: 'CANCELLED', status_message: 'Expired' } },
    { list: 'orders', patch: { type: 9, productType: 'MTF' }, row: { order_type: '9', product_type: 'MTF' } },
    { list: 'orders', patch: { symbol: 'BSE:SENSEX26NOVFUT', segment: 11, exchange: 12 }, row: { exchange: 'BFO' } },
    { list: 'orders', patch: { symbol: 'NSE:USDINR26NOVFUT', segment: 12 }, row: { exchange: 'CDS' } },
    { list: 'orders', patch: { symbol: 'MCX:GOLDM26NOVFUT', segment: 20, exchange: 10 }, row: { exchange: 'MCX' } },
    { list: 'orders', patch: { symbol: 'NSE:GOLDM26NOVFUT', segment: 20 }, row: { exchange: 'NCO' } },
    { list: 'orders', patch: { segment: 31 }, row: { exchange: 'NSE 31' } },
    { list: 'positions', patch: { side: '-1', qty: '20', netQty: '-20' }, row: { net_quantity: -20 } },
    { list: 'positions', patch: { side: -1, netQty: -10, buyAvg: 805, sellAvg: 812.5, netAvg: 820 }, row: { average_price: 812.5 } },
    { list: 'positions', patch: { buyAvg: '805.25', sellAvg: 812.5, netAvg: 797.75, avgPrice: 799 }, row: { average_price: 805.25 } },
    { list: 'positions', patch: { buyAvg: undefined, sellAvg: undefined, avgPrice: 811.2 }, row: { average_price: 811.2 } },
    { list: 'positions', patch: { buyAvg: 0, avgPrice: 811.2 }, row: { average_price: 811.2 } },
    { list: 'positions', patch: { buyAvg: 0, sellAvg: 812.5, netAvg: 811.2, avgPrice: 0 }, row: { average_price: null } },
    { list: 'positions', patch: { buyAvg: null, qtyMulti_com: null }, row: { average_price: null, multiplier: 1 } },
    {
      list: 'positions',
      patch: { symbol: 'MCX:NATURALGAS26NOVFUT', segment: 20, qtyMulti_com: '1250' },
      row: { exchange: 'MCX', net_quantity: 10, multiplier: 1250 },
    },
    { list: 'positions', patch: { qtyMulti_com: 0 }, row: { multiplier: 1 } },
    { list: 'positions', patch: { ltp: undefined, realized_profit: undefined }, row: { last_price: null, realized_pnl: null } },
    { list: 'holdings', patch: { ltp: undefined, pl: undefined }, row: { quantity: 20, last_price: null, pnl: null } },
    { list: 'holdings', patch: { costPrice: undefined }, row: { sellable_quantity: 20, average_price: null } },
    { list: 'holdings', patch: { fyToken: null, isin: '' }, row: { token: null, isin: null } },
    { list: 'holdings', patch: { fyToken: 10100000003045 }, row: { token: '10100000003045' } },
    { list: 'tradebook', patch: { tradeNumber: 52605023, orderDateTime: '09:15' }, row: { trade_id: '52605023', traded_at: null } },
  ],
  tags: [
    { patch: { orderTag: `1:${TAG}` }, tag: TAG },
    { patch: { orderTag: TAG }, tag: TAG },
    { patch: { orderTag: '1:handmade' }, tag: 'handmade' },
    { patch: { orderTag: '1:K3V9C0M2P7Q1X8ZA' }, tag: 'K3V9C0M2P7Q1X8ZA' },
    { patch: { orderTag: '1:Untagged' }, tag: null },
    { patch: { orderTag: '2:Untagged' }, tag: null },
    { patch: { orderTag: 'Untagged' }, tag: null },
    { patch: { orderTag: '2:squareoff' }, tag: null },
    { patch: { orderTag: '' }, tag: null },
    { patch: { orderTag: null }, tag: null },
    { patch: { orderTag: undefined }, tag: null },
  ],
};
