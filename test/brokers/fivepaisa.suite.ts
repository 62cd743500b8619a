import { expect } from 'vitest';
import { z } from 'zod';
import { fivepaisa } from '../../server/brokers/fivepaisa/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, answerOf, type Fixture, fixtures, type StubServer } from './stub-server.ts';

const { one, errors } = fixtures('fivepaisa');
const refused = errors();
const placed = one('placed');

function found(name: string): Fixture {
  const fixture = refused[name];
  if (!fixture) throw new Error(`no fixture ${name}`);
  return fixture;
}

export const error = (name: string): Answer => answerOf(found(name));
export const good = (name: string): Answer => answerOf(one(name));

const members = z.record(z.string(), z.unknown());
const rowList = z.array(members);
/** The inner body of a recorded envelope, and the envelope with another one. */
export const bodyOf = (name: string) => members.parse(one(name).body.body);
const inner = (fixture: Fixture) => members.parse(fixture.body.body);
export const withBody = (fixture: Fixture, patch: Record<string, unknown>) => ({
  ...fixture.body,
  body: Object.fromEntries(Object.entries({ ...inner(fixture), ...patch }).filter(([, value]) => value !== undefined)),
});
export const receipt = (patch: Record<string, unknown>): Answer => ({ body: withBody(placed, patch) });
export const refusal = (name: string, patch: Record<string, unknown> = {}, status = 200): Answer => ({
  status,
  body: withBody(found(name), patch),
});

const lists = {
  holdings: { file: 'holdings', key: 'Data' },
  positions: { file: 'positions', key: 'NetPositionDetail' },
  orders: { file: 'orders', key: 'OrderBookDetail' },
  tradebook: { file: 'trades', key: 'TradeBookDetail' },
} as const satisfies Record<ListName, { file: string; key: string }>;

export const listOf = (list: ListName) => rowList.parse(bodyOf(lists[list].file)[lists[list].key]);

export function patched(list: ListName, patch: Record<string, unknown>): Record<string, unknown> {
  const changed = listOf(list).map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return withBody(one(lists[list].file), { [lists[list].key]: changed });
}

export const order = shareOrder('SBIN', '3045', { ordertype: 'LIMIT', price: '812.35' });

/** 5paisa takes 0 for an order at market. */
const aPrice = expect.toSatisfy((price) => Number(price) > 0);
/** The market of a scrip in the fuller shape, with other members. */
export const market = (patch: Record<string, unknown>): Answer => {
  const [row = {}] = bodyOf('fullSnapshot').Data as Record<string, unknown>[];
  return { body: { head: { status: '0' }, body: { Status: 0, Message: 'Success', Data: [{ ...row, ...patch }] } } };
};

const named = (exchange: string, symbol: string, token: string) => ({ exchange, symbol, tradingsymbol: symbol, token });
/** A scrip of each exchange, as an order names it. */
export const traded = {
  NSE: named('NSE', 'SBIN', '3045'),
  BSE: named('BSE', 'SBIN', '500112'),
  NFO: named('NFO', 'NIFTY 24 Nov 2026 CE 26000.00', '48001'),
  BFO: named('BFO', 'SENSEX 31 Dec 2026', '861201'),
  MCX: named('MCX', 'GOLDM 05 Dec 2026', '464111'),
  CDS: named('CDS', 'USDINR 27 Nov 2026', '10901'),
};

export const credentials = {
  USER_KEY: 'test-app-key-0a1b',
  ENCRYPTION_KEY: 'test-encryption-key-2c3d',
  USER_ID: 'test-user-id-4e5f',
  CLIENT_CODE: '50000011',
  PIN: '739164',
  TOTP_SECRET: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
};

export const PLACE = 'POST /V1/PlaceOrderRequest';
export const MODIFY = 'POST /V1/ModifyOrderRequest';
export const CANCEL = 'POST /V1/CancelOrderRequest';
export const BOOK = 'POST /V3/OrderBook';
const reads = {
  margin: 'POST /V4/Margin',
  holdings: 'POST /V3/Holding',
  positions: 'POST /V2/NetPositionNetWise',
  tradebook: 'POST /V1/TradeBook',
};

export function healthy(stub: StubServer): void {
  stub.on('POST /TOTPLogin', good('totp'));
  stub.on('POST /GetAccessToken', good('session'));
  stub.on(reads.margin, good('funds'));
  stub.on(reads.holdings, good('holdings'));
  stub.on(reads.positions, good('positions'));
  stub.on(BOOK, good('orders'));
  stub.on(reads.tradebook, good('trades'));
  stub.on('POST /MarketSnapshot', good('snapshot'));
  for (const route of [PLACE, MODIFY, CANCEL]) stub.on(route, answerOf(placed));
}

export const sbin = { symbol: 'SBIN', token: '3045', exchange: 'NSE' };
export const nifty = { symbol: 'NIFTY 24 Nov 2026', token: '47001', exchange: 'NFO' };
const { AccessToken: _token, RefreshToken: _refresh, ...profile } = bodyOf('session');
const orderIds = [TAG, '1500000035029170', '1500000035029171', '182747607', '182747608', '1500000035029174'];
const money = { average_price: 0, last_price: 812.35, realized_pnl: 10, unrealized_pnl: 0, multiplier: 1 };

export const suite: Suite = {
  definition: fivepaisa,
  credentials,
  needed: Object.keys(credentials).map((name) => `FIVEPAISA_${name}`),
  account: '50000011',
  healthy,
  reads: {
    profile: { route: reads.margin, data: profile },
    funds: { route: reads.margin, data: bodyOf('funds') },
    holdings: {
      route: reads.holdings,
      data: listOf('holdings'),
      empty: found('noHoldings').body,
      normalized: [
        {
          symbol: 'ITC',
          token: '1660',
          exchange: 'NSE',
          isin: null,
          quantity: 7,
          sellable_quantity: 7,
          average_price: 455.7229,
          last_price: 440.1,
          pnl: -109.3603,
        },
        {
          ...sbin,
          token: '500112',
          exchange: 'BSE',
          isin: null,
          quantity: 20,
          sellable_quantity: 20,
          average_price: 790.4,
          last_price: 812.35,
          pnl: 439,
        },
      ],
    },
    positions: {
      route: reads.positions,
      data: listOf('positions'),
      empty: found('noPositions').body,
      normalized: [
        {
          ...{ symbol: 'ICICIBANK', token: '4963', exchange: 'NSE', product_type: 'DELIVERY', net_quantity: 5, multiplier: 1 },
          ...{ average_price: 809.2514, last_price: 818.6, realized_pnl: 0, unrealized_pnl: 46.743 },
        },
        {
          ...{ ...nifty, product_type: 'CARRYFORWARD', net_quantity: -75, multiplier: 1 },
          ...{ average_price: 26010.05, last_price: 26000, realized_pnl: 0, unrealized_pnl: 753.75 },
        },
        { ...sbin, product_type: 'INTRADAY', net_quantity: 0, ...money },
      ],
    },
    orders: {
      route: BOOK,
      data: listOf('orders').map((row, index) => ({ ...row, order_id: orderIds[index] })),
      empty: found('noOrders').body,
    },
    tradebook: {
      route: reads.tradebook,
      data: listOf('tradebook'),
      empty: found('noTrades').body,
      normalized: [
        {
          ...{ trade_id: '2114466', order_id: TAG, ...sbin, transaction_type: 'BUY', product_type: 'INTRADAY' },
          ...{ quantity: 10, price: 811.2, traded_at: '2026-11-20T04:42:34.000Z' },
        },
      ],
    },
  },
  patched,
  expired: error('expired'),
  order,
  booked: TAG,
  rules: {
    traded: { ...traded, NFO: { ...traded.NFO, ...named('NFO', 'NIFTY 24 Nov 2026', '47001') } },
    options: [traded.NFO],
    closed: ['MCX', 'CDS'],
    afterMarket: 'limited',
    words: {
      exchange: {
        NSE: { Exchange: 'N', ExchangeType: 'C' },
        BSE: { Exchange: 'B', ExchangeType: 'C' },
        NFO: { Exchange: 'N', ExchangeType: 'D' },
        BFO: { Exchange: 'B', ExchangeType: 'D' },
        MCX: { Exchange: 'M' },
        CDS: { ExchangeType: 'U' },
      },
      ordertype: {
        MARKET: { Price: aPrice, StopLossPrice: 0 },
        LIMIT: { Price: 810, StopLossPrice: 0 },
        SL: { Price: 810, StopLossPrice: 800 },
        'SL-M': { Price: aPrice, StopLossPrice: 800 },
      },
      producttype: member('IsIntraday', { INTRADAY: true, DELIVERY: false, CARRYFORWARD: false }),
      transactiontype: member('OrderType', { BUY: 'B', SELL: 'S' }),
      variety: member('AHPlaced', { NORMAL: 'N', STOPLOSS: 'N', AMO: 'Y' }),
    },
    body: (seen) => JSON.parse(seen.body).body,
    market: (stub) => stub.on('POST /MarketSnapshot', market({ ScripCode: undefined })),
  },
  calls: {
    placeOrder: { route: PLACE, run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: { route: MODIFY, run: (broker) => broker.modifyOrder({ orderid: TAG, variety: 'NORMAL', price: '813.5' }) },
    cancelOrder: { route: CANCEL, run: (broker) => broker.cancelOrder(TAG) },
  },
  accepted: answerOf(placed),
  orderId: TAG,
  ambiguous: {
    'head -1, the broker does not know': error('server'),
    'head -1 beside a refusal': { body: { ...found('margin').body, head: found('server').body.head } },
    'a success without an order number': receipt({ BrokerOrderID: undefined }),
    'a success with order number 0': receipt({ BrokerOrderID: 0 }),
    'a success with order number 0 as text': receipt({ BrokerOrderID: '0' }),
    'a success with a null order number': receipt({ BrokerOrderID: null }),
    'an order number no number can hold': receipt({ BrokerOrderID: 1953341975595868200 }),
    'a success without a body': { body: { ...placed.body, body: null } },
    'a success without its inner status': receipt({ Status: undefined }),
    'a success in the body alone': { body: { ...placed.body, head: found('headInput').body.head } },
    'a success without a head': { body: { body: placed.body.body } },
    'an inner status nobody lists': refusal('margin', { Status: 3 }),
    'a negative inner status': refusal('margin', { Status: -1 }),
    'a head status nobody lists': { body: { ...found('head').body, head: { status: '7', statusDescription: 'Failed' } } },
    'a refusal that the server could not process it': refusal('margin', { Message: 'Server unable to process your request' }),
    'a refusal that something went wrong': refusal('margin', { Message: 'Something went wrong, please try again' }),
    'a refusal that speaks of a time-out': refusal('margin', { Message: 'Request timed out. Check the order book.' }),
    'a success under HTTP 500': { status: 500, body: placed.body },
    'a refusal under HTTP 500': refusal('margin', {}, 500),
    'a refusal under HTTP 400': refusal('margin', {}, 400),
    'a dead login under HTTP 503': refusal('expired', {}, 503),
    'HTTP 403 that is not JSON': { status: 403, body: '<html>forbidden</html>' },
    'HTTP 401 without words': { status: 401 },
    'another plain text': { body: 'Invalid' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Margin Shortfall/ },
    price: { answer: error('price'), says: /circuit limits/ },
    product: { answer: error('product'), says: /product/ },
    'a closed exchange': { answer: error('closed'), says: /closed/ },
    'an unknown order': { answer: error('missing'), says: /does not exist/ },
    'a bad parameter': { answer: error('input'), says: /Invalid Input/ },
    'an inner status as text': { answer: refusal('input', { Status: '2' }), says: /Invalid Input/ },
    'a wrong client': { answer: error('client'), says: /ClientCode/ },
    'a wrong app key': { answer: error('head'), says: /Invalid Head Parameters/ },
    'an invalid input of the head': { answer: error('headInput'), says: /Invalid input/ },
    'a failed authentication': { answer: error('auth'), says: /Authentication Fails/ },
    'a token that is none': { answer: { body: 'Invalid Token' }, says: /Invalid Token/ },
    'a token that is none, under HTTP 401': { answer: { status: 401, body: '"Invalid Token"' }, says: /Invalid Token/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    rate: { answer: { status: 429, body: 'Too Many Requests' }, says: /Too Many Requests/ },
  },
  refusals: {
    'BCD, which the contract does not name': { order: { ...traded.NFO, exchange: 'BCD' }, field: 'exchange' },
    'a symbol in the ScripData form': { order: { tradingsymbol: 'SBIN_EQ' }, field: 'symbol' },
    'a contract on NSE': { order: { tradingsymbol: 'NIFTY 24 Nov 2026' }, field: 'symbol' },
    'a share on NFO': { order: { ...traded.NFO, tradingsymbol: 'SBIN' }, field: 'symbol' },
    'no token': { order: { token: '' }, field: 'token' },
    'a token that is no number': { order: { token: 'SBIN' }, field: 'token' },
  },
  stateField: 'OrderStatus',
  states: {
    'Fully Executed': 'FILLED',
    'Rejected By 5P': 'REJECTED',
    'Rejected by Exch': 'REJECTED',
    Cancelled: 'CANCELLED',
    'AH Cancelled': 'CANCELLED',
    Pending: 'OPEN',
    Modified: 'OPEN',
    Placed: 'OPEN',
    'SL Triggered': 'OPEN',
    'AH Placed': 'OPEN',
    'AH Modified': 'OPEN',
    Xmitted: 'TRANSIT',
    'Partially Executed': 'UNKNOWN',
  },
  badRows: [
    { list: 'orders', patch: { OrderStatus: null }, names: 'OrderStatus' },
    { list: 'orders', patch: { OrderStatus: '' }, names: 'OrderStatus' },
    { list: 'orders', patch: { Qty: null }, names: 'Qty' },
    { list: 'orders', patch: { Qty: 1.5 }, names: 'Qty' },
    { list: 'orders', patch: { TradedQty: undefined }, names: 'TradedQty' },
    { list: 'orders', patch: { TradedQty: -1 }, names: 'TradedQty' },
    { list: 'orders', patch: { TradedQty: 'ten' }, names: 'TradedQty' },
    { list: 'orders', patch: { TradedQty: '' }, names: 'TradedQty' },
    { list: 'orders', patch: { AveragePrice: '1,000' }, names: 'AveragePrice' },
    { list: 'orders', patch: { AveragePrice: undefined }, names: 'AveragePrice' },
    { list: 'orders', patch: { BuySell: 'Buy' }, names: 'BuySell' },
    { list: 'orders', patch: { ExchOrderID: 1953341975595868200 }, names: 'ExchOrderID' },
    { list: 'orders', patch: { BrokerOrderId: null }, names: 'BrokerOrderId' },
    { list: 'orders', patch: { Exch: null }, names: 'Exch', name: { exchange: null } },
    { list: 'orders', patch: { ScripName: '' }, names: 'ScripName', name: { symbol: null } },
    { list: 'orders', patch: { DelvIntra: null }, names: 'DelvIntra' },
    { list: 'positions', patch: { NetQty: null }, names: 'NetQty' },
    { list: 'positions', patch: { NetQty: '1e3' }, names: 'NetQty' },
    { list: 'positions', patch: { BodQty: 0, BuyQty: 0, SellQty: 5, NetQty: 5 }, names: 'NetQty' },
    { list: 'positions', patch: { Multiplier: null, Exch: 'M', ExchType: 'D' }, names: 'Multiplier', name: { exchange: 'MCX' } },
    { list: 'positions', patch: { BuyQty: undefined }, names: 'BuyQty' },
    { list: 'holdings', patch: { Quantity: undefined }, names: 'Quantity' },
    { list: 'holdings', patch: { AvgRate: 'n/a' }, names: 'AvgRate' },
    { list: 'tradebook', patch: { Qty: null }, names: 'Qty' },
    { list: 'tradebook', patch: { Rate: null }, names: 'Rate' },
    { list: 'tradebook', patch: { Rate: 0 }, names: 'Rate' },
    { list: 'tradebook', patch: { ExchangeTradeID: '' }, names: 'ExchangeTradeID' },
    { list: 'tradebook', patch: { ExchOrderID: null }, names: 'ExchOrderID' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { Qty: '10', TradedQty: '4', AveragePrice: '811.20', Rate: '812.35', BuySell: 'S', OrderStatus: 'Pending' },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2, price: 812.35, transaction_type: 'SELL', status: 'PARTIALLY_FILLED' },
    },
    { list: 'orders', patch: { OrderStatus: 'FULLY EXECUTED' }, row: { state: 'FILLED' } },
    { list: 'orders', patch: { OrderStatus: 'Pending', ExchOrderID: '0', TradedQty: 0 }, row: { state: 'TRANSIT' } },
    { list: 'orders', patch: { OrderStatus: 'Pending', ExchOrderID: '', TradedQty: 0 }, row: { state: 'TRANSIT' } },
    { list: 'orders', patch: { OrderStatus: 'AH Placed', ExchOrderID: '0', TradedQty: 0 }, row: { state: 'OPEN', status: 'PLACED' } },
    {
      list: 'orders',
      patch: { OrderStatus: 'Pending', SLTriggerRate: 810, TradedQty: 0, AveragePrice: 812.35 },
      row: { state: 'TRIGGER_PENDING', order_type: 'SL', trigger_price: 810, average_price: 0 },
    },
    { list: 'orders', patch: { OrderStatus: 'Pending', SLTriggerRate: 810, SLTriggered: 'Y', TradedQty: 0 }, row: { state: 'OPEN' } },
    { list: 'orders', patch: { OrderStatus: 'SL Triggered', SLTriggerRate: 810, TradedQty: 0 }, row: { state: 'OPEN' } },
    {
      list: 'orders',
      patch: { OrderStatus: 'Pending', SLTriggerRate: 810, TradedQty: 3 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED' },
    },
    { list: 'orders', patch: { OrderStatus: 'Cancelled', TradedQty: 3 }, row: { status: 'CANCELLED', filled_quantity: 3 } },
    { list: 'orders', patch: { AtMarket: 'Y', SLTriggerRate: 810, Rate: 0 }, row: { order_type: 'SL-M' } },
    { list: 'orders', patch: { AveragePrice: null, BrokerOrderTime: null }, row: { average_price: null, placed_at: null } },
    { list: 'orders', patch: { BrokerOrderTime: '/Date(1707279047230+0530)/' }, row: { placed_at: '2024-02-07T04:10:47.230Z' } },
    { list: 'orders', patch: { BrokerOrderTime: '20 Nov 2026' }, row: { placed_at: null } },
    { list: 'orders', patch: { ScripCode: null, Exch: 'B', ExchType: 'D' }, row: { token: null, exchange: 'BFO' } },
    { list: 'orders', patch: { Exch: 'M', ExchType: 'D', DelvIntra: 'D' }, row: { exchange: 'MCX', product_type: 'CARRYFORWARD' } },
    { list: 'orders', patch: { Exch: 'N', ExchType: 'U' }, row: { exchange: 'CDS' } },
    { list: 'orders', patch: { Exch: 'X', ExchType: 'Y', DelvIntra: 'MTF' }, row: { exchange: 'X Y', product_type: 'MTF' } },
    { list: 'orders', patch: { RemoteOrderID: 'handmade' }, row: { order_id: '1500000035029169' } },
    { list: 'orders', patch: { RemoteOrderID: '', ExchOrderID: 1500000035029169 }, row: { order_id: '1500000035029169' } },
    { list: 'orders', patch: { RemoteOrderID: undefined, ExchOrderID: '0' }, row: { order_id: '182747604' } },
    { list: 'positions', patch: { NetQty: '-5', BodQty: '-5' }, row: { net_quantity: -5, average_price: 809.2514 } },
    {
      list: 'positions',
      patch: { BuyQty: 5, BuyAvgRate: 819.2514, NetQty: 10 },
      row: { net_quantity: 10, average_price: 814.2514 },
    },
    { list: 'positions', patch: { SellQty: 15, SellAvgRate: 820, NetQty: -10 }, row: { net_quantity: -10, average_price: 820 } },
    {
      list: 'positions',
      patch: { Exch: 'M', ExchType: 'D', Multiplier: '100' },
      row: { exchange: 'MCX', multiplier: 100, realized_pnl: null, unrealized_pnl: null },
    },
    // A price of 0 beside a quantity is none, never a cost.
    { list: 'positions', patch: { BODPositionPrice: 0 }, row: { net_quantity: 5, average_price: null } },
    { list: 'positions', patch: { BodQty: 0, BuyQty: 5, BuyAvgRate: 0 }, row: { net_quantity: 5, average_price: null } },
    { list: 'positions', patch: { BuyQty: 5, BuyAvgRate: 0, NetQty: 10 }, row: { net_quantity: 10, average_price: null } },
    {
      list: 'positions',
      patch: { Multiplier: undefined, BookedPL: undefined, MTOM: undefined, LTP: undefined },
      row: { multiplier: 1, realized_pnl: null, unrealized_pnl: null, last_price: null },
    },
    { list: 'orders', patch: { TradedQty: 4, AveragePrice: 0 }, row: { filled_quantity: 4, average_price: null } },
    { list: 'holdings', patch: { AvgRate: 0, CurrentPrice: undefined }, row: { average_price: null, last_price: null, pnl: null } },
    { list: 'holdings', patch: { CurrentPrice: null }, row: { last_price: null, pnl: null } },
    { list: 'tradebook', patch: { RemoteOrderID: 'a'.repeat(16) }, row: { order_id: 'a'.repeat(16) } },
    { list: 'tradebook', patch: { ExchOrderID: '77', ExchangeTradeTime: '09:15' }, row: { order_id: '77', traded_at: null } },
  ],
  tags: [
    { patch: { RemoteOrderID: TAG }, tag: TAG },
    { patch: { RemoteOrderID: 'handmade' }, tag: 'handmade' },
    { patch: { RemoteOrderID: TAG.toUpperCase() }, tag: TAG.toUpperCase() },
    { patch: { RemoteOrderID: '' }, tag: null },
    { patch: { RemoteOrderID: null }, tag: null },
    { patch: { RemoteOrderID: undefined }, tag: null },
  ],
};
