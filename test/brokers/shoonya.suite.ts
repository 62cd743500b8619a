import { z } from 'zod';
import { shoonya } from '../../server/brokers/shoonya/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { fixtures, type StubServer } from './stub-server.ts';

const { one, error } = fixtures('shoonya');

export { error };
export const orderId = '26112000000017';

const rowList = z.array(z.record(z.string(), z.unknown()));
export const body = (name: string) => one(name).body;
export const list = (name: string) => rowList.parse(body(name));

/** A good list whose first row has other values; undefined takes a member away. */
export function patched(name: ListName, patch: Record<string, unknown>): Record<string, unknown>[] {
  return list(name === 'tradebook' ? 'trades' : name).map((row, index) =>
    index === 0 ? Object.fromEntries(Object.entries({ ...row, ...patch }).filter(([, value]) => value !== undefined)) : row,
  );
}

export const order = shareOrder('SBIN-EQ', '3045', { ordertype: 'LIMIT', price: '812.35' });
const sensex = { exchange: 'BFO', symbol: 'SENSEX26DECFUT', tradingsymbol: 'SENSEX26DECFUT', token: '861201' };
export const future = { exchange: 'NFO', symbol: 'NIFTY24NOV26F', tradingsymbol: 'NIFTY24NOV26F', token: '43919', quantity: '75' };

export const credentials = {
  USER_ID: 'FT0001',
  API_KEY: 'testkey-0a1b_U',
  API_SECRET: 'testsecret-2c3d',
  ACCESS_TOKEN: 'todays-token-4e5f',
};

/** What the call carried as its JSON text. */
export function fieldsOf(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text.replace(/^jData=/, '')));
}

export function healthy(stub: StubServer): void {
  const answers = {
    GenAcsTok: 'session',
    UserDetails: 'profile',
    Limits: 'funds',
    Holdings: 'holdings',
    PositionBook: 'positions',
    OrderBook: 'orders',
    TradeBook: 'trades',
    GetQuotes: 'quote',
    PlaceOrder: 'placed',
    ModifyOrder: 'changed',
    CancelOrder: 'changed',
  };
  for (const [name, fixture] of Object.entries(answers)) stub.on(`POST /${name}`, { body: body(fixture) });
}

export const sbin = { symbol: 'SBIN-EQ', token: '3045', exchange: 'NSE' };
const empty = body('noData');
const trade = { order_id: orderId, ...sbin, transaction_type: 'BUY', product_type: 'INTRADAY' };

export const suite: Suite = {
  definition: shoonya,
  credentials,
  needed: ['SHOONYA_USER_ID', 'SHOONYA_API_KEY', 'SHOONYA_API_SECRET', 'SHOONYA_ACCESS_TOKEN'],
  account: 'FT0001',
  healthy,
  reads: {
    profile: { route: 'POST /UserDetails', data: body('profile') },
    funds: { route: 'POST /Limits', data: body('funds') },
    holdings: {
      route: 'POST /Holdings',
      data: list('holdings'),
      empty,
      normalized: [
        {
          symbol: 'YESBANK-EQ',
          token: '11915',
          exchange: 'NSE',
          isin: null,
          // 30 held, 4 bought yesterday, 1 + 1 + 1 collateral, unpledged, beneficiary, 3 without authority, less 5 used.
          quantity: 35,
          sellable_quantity: 34,
          average_price: 18.75,
          last_price: null,
          pnl: null,
        },
        {
          symbol: 'INFY-EQ',
          token: '1594',
          exchange: 'NSE',
          isin: null,
          quantity: 4,
          sellable_quantity: 4,
          average_price: 1500,
          last_price: null,
          pnl: null,
        },
      ],
    },
    positions: {
      route: 'POST /PositionBook',
      data: list('positions'),
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
          symbol: 'BANKNIFTY24NOV26P58000',
          token: '52618',
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
          symbol: 'NHPC-EQ',
          token: '17400',
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
    orders: { route: 'POST /OrderBook', data: list('orders').map((row) => ({ ...row, order_id: row.norenordno })), empty },
    tradebook: {
      route: 'POST /TradeBook',
      data: list('trades'),
      empty,
      normalized: [
        { trade_id: '102', ...trade, quantity: 4, price: 811, traded_at: '2026-11-20T04:12:34.000Z' },
        { trade_id: '103', ...trade, quantity: 6, price: 811.33, traded_at: '2026-11-20T04:12:35.000Z' },
      ],
    },
  },
  patched,
  expired: error('expired'),
  order,
  booked: orderId,
  rules: {
    traded: { NSE: {}, BSE: { tradingsymbol: 'SBIN' }, NFO: future, BFO: sensex, MCX: {}, CDS: {} },
    options: [],
    closed: ['MCX', 'CDS'],
    afterMarket: 'limited',
    words: {
      exchange: member('exch', { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' }),
      ordertype: member('prctyp', { MARKET: 'LMT', LIMIT: 'LMT', SL: 'SL-LMT', 'SL-M': 'SL-LMT' }),
      producttype: member('prd', { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' }),
      transactiontype: member('trantype', { BUY: 'B', SELL: 'S' }),
      variety: member('amo', { NORMAL: undefined, STOPLOSS: undefined, AMO: 'Yes' }),
    },
    body: (seen) => fieldsOf(seen.body),
    market: (stub) =>
      stub.on('POST /GetQuotes', (seen) => {
        const { exch, token } = fieldsOf(seen.body);
        const bought = [{ ...order, exchange: 'BSE', tradingsymbol: 'SBIN' }, future, sensex].find((one) => one.exchange === exch) ?? order;
        return { body: { ...body('quote'), exch, token, tsym: bought.tradingsymbol } };
      }),
  },
  calls: {
    placeOrder: { route: 'POST /PlaceOrder', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: 'POST /ModifyOrder',
      run: (broker) => broker.modifyOrder({ orderid: orderId, variety: 'NORMAL', price: '813.5' }),
    },
    cancelOrder: { route: 'POST /CancelOrder', run: (broker) => broker.cancelOrder(orderId) },
  },
  // A placement names its order one way, a change the other: here both stand side by side.
  accepted: { body: { stat: 'Ok', norenordno: orderId, result: orderId } },
  orderId,
  ambiguous: {
    'a success without an order id': { body: { stat: 'Ok', request_time: '10:48:03 20-05-2020' } },
    'a success with an empty order id': { body: { stat: 'Ok', norenordno: '', result: '' } },
    'a success with null for an order id': { body: { stat: 'Ok', norenordno: null, result: null } },
    'an order id that is a number': { body: '{"stat":"Ok","norenordno":2005200000000171234,"result":2005200000000171234}' },
    'a list': { body: [{ stat: 'Ok', norenordno: orderId, result: orderId }] },
    'an order id without stat': { body: { norenordno: orderId, result: orderId } },
    'an order id under HTTP 500': { status: 500, body: { stat: 'Ok', norenordno: orderId, result: orderId } },
    'the server time-out': error('timeout'),
    'the server time-out under HTTP 400': error('timeout400'),
    'HTTP 429': error('rate'),
    'HTTP 500 with the text of a refusal': error('server'),
    'HTTP 503': error('unavailable'),
    'a text without a known prefix': error('unknownText'),
    'the text of an empty book': error('noDataForOrder'),
    'a refusal without a text': { body: { stat: 'Not_Ok' } },
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 403 that is not JSON': { status: 403, body: '<html>forbidden</html>' },
    'HTTP 404 that is not JSON': { status: 404, body: 'not found' },
    'HTTP 410': { status: 410, body: { stat: 'Not_Ok', emsg: 'gone' } },
  },
  rejections: {
    margin: { answer: error('margin'), says: /Margin Shortfall/ },
    product: { answer: error('product'), says: /Invalid Product/ },
    'a missing member': { answer: error('missing'), says: /Missing uid/ },
    input: { answer: error('input'), says: /invalid input/ },
    'input in another spelling': { answer: error('inputOtherSpelling'), says: /invalid input/ },
    'an unknown order': { answer: error('notFound'), says: /Order not found/ },
    'a trigger price': { answer: error('trigger'), says: /Trigger price invalid/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'HTTP 400': { answer: error('badRequest'), says: /no reason known/ },
    'HTTP 404': { answer: error('noSuchCall'), says: /no such call/ },
    'HTTP 405': { answer: error('wrongMethod'), says: /method/ },
  },
  refusals: {
    'a share of NSE without its series': { order: { symbol: 'SBIN', tradingsymbol: 'SBIN' }, field: 'symbol' },
    'a symbol that is encoded': { order: { tradingsymbol: 'M%26M-EQ' }, field: 'M&M-EQ' },
    'MARKET without a token': { order: { ordertype: 'MARKET', token: '' }, field: 'order_type' },
    'MARKET with the token of another share': { order: { ordertype: 'MARKET', tradingsymbol: 'INFY-EQ' }, field: 'token' },
    'SL-M with a trigger beyond the circuit': { order: { ordertype: 'SL-M', triggerprice: '900' }, field: 'trigger_price' },
  },
  stateField: 'status',
  states: {
    COMPLETE: 'FILLED',
    complete: 'FILLED',
    REJECTED: 'REJECTED',
    REJECT: 'REJECTED',
    CANCELED: 'CANCELLED',
    CANCELLED: 'CANCELLED',
    Open: 'OPEN',
    OPEN: 'OPEN',
    TRIGGER_PENDING: 'TRIGGER_PENDING',
    'TRIGGER PENDING': 'TRIGGER_PENDING',
    // The first row has an exchange order id.
    PENDING: 'OPEN',
    OPEN_PENDING: 'OPEN',
    NEW: 'OPEN',
    REPLACED: 'OPEN',
    'MODIFY PENDING': 'OPEN',
    MODIFY_PENDING: 'OPEN',
    'CANCEL PENDING': 'OPEN',
    CANCEL_PENDING: 'OPEN',
    'AFTER MARKET ORDER REQ RECEIVED': 'OPEN',
    INVALID_STATUS_TYPE: 'UNKNOWN',
  },
  badRows: [
    { list: 'orders', patch: { status: null }, names: 'status' },
    { list: 'orders', patch: { status: '' }, names: 'status' },
    { list: 'orders', patch: { stat: 'Not_Ok' }, names: 'stat' },
    { list: 'orders', patch: { qty: undefined }, names: 'qty' },
    { list: 'orders', patch: { qty: '1.5' }, names: 'qty' },
    { list: 'orders', patch: { qty: '-1' }, names: 'qty' },
    { list: 'orders', patch: { fillshares: undefined }, names: 'fillshares' },
    { list: 'orders', patch: { fillshares: 'ten' }, names: 'fillshares' },
    { list: 'orders', patch: { fillshares: '' }, names: 'fillshares' },
    { list: 'orders', patch: { fillshares: null }, names: 'fillshares' },
    { list: 'orders', patch: { status: 'ON ITS WAY', fillshares: undefined }, names: 'fillshares' },
    { list: 'orders', patch: { status: 'OPEN', fillshares: undefined }, names: 'fillshares' },
    { list: 'orders', patch: { status: 'CANCELED', fillshares: undefined, avgprc: undefined }, names: 'fillshares' },
    { list: 'orders', patch: { status: 'CANCELED', fillshares: undefined, avgprc: undefined, cancelqty: '6' }, names: 'fillshares' },
    { list: 'orders', patch: { cancelqty: 'some' }, names: 'cancelqty' },
    { list: 'orders', patch: { avgprc: '1,000' }, names: 'avgprc' },
    { list: 'orders', patch: { prc: undefined }, names: 'prc' },
    { list: 'orders', patch: { norenordno: 26112000000017 }, names: 'norenordno' },
    { list: 'orders', patch: { trantype: 'X' }, names: 'trantype' },
    { list: 'orders', patch: { tsym: '' }, names: 'tsym', name: { symbol: null } },
    { list: 'positions', patch: { netqty: null }, names: 'netqty' },
    { list: 'positions', patch: { netqty: '' }, names: 'netqty' },
    { list: 'positions', patch: { netqty: '1e3' }, names: 'netqty' },
    { list: 'positions', patch: { netavgprc: 'none' }, names: 'netavgprc' },
    { list: 'positions', patch: { prcftr: undefined }, names: 'prcftr' },
    { list: 'positions', patch: { prcftr: 'one' }, names: 'prcftr' },
    { list: 'holdings', patch: { holdqty: undefined }, names: 'holdqty' },
    { list: 'holdings', patch: { usedqty: 'none' }, names: 'usedqty' },
    { list: 'holdings', patch: { exch_tsym: [] }, names: 'exch_tsym', name: { exchange: null, symbol: null, token: null } },
    { list: 'tradebook', patch: { flqty: undefined }, names: 'flqty' },
    { list: 'tradebook', patch: { flprc: null }, names: 'flprc' },
    { list: 'tradebook', patch: { flid: '' }, names: 'flid' },
  ],
  goodRows: [
    { list: 'orders', patch: { qty: 10, fillshares: 4, avgprc: 811.2 }, row: { quantity: 10, filled_quantity: 4, average_price: 811.2 } },
    {
      list: 'orders',
      patch: { status: 'OPEN', fillshares: undefined, avgprc: undefined },
      row: { filled_quantity: 0, average_price: null, status: 'PLACED' },
    },
    ...(['REJECTED', 'TRIGGER_PENDING', 'MODIFY PENDING'] as const).map((status) => ({
      list: 'orders' as const,
      patch: { status, fillshares: undefined, avgprc: '0.00' },
      row: { filled_quantity: 0, average_price: null },
    })),
    {
      list: 'orders',
      patch: { status: 'CANCELED', fillshares: undefined, avgprc: undefined, cancelqty: '10' },
      row: { status: 'CANCELLED', filled_quantity: 0 },
    },
    ...(['orders', 'positions', 'tradebook'] as const).flatMap((name) => [
      { list: name, patch: { prd: undefined, s_prdt_ali: 'NRML' }, row: { product_type: 'CARRYFORWARD' } },
      { list: name, patch: { prd: undefined, s_prdt_ali: undefined }, row: { product_type: 'UNKNOWN' } },
    ]),
    { list: 'tradebook', patch: { fillshares: undefined }, row: { quantity: 4 } },
    { list: 'positions', patch: { netavgprc: '0.00', totbuyavgprc: '811.20', totsellavgprc: '9' }, row: { average_price: 811.2 } },
    {
      list: 'positions',
      patch: { netqty: '-5', netavgprc: undefined, totbuyavgprc: '9', totsellavgprc: '812' },
      row: { average_price: 812 },
    },
    { list: 'positions', patch: { netavgprc: '0.00' }, row: { average_price: null } },
    { list: 'holdings', patch: { upldprc: '0.00' }, row: { average_price: null } },
    { list: 'holdings', patch: { upldprc: undefined }, row: { average_price: null } },
    { list: 'orders', patch: { status: 'OPEN', fillshares: '3' }, row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 3 } },
    { list: 'orders', patch: { status: 'CANCELED', fillshares: '3' }, row: { status: 'CANCELLED', filled_quantity: 3 } },
    { list: 'orders', patch: { status: 'constructor' }, row: { state: 'UNKNOWN' } },
    { list: 'orders', patch: { status: 'PENDING', exchordid: undefined, fillshares: '0' }, row: { state: 'TRANSIT', status: 'PLACED' } },
    { list: 'orders', patch: { status: 'PENDING', exchordid: '', amo: 'Yes', fillshares: '0' }, row: { state: 'OPEN' } },
    { list: 'orders', patch: { prctyp: 'MKT' }, row: { order_type: 'MARKET' } },
    { list: 'orders', patch: { prctyp: 'SL-MKT' }, row: { order_type: 'SL-M' } },
    { list: 'orders', patch: { prctyp: '2L' }, row: { order_type: '2L' } },
    { list: 'orders', patch: { prd: 'NRML', exch: 'BFO' }, row: { product_type: 'CARRYFORWARD', exchange: 'BFO' } },
    { list: 'orders', patch: { prd: 'B' }, row: { product_type: 'B' } },
    { list: 'orders', patch: { tsym: 'M%26M-EQ' }, row: { symbol: 'M&M-EQ' } },
    { list: 'orders', patch: { tsym: 'M&M-EQ' }, row: { symbol: 'M&M-EQ' } },
    { list: 'orders', patch: { ordenttm: undefined }, row: { placed_at: '2026-11-20T04:12:34.000Z' } },
    { list: 'orders', patch: { ordenttm: undefined, norentm: '00:00:00 01-01-1980' }, row: { placed_at: null } },
    {
      list: 'positions',
      patch: { netqty: -20, token: undefined, lp: undefined },
      row: { net_quantity: -20, token: null, last_price: null },
    },
    { list: 'positions', patch: { prcftr: '100.000000' }, row: { multiplier: 100 } },
    { list: 'holdings', patch: { npoadqty: undefined, npoaqty: '9' }, row: { quantity: 41 } },
    { list: 'tradebook', patch: { fltm: undefined, exch_tm: 'yesterday' }, row: { traded_at: null } },
  ],
  tags: [
    { patch: { remarks: TAG }, tag: TAG },
    { patch: { remarks: 'handmade' }, tag: 'handmade' },
    { patch: { remarks: '' }, tag: null },
    { patch: { remarks: null }, tag: null },
    { patch: { remarks: undefined }, tag: null },
  ],
};
