import { z } from 'zod';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { type ListName, type Suite, TAG } from './conformance.ts';
import { member, shareOrder } from './conformance-rules.ts';
import { type Answer, answerOf, fixtures, type Seen, type StubServer } from './stub-server.ts';

const { one, errors, error } = fixtures('groww');
const refused = errors();

export { error };

const placed = one('placed');
export const orderId = 'GMK39038RDT490CCVRO';

export const body = (name: string) => one(name).body;
export { answerOf };

type Row = Record<string, unknown>;
const members = { holdings: 'holdings', positions: 'positions', orders: 'order_list', tradebook: 'trade_list' } as const;
const files = { holdings: 'holdings', positions: 'positions', orders: 'orders', tradebook: 'trades' } as const;
export function rowsOf(list: ListName): Row[] {
  const payload = z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).parse(body(files[list]).payload);
  return payload[members[list]] ?? [];
}
export const ok = (payload: unknown) => ({ status: 'SUCCESS', payload });
export const listOf = (list: ListName, rows: unknown[]) => ok({ [members[list]]: rows });

export function patched(list: ListName, patch: Row): unknown {
  const [first = {}, ...others] = rowsOf(list);
  const changed = Object.fromEntries(Object.entries({ ...first, ...patch }).filter(([, value]) => value !== undefined));
  return listOf(list, [changed, ...others]);
}

const prices = z.record(z.string(), z.number()).parse(body('ltp').payload);

/** The rows of the segment that was asked for, on the first page. */
function bySegment(list: ListName) {
  return ({ query }: Seen): Answer => ({
    body: listOf(
      list,
      rowsOf(list).filter((row) => row.segment === query.segment && (query.page ?? '0') === '0'),
    ),
  });
}

export const order = shareOrder('WIPRO', '3787', { quantity: '100' });

export const credentials = { API_KEY: 'testkey-0a1b', TOTP_SECRET: 'JBSWY3DPEHPK3PXP' };

export function healthy(stub: StubServer): void {
  stub.on('POST /v1/token/api/access', answerOf(one('session')));
  stub.on('GET /v1/user/detail', answerOf(one('profile')));
  stub.on('GET /v1/margins/detail/user', answerOf(one('funds')));
  stub.on('GET /v1/holdings/user', answerOf(one('holdings')));
  stub.on('GET /v1/positions/user', bySegment('positions'));
  stub.on('GET /v1/live-data/ltp', ({ query }) => {
    const known = Object.entries(prices).filter(([name]) => query.exchange_symbols?.split(',').includes(name));
    return { body: ok(Object.fromEntries(known)) };
  });
  stub.on('GET /v1/live-data/quote', answerOf(one('quote')));
  stub.on('GET /v1/order/list', bySegment('orders'));
  stub.on('GET /v1/order/detail/*', answerOf(one('detail')));
  stub.on('GET /v1/order/trades/*', error('notFound'));
  stub.on(`GET /v1/order/trades/${orderId}`, answerOf(one('trades')));
  for (const call of ['create', 'modify', 'cancel']) stub.on(`POST /v1/order/${call}`, answerOf(placed));
}

const wipro = { symbol: 'WIPRO', token: null, exchange: 'NSE' };
const bought = { ...wipro, transaction_type: 'BUY', product_type: 'INTRADAY' };
const unknownMoney = { last_price: null, realized_pnl: 0, unrealized_pnl: null, multiplier: 1 };
const withIds = rowsOf('orders').map((row) => ({ ...row, order_id: row.groww_order_id }));
const trade = { trade_id: '202611200123456789', order_id: orderId, ...bought, quantity: 100, price: 249.5, traded_at: null };

export const suite: Suite = {
  definition: groww,
  credentials,
  needed: ['GROWW_API_KEY', 'GROWW_TOTP_SECRET', 'GROWW_ACCESS_TOKEN'],
  account: '924189',
  healthy,
  reads: {
    profile: { route: 'GET /v1/user/detail', data: body('profile').payload },
    funds: { route: 'GET /v1/margins/detail/user', data: body('funds').payload },
    holdings: {
      route: 'GET /v1/holdings/user',
      data: rowsOf('holdings'),
      empty: listOf('holdings', []),
      normalized: [
        {
          symbol: 'RELIANCE',
          token: null,
          exchange: 'NSE',
          isin: 'INE545U01014',
          quantity: 10,
          sellable_quantity: 8,
          average_price: 100,
          last_price: null,
          pnl: null,
        },
      ],
    },
    positions: {
      route: 'GET /v1/positions/user',
      data: rowsOf('positions'),
      empty: listOf('positions', []),
      normalized: [
        {
          symbol: 'RELIANCE',
          token: null,
          exchange: 'NSE',
          product_type: 'DELIVERY',
          net_quantity: 15,
          average_price: 12400,
          ...unknownMoney,
          realized_pnl: 500,
        },
        { symbol: 'SBIN', token: null, exchange: 'NSE', product_type: 'INTRADAY', net_quantity: 0, average_price: null, ...unknownMoney },
        {
          symbol: 'NIFTY26NOVFUT',
          token: null,
          exchange: 'NFO',
          product_type: 'CARRYFORWARD',
          net_quantity: -75,
          average_price: 26010.05,
          ...unknownMoney,
        },
        {
          symbol: 'NIFTY26NOV26000CE',
          token: null,
          exchange: 'NFO',
          product_type: 'CARRYFORWARD',
          net_quantity: 75,
          average_price: 120,
          ...unknownMoney,
        },
      ],
    },
    orders: { route: 'GET /v1/order/list', data: withIds, empty: listOf('orders', []) },
    tradebook: {
      route: 'GET /v1/order/trades/*',
      data: [...rowsOf('tradebook'), withIds[1]],
      empty: listOf('tradebook', []),
      // The second order's trades cannot be had: its own quantity and average stand for them.
      normalized: [trade, { ...trade, trade_id: 'GMK39038RDT490CCVR1', order_id: 'GMK39038RDT490CCVR1', quantity: 40, price: 249.9 }],
    },
  },
  patched,
  expired: error('expired'),
  order,
  booked: 'GMK39038RDT490CCVR2',
  rules: {
    traded: { NSE: {}, BSE: {}, NFO: {}, BFO: {}, MCX: {}, CDS: {} },
    options: [],
    closed: ['MCX', 'CDS'],
    afterMarket: 'none',
    words: {
      exchange: {
        NSE: { exchange: 'NSE', segment: 'CASH' },
        BSE: { exchange: 'BSE', segment: 'CASH' },
        NFO: { exchange: 'NSE', segment: 'FNO' },
        BFO: { exchange: 'BSE', segment: 'FNO' },
        MCX: {},
        CDS: {},
      },
      ordertype: member('order_type', { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL' }),
      producttype: member('product', { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' }),
      transactiontype: member('transaction_type', { BUY: 'BUY', SELL: 'SELL' }),
      variety: { NORMAL: {}, STOPLOSS: {}, AMO: {} },
    },
    body: (seen) => JSON.parse(seen.body),
  },
  calls: {
    placeOrder: { route: 'POST /v1/order/create', run: (broker) => broker.placeOrder(order, TAG) },
    modifyOrder: {
      route: 'POST /v1/order/modify',
      run: (broker) => broker.modifyOrder({ orderid: 'GMK39038RDT490CCVR2', variety: 'NORMAL', price: '799.5' }),
    },
    cancelOrder: { route: 'POST /v1/order/cancel', run: (broker) => broker.cancelOrder(orderId) },
  },
  accepted: answerOf(placed),
  orderId,
  ambiguous: {
    'a success without an order id': { body: ok({ order_status: 'OPEN' }) },
    'a success with an empty order id': { body: ok({ groww_order_id: '' }) },
    'a success with an order id that is a number': { body: ok({ groww_order_id: 39038490 }) },
    'a success without a payload': { body: { status: 'SUCCESS' } },
    'a success with null': { body: ok(null) },
    'an order id under HTTP 500': { status: 500, body: placed.body },
    'a bad request under HTTP 500': { status: 500, body: refused.symbol?.body },
    GA000: error('internal'),
    GA003: error('unable'),
    'GA000 under HTTP 400': { status: 400, body: refused.internal?.body },
    'GA003 under HTTP 429': { status: 429, body: refused.unable?.body },
    'GA004, when the segment may be wrong': error('notFound'),
    'GA006, which may be about an order that exists': error('cannot'),
    'GA007, which says that an order has the reference': error('duplicate'),
    'a GA code nobody knows': { status: 400, body: { status: 'FAILURE', error: { code: 'GA999', message: 'New' } } },
    'a GA001 that speaks of a time-out': {
      status: 400,
      body: { status: 'FAILURE', error: { code: 'GA001', message: 'Request timed out' } },
    },
    'a failure without a code under HTTP 200': { status: 200, body: { status: 'FAILURE', error: { message: 'No' } } },
    'HTTP 504': error('gateway'),
    'HTTP 404 without a code': { status: 404, body: { message: 'Not found' } },
    'HTTP 409 without a code': { status: 409, body: { message: 'Conflict' } },
    'HTTP 400 that is not JSON': { status: 400, body: '<html>bad request</html>' },
    'HTTP 429 that is not JSON': { status: 429, body: 'slow down' },
  },
  rejections: {
    symbol: { answer: error('symbol'), says: /Invalid trading symbol/ },
    margin: { answer: error('margin'), says: /Insufficient balance/ },
    product: { answer: error('product'), says: /NRML/ },
    price: { answer: error('price'), says: /circuit/ },
    'a failure under HTTP 200': { answer: { status: 200, body: refused.symbol?.body }, says: /Invalid trading symbol/ },
    permission: { answer: error('permission'), says: /not authorised/ },
    'an unregistered address': { answer: error('address'), says: /203\.0\.113\.5/ },
    'an unregistered address under HTTP 401': { answer: error('address401'), says: /203\.0\.113\.5/ },
    rate: { answer: error('rate'), says: /Too many requests/ },
    'rate in an envelope without a code': { answer: error('rateFailure'), says: /Rate limit/ },
    'a bad request without a code': { answer: error('bare400'), says: /Bad request/ },
  },
  stateField: 'order_status',
  states: {
    NEW: 'TRANSIT',
    ACKED: 'TRANSIT',
    APPROVED: 'OPEN',
    OPEN: 'OPEN',
    open: 'OPEN',
    TRIGGER_PENDING: 'TRIGGER_PENDING',
    MODIFICATION_REQUESTED: 'OPEN',
    CANCELLATION_REQUESTED: 'OPEN',
    EXECUTED: 'FILLED',
    DELIVERY_AWAITED: 'FILLED',
    COMPLETED: 'FILLED',
    REJECTED: 'REJECTED',
    FAILED: 'REJECTED',
    CANCELLED: 'CANCELLED',
  },
  badRows: [
    { list: 'orders', patch: { order_status: null }, names: 'order_status' },
    { list: 'orders', patch: { order_status: '' }, names: 'order_status' },
    { list: 'orders', patch: { quantity: null }, names: 'quantity' },
    { list: 'orders', patch: { quantity: 1.5 }, names: 'quantity' },
    { list: 'orders', patch: { filled_quantity: undefined }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: 'ten' }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: -1 }, names: 'filled_quantity' },
    { list: 'orders', patch: { filled_quantity: true }, names: 'filled_quantity' },
    { list: 'orders', patch: { average_fill_price: '1,000' }, names: 'average_fill_price' },
    { list: 'orders', patch: { groww_order_id: 1953341975595868200 }, names: 'groww_order_id' },
    { list: 'orders', patch: { transaction_type: 'X' }, names: 'transaction_type' },
    { list: 'positions', patch: { quantity: null }, names: 'quantity' },
    { list: 'positions', patch: { quantity: '1e3' }, names: 'quantity' },
    { list: 'positions', patch: { quantity: -15 }, names: 'quantity' },
    { list: 'positions', patch: { quantity: 0 }, names: 'quantity' },
    // Bought 75 today out of a short of 150: 75 may be either side.
    {
      list: 'positions',
      patch: {
        quantity: 75,
        credit_quantity: 75,
        debit_quantity: 0,
        carry_forward_credit_quantity: 0,
        carry_forward_debit_quantity: 150,
        net_carry_forward_quantity: null,
      },
      names: 'quantity',
    },
    { list: 'positions', patch: { debit_quantity: undefined }, names: 'debit_quantity' },
    { list: 'positions', patch: { carry_forward_credit_quantity: 'x' }, names: 'carry_forward_credit_quantity' },
    { list: 'positions', patch: { net_price: 'n/a' }, names: 'net_price' },
    { list: 'holdings', patch: { quantity: undefined }, names: 'quantity', name: { exchange: null } },
    { list: 'holdings', patch: { average_price: 'n/a' }, names: 'average_price', name: { exchange: null } },
    { list: 'tradebook', patch: { quantity: null }, names: 'quantity' },
    { list: 'tradebook', patch: { price: null }, names: 'price' },
    { list: 'tradebook', patch: { exchange_trade_id: '' }, names: 'exchange_trade_id' },
  ],
  // The trades are asked for order by order.
  copies: { tradebook: 2 },
  goodRows: [
    {
      list: 'orders',
      patch: { quantity: '100', filled_quantity: '100', average_fill_price: '249.50' },
      row: { quantity: 100, filled_quantity: 100, average_price: 249.5, status: 'FILLED' },
    },
    { list: 'orders', patch: { average_fill_price: null, created_at: null }, row: { average_price: null, placed_at: null } },
    { list: 'orders', patch: { created_at: '2026-11-20T09:42:33' }, row: { placed_at: '2026-11-20T04:12:33.000Z' } },
    { list: 'orders', patch: { created_at: '2026-11-20T09:42:33Z' }, row: { placed_at: null } },
    {
      list: 'orders',
      patch: { order_status: 'OPEN', filled_quantity: 40 },
      row: { state: 'OPEN', status: 'PARTIALLY_FILLED', filled_quantity: 40 },
    },
    {
      list: 'orders',
      patch: { order_status: 'EXECUTED', filled_quantity: 40 },
      row: { state: 'UNKNOWN', status: 'UNKNOWN', filled_quantity: 40 },
    },
    {
      list: 'orders',
      patch: { order_status: 'CANCELLED', filled_quantity: 40, remark: 'by user' },
      row: { state: 'CANCELLED', status: 'CANCELLED', filled_quantity: 40, status_message: 'by user' },
    },
    { list: 'orders', patch: { order_status: 'NEW', amo_status: 'PARKED' }, row: { state: 'OPEN' } },
    { list: 'orders', patch: { order_status: 'NEW', amo_status: 'PENDING' }, row: { state: 'TRANSIT' } },
    { list: 'orders', patch: { order_type: 'SL_M', product: 'CNC' }, row: { order_type: 'SL-M', product_type: 'DELIVERY' } },
    {
      list: 'orders',
      patch: { order_type: 'STOP_LOSS_MARKET', product: 'MARGIN' },
      row: { order_type: 'SL-M', product_type: 'CARRYFORWARD' },
    },
    { list: 'orders', patch: { order_type: 'STOP_LOSS_LIMIT', product: 'INTRADAY' }, row: { order_type: 'SL', product_type: 'INTRADAY' } },
    { list: 'orders', patch: { product: 'MTF', segment: 'OTHER' }, row: { product_type: 'MTF', exchange: 'NSE' } },
    { list: 'orders', patch: { exchange: 'BSE' }, row: { exchange: 'BSE' } },
    { list: 'positions', patch: { quantity: '-5', credit_quantity: 0, net_price: null }, row: { net_quantity: -5, average_price: null } },
    {
      list: 'positions',
      patch: { carry_forward_credit_quantity: null, carry_forward_debit_quantity: undefined },
      row: { net_quantity: 15 },
    },
    {
      list: 'positions',
      patch: { net_carry_forward_quantity: undefined, net_price: undefined },
      row: { net_quantity: 15, average_price: null },
    },
    { list: 'positions', patch: { realised_pnl: undefined }, row: { realized_pnl: null } },
    { list: 'positions', patch: { realised_pnl: '-12.5' }, row: { realized_pnl: -12.5 } },
    // A short position without a sign: what was bought and sold tells it.
    {
      list: 'positions',
      patch: {
        credit_quantity: 0,
        debit_quantity: 15,
        carry_forward_credit_quantity: 0,
        carry_forward_debit_quantity: 0,
        net_carry_forward_quantity: 0,
      },
      row: { net_quantity: -15 },
    },
    {
      list: 'positions',
      patch: {
        credit_quantity: 0,
        debit_quantity: 0,
        carry_forward_credit_quantity: 0,
        carry_forward_debit_quantity: 15,
        net_carry_forward_quantity: undefined,
      },
      row: { net_quantity: -15 },
    },
    {
      list: 'orders',
      patch: { price: undefined, trigger_price: undefined, average_fill_price: undefined },
      row: { price: null, trigger_price: null, average_price: null },
    },
    { list: 'positions', patch: { net_price: 1240000 }, row: { average_price: 12400 } },
    { list: 'positions', patch: { net_price: 12400000 }, row: { average_price: null } },
    { list: 'positions', patch: { trading_symbol: 'NOQUOTE' }, row: { symbol: 'NOQUOTE', average_price: null } },
    { list: 'holdings', patch: { isin: null, average_price: null }, row: { isin: null, average_price: null } },
  ],
  tags: [
    { patch: { order_reference_id: TAG }, tag: TAG },
    { patch: { order_reference_id: null }, tag: null },
    { patch: { order_reference_id: '' }, tag: null },
    { patch: { order_reference_id: undefined }, tag: null },
    { patch: { order_reference_id: 'Ab-654321234-1628190' }, tag: 'Ab-654321234-1628190' },
    { patch: { order_reference_id: 'K3V9C0M2P7Q1X8ZA' }, tag: 'K3V9C0M2P7Q1X8ZA' },
  ],
};
