import { expect } from 'vitest';
import { z } from 'zod';
import { kotak } from '../../server/brokers/kotak/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, answerOf, fixtures, type StubServer } from './stub-server.ts';

const { one, errors } = fixtures('kotak');
const refused = errors();
const placed = one('placed');
export const orderId = '261120000612876';

export function error(name: string): Answer {
  const found = refused[name];
  if (!found) throw new Error(`no fixture ${name}`);
  return answerOf(found);
}

export const body = (name: string) => one(name).body;
export const answer = (name: string) => answerOf(one(name));
const rows = (name: string) => z.array(z.record(z.string(), z.unknown())).parse(body(name).data);

export function patched(list: ListName, patch: Record<string, unknown>, index = 0): Record<string, unknown> {
  const name = list === 'tradebook' ? 'trades' : list;
  const changed = rows(name).map((row, at) =>
    at === index ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
  return { ...body(name), data: changed };
}

export const order = shareOrder('SBIN-EQ', '3045');
/** Goes out without a look at the market. */
export const limitOrder = { ...order, ordertype: 'LIMIT', price: '812' };

export const credentials = {
  ACCESS_TOKEN: 'app-access-0a1b',
  MOBILE_NUMBER: '+910000000099',
  UCC: 'KT001',
  TOTP_SECRET: 'JBSWY3DPEHPK3PXP',
  MPIN: '998877',
};

/** The stub server's session names the stub server as the trading host. */
export function session(url: string, more: Record<string, unknown> = {}): Answer {
  return { body: { data: { ...z.record(z.string(), z.unknown()).parse(body('session').data), baseUrl: url, ...more } } };
}

export const routes = {
  login: 'POST /login/1.0/tradeApiLogin',
  validate: 'POST /login/1.0/tradeApiValidate',
  address: 'GET /login/1.0/get-client-ip',
  limits: 'POST /quick/user/limits',
  holdings: 'GET /portfolio/v1/holdings',
  positions: 'GET /portfolio/v2/positions',
  oldPositions: 'GET /quick/user/positions',
  orders: 'GET /quick/user/orders',
  trades: 'GET /quick/user/trades',
  place: 'POST /quick/order/rule/ms/place',
  modify: 'POST /quick/order/vr/modify',
  cancel: 'POST /quick/order/cancel',
  quote: 'GET /script-details/1.0/quotes/neosymbol/*/all',
};

export function healthy(stub: StubServer): void {
  stub.on(routes.login, answer('view'));
  stub.on(routes.validate, session(stub.url));
  stub.on(routes.limits, answer('funds'));
  for (const name of ['holdings', 'positions', 'orders', 'trades'] as const) stub.on(routes[name], answer(name));
  stub.on(routes.quote, answer('quote'));
  for (const name of ['place', 'modify', 'cancel'] as const) stub.on(routes[name], answerOf(placed));
}

/** What sign-in told of the customer, without tokens. */
const { token: _token, sid: _sid, rid: _rid, baseUrl: _baseUrl, ...facts } = z.record(z.string(), z.unknown()).parse(body('session').data);
export const profile = facts;

export const sbin = { symbol: 'SBIN-EQ', token: '3045', exchange: 'NSE' };
export const nifty = { symbol: 'NIFTY26NOVFUT', token: '47001', exchange: 'NFO' };
const empty = body('noData');
const noPrices = { last_price: null, realized_pnl: null, unrealized_pnl: null };

export const suite: Suite = {
  definition: kotak,
  credentials,
  needed: ['KOTAK_ACCESS_TOKEN', 'KOTAK_MOBILE_NUMBER', 'KOTAK_UCC', 'KOTAK_TOTP_SECRET', 'KOTAK_MPIN'],
  account: 'KT001',
  healthy,
  reads: {
    profile: { route: routes.limits, data: expect.objectContaining(facts) },
    funds: { route: routes.limits, data: body('funds') },
    holdings: {
      route: routes.holdings,
      data: rows('holdings'),
      empty: { data: [] },
      normalized: [
        { ...sbin, isin: null, quantity: 25, sellable_quantity: 25, average_price: 790.4, last_price: null, pnl: 548.75 },
        {
          symbol: 'RELIANCE',
          token: '500325',
          exchange: 'BSE',
          isin: null,
          quantity: 4,
          sellable_quantity: 4,
          average_price: 1500,
          last_price: null,
          pnl: 42,
        },
      ],
    },
    positions: {
      route: routes.positions,
      data: rows('positions'),
      empty,
      normalized: [
        { ...sbin, product_type: 'INTRADAY', net_quantity: 10, average_price: 811.2, ...noPrices, multiplier: 1 },
        { ...nifty, product_type: 'CARRYFORWARD', net_quantity: -150, average_price: 26010.05, ...noPrices, multiplier: 1 },
        {
          symbol: 'LEADMINI26NOVFUT',
          token: '464199',
          exchange: 'MCX',
          product_type: 'CARRYFORWARD',
          net_quantity: 0,
          average_price: 0,
          ...noPrices,
          multiplier: 1000,
        },
      ],
    },
    orders: { route: routes.orders, data: rows('orders').map((row) => ({ ...row, order_id: row.nOrdNo })), empty },
    tradebook: {
      route: routes.trades,
      data: rows('trades'),
      empty,
      normalized: [
        {
          trade_id: '207983744',
          order_id: orderId,
          ...sbin,
          token: null,
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
  order: limitOrder,
  booked: orderId,
  rules: {
    traded: { NSE: {}, BSE: {}, NFO: {}, BFO: {}, MCX: {}, CDS: {} },
    options: [],
    closed: ['CDS'],
    carriesShares: true,
    words: {
      exchange: member('es', { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', BFO: 'bse_fo', MCX: 'mcx_fo', CDS: 'cde_fo' }),
      ordertype: member('pt', { MARKET: 'L', LIMIT: 'L', SL: 'SL', 'SL-M': 'SL' }),
      producttype: member('pc', { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' }),
      transactiontype: member('tt', { BUY: 'B', SELL: 'S' }),
      variety: member('am', { NORMAL: 'NO', STOPLOSS: 'NO', AMO: 'YES' }),
    },
    body: (seen) => JSON.parse(seen.form.jData ?? ''),
  },
  calls: {
    placeOrder: { route: routes.place, run: (broker) => broker.placeOrder(limitOrder, TAG) },
    modifyOrder: { route: routes.modify, run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }) },
    cancelOrder: { route: routes.cancel, run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'an Ok without an order number': { body: { stat: 'Ok', stCode: 200 } },
    'an Ok with an empty order number': { body: { ...placed.body, nOrdNo: '' } },
    'an Ok with null for an order number': { body: { ...placed.body, nOrdNo: null } },
    'an Ok with an order number that lost digits': { body: '{"nOrdNo":26112000061287699999,"stat":"Ok","stCode":200}' },
    'an Ok under another code': { body: { ...placed.body, stCode: 1005 } },
    'an order number under HTTP 500': { status: 500, body: placed.body },
    'a refusal that names an order number': { body: { ...refused.margin?.body, nOrdNo: orderId } },
    'an internal error': error('internal'),
    'an internal error under HTTP 400': error('internal400'),
    'a code the list lacks': error('unlisted'),
    'a code the list lacks under HTTP 400': error('unlisted400'),
    'an empty report': error('noData'),
    'a failed dependency': error('dependency'),
    'a definite code under a failed dependency': error('dependencyWithCode'),
    'a definite code under HTTP 500': error('marginUnder500'),
    'a definite code with a text about a time-out': error('timedOut'),
    'HTTP 502': error('oms'),
    'HTTP 503': error('unavailable'),
    'HTTP 504': error('gateway'),
    'HTTP 404': error('notFound'),
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 400 in another form': { status: 400, body: { fault: 'no' } },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Insufficient balance/ },
    'an invalid exchange': { answer: error('exchange'), says: /Invalid Exchange/ },
    'an invalid symbol': { answer: error('symbol'), says: /Invalid Symbol/ },
    'an invalid quantity': { answer: error('quantity'), says: /Invalid Quantity/ },
    price: { answer: error('unprocessable'), says: /Invalid price/ },
    'a missing field': { answer: error('input'), says: /'Qt'/ },
    'a finished order': { answer: error('finished'), says: /^order is completed$/ },
    'an order that is gone': { answer: error('gone'), says: /not found/ },
    'an unregistered address': { answer: error('address'), says: /unauthorized.*registered addresses.*KOTAK_LOCAL_ADDRESS/ },
    'a session of another address': { answer: error('otherAddress'), says: /session ip/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
    'an algo order': { answer: error('algo'), says: /algo order not allowed/ },
    'the kind of access': { answer: error('access'), says: /access type/ },
    'a refusal of its core': { answer: error('core'), says: /error from core/ },
  },
  refusals: {
    'SL-M with a trigger beyond the circuit limits': { order: { ordertype: 'SL-M', triggerprice: '900' }, field: 'trigger_price' },
  },
  stateField: 'ordSt',
  states: {
    complete: 'FILLED',
    traded: 'FILLED',
    COMPLETE: 'FILLED',
    rejected: 'REJECTED',
    cancelled: 'CANCELLED',
    'cancelled after market order': 'CANCELLED',
    open: 'OPEN',
    modified: 'OPEN',
    'modify pending': 'OPEN',
    'modify validation pending': 'OPEN',
    'cancel pending': 'OPEN',
    'trigger pending': 'TRIGGER_PENDING',
    'put order req received': 'TRANSIT',
    'validation pending': 'TRANSIT',
    'open pending': 'TRANSIT',
    'after market order req received': 'OPEN',
    'modify after market order req received': 'OPEN',
  },
  badRows: [
    { list: 'orders', patch: { ordSt: null }, names: 'ordSt' },
    { list: 'orders', patch: { ordSt: '' }, names: 'ordSt' },
    { list: 'orders', patch: { qty: null }, names: 'qty' },
    { list: 'orders', patch: { qty: 1.5 }, names: 'qty' },
    { list: 'orders', patch: { fldQty: undefined }, names: 'fldQty' },
    { list: 'orders', patch: { fldQty: 'ten' }, names: 'fldQty' },
    { list: 'orders', patch: { fldQty: -1 }, names: 'fldQty' },
    { list: 'orders', patch: { fldQty: true }, names: 'fldQty' },
    { list: 'orders', patch: { fldQty: '' }, names: 'fldQty' },
    { list: 'orders', patch: { avgPrc: '1,000' }, names: 'avgPrc' },
    { list: 'orders', patch: { avgPrc: '--' }, names: 'avgPrc' },
    { list: 'orders', patch: { nOrdNo: 2.611200006128769e19 }, names: 'nOrdNo' },
    { list: 'orders', patch: { nOrdNo: '' }, names: 'nOrdNo' },
    { list: 'orders', patch: { trnsTp: 'X' }, names: 'trnsTp' },
    { list: 'orders', patch: { trdSym: null }, names: 'trdSym', name: { symbol: null } },
    { list: 'positions', patch: { flBuyQty: null }, names: 'flBuyQty' },
    { list: 'positions', patch: { cfSellQty: undefined }, names: 'cfSellQty' },
    { list: 'positions', patch: { flSellQty: '1e3' }, names: 'flSellQty' },
    { list: 'positions', patch: { multiplier: '0' }, names: 'multiplier' },
    { list: 'positions', patch: { genDen: null }, names: 'genDen' },
    { list: 'positions', patch: { buyAmt: 'n/a' }, names: 'buyAmt' },
    { list: 'holdings', patch: { quantity: undefined }, names: 'quantity' },
    { list: 'holdings', patch: { averagePrice: 'n/a' }, names: 'averagePrice' },
    { list: 'tradebook', patch: { fldQty: null }, names: 'fldQty' },
    { list: 'tradebook', patch: { avgPrc: '' }, names: 'avgPrc' },
    { list: 'tradebook', patch: { flId: '' }, names: 'flId' },
  ],
  goodRows: [
    {
      list: 'orders',
      patch: { qty: '10', fldQty: '4', avgPrc: 811.2, prc: 816.05 },
      row: { quantity: 10, filled_quantity: 4, average_price: 811.2, price: 816.05 },
    },
    { list: 'orders', patch: { avgPrc: null, ordEntTm: null, tok: '' }, row: { average_price: null, placed_at: null, token: null } },
    { list: 'orders', patch: { ordEntTm: '20-Xxx-2026 09:42:33' }, row: { placed_at: null } },
    { list: 'orders', patch: { ordSt: 'open', fldQty: 3 }, row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 } },
    { list: 'orders', patch: { ordSt: 'cancelled', fldQty: 3 }, row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 3 } },
    {
      list: 'orders',
      patch: { prod: 'MTF', exSeg: 'bcs_fo', prcTp: '2L' },
      row: { product_type: 'MTF', exchange: 'bcs_fo', order_type: '2L' },
    },
    { list: 'orders', patch: { nOrdNo: 261120000612876 }, row: { order_id: '261120000612876' } },
    { list: 'orders', patch: { ordSt: 'rejected', rejRsn: 'RMS: blocked' }, row: { state: 'REJECTED', status_message: 'RMS: blocked' } },
    { list: 'positions', patch: { flBuyQty: 0, flSellQty: 20, sellAmt: '16000.10' }, row: { net_quantity: -20, average_price: 800.01 } },
    {
      list: 'positions',
      patch: { cfBuyQty: '5', cfBuyAmt: '4000.00', flSellQty: '3', sellAmt: '2400.00' },
      row: { net_quantity: 12, average_price: 804.27 },
    },
    { list: 'positions', patch: { multiplier: '2', genNum: '5', genDen: '10' }, row: { multiplier: 1, average_price: 811.2 } },
    { list: 'positions', patch: { multiplier: '100' }, row: { multiplier: 100, average_price: 8.11 } },
    { list: 'holdings', patch: { exchangeIdentifier: null, mktValue: null }, row: { token: null, pnl: null } },
    {
      list: 'holdings',
      patch: { averagePrice: undefined, mktValue: undefined, holdingCost: undefined },
      row: { average_price: null, pnl: null },
    },
    {
      list: 'orders',
      patch: { prc: undefined, trgPrc: undefined, avgPrc: undefined, rejRsn: undefined, ordEntTm: undefined, tok: undefined },
      row: { price: null, trigger_price: null, average_price: null, token: null, quantity: 10 },
    },
    { list: 'holdings', patch: { series: 'BE' }, row: { symbol: 'SBIN-BE' } },
    { list: 'holdings', patch: { symbol: 'SBIN-EQ' }, row: { symbol: 'SBIN-EQ' } },
    { list: 'tradebook', patch: { flTm: '09:15' }, row: { traded_at: null } },
    { list: 'tradebook', patch: { tok: '3045', qty: 7 }, row: { token: '3045', quantity: 10 } },
  ],
  tags: [
    { patch: { GuiOrdId: TAG }, tag: TAG },
    { patch: { GuiOrdId: `${TAG}-1795147990` }, tag: TAG },
    { patch: { GuiOrdId: `${TAG.toUpperCase()}-1795147990` }, tag: TAG.toUpperCase() },
    { patch: { GuiOrdId: `${TAG}-ADMINAPI` }, tag: null },
    { patch: { GuiOrdId: '1882434604582830081-ADMINAPI' }, tag: null },
    { patch: { GuiOrdId: '' }, tag: null },
    { patch: { GuiOrdId: undefined }, tag: null },
    { patch: { GuiOrdId: 'handmade' }, tag: 'handmade' },
    { patch: { GuiOrdId: 'handmade-1795147990' }, tag: 'handmade-1795147990' },
    { patch: { GuiOrdId: TAG.toUpperCase() }, tag: TAG.toUpperCase() },
  ],
};
