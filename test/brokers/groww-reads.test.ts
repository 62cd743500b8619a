import { beforeEach, describe, expect, test } from 'vitest';
import { TAG } from './conformance.ts';
import { growwStub } from './groww.stub.ts';
import { body, error, listOf, ok, order, orderId, patched, rowsOf } from './groww.suite.ts';

describe('reads at groww', () => {
  const here = growwStub();
  const place = (change: Partial<typeof order>) => here.broker.placeOrder({ ...order, ...change }, TAG);

  describe('the order book', () => {
    const asked = () => here.stub.calls('GET /v1/order/list').map(({ query }) => `${query.segment} ${query.page} ${query.page_size}`);
    const [first = {}] = rowsOf('orders');
    const many = (count: number, from = 0) =>
      Array.from({ length: count }, (_, index) => ({ ...first, groww_order_id: `G${from + index}` }));
    beforeEach(() => here.broker.connect(null));

    test('in our words', async () => {
      const answer = await here.broker.orders();
      const common = {
        symbol: 'WIPRO',
        token: null,
        exchange: 'NSE',
        transaction_type: 'BUY',
        order_type: 'LIMIT',
        product_type: 'INTRADAY',
        quantity: 100,
        filled_quantity: 0,
        price: 250,
        trigger_price: 0,
        average_price: 0,
        status_message: null,
        tag: null,
        variety: null,
        placed_at: '2026-11-20T04:12:33.000Z',
      };
      const done = { filled_quantity: 100, average_price: 249.5, status: 'FILLED', state: 'FILLED', tag: TAG };
      const partial = { filled_quantity: 40, average_price: 249.9, status: 'PARTIALLY_FILLED', state: 'OPEN', tag: 'Ab-654321234-1628190' };
      const stop = { symbol: 'SBIN', quantity: 10, transaction_type: 'SELL', order_type: 'SL', price: 800, trigger_price: 800.5 };
      const rejected = { symbol: 'RELIANCE', quantity: 10, order_type: 'MARKET', product_type: 'DELIVERY', price: 0 };
      const parked = { symbol: 'NIFTY26NOVFUT', exchange: 'NFO', quantity: 75, product_type: 'CARRYFORWARD', price: 26010.05 };
      expect(answer.success && answer.normalized).toEqual([
        { ...common, order_id: orderId, ...done },
        { ...common, order_id: 'GMK39038RDT490CCVR1', ...partial },
        { ...common, order_id: 'GMK39038RDT490CCVR2', ...stop, status: 'PLACED', state: 'TRIGGER_PENDING' },
        {
          ...common,
          order_id: 'GMK39038RDT490CCVR3',
          ...rejected,
          status: 'REJECTED',
          state: 'REJECTED',
          status_message: 'Insufficient balance',
        },
        { ...common, order_id: 'GMK39038RDT490CCVR4', ...parked, status: 'PLACED', state: 'OPEN', tag: 'handmade-1' },
      ]);
    });
    test('is asked for by segment, one page each', async () => {
      await here.broker.orders();
      expect(asked()).toEqual(['CASH 0 100', 'FNO 0 100', 'COMMODITY 0 100']);
    });
    test('asks only for segments the account has', async () => {
      here.stub.on('GET /v1/user/detail', { body: ok({ ucc: '924189', active_segments: ['CASH'] }) });
      await here.broker.connect(null);
      await here.broker.orders();
      expect(asked()).toEqual(['CASH 0 100']);
    });
    test.each([[['CURRENCY']], [[]], [null]])('with active segments %j asks for shares and their contracts', async (active_segments) => {
      here.stub.on('GET /v1/user/detail', { body: ok({ ucc: '924189', active_segments }) });
      await here.broker.connect(null);
      await here.broker.orders();
      expect(asked().length).toBe(2);
    });
    test('is unread when one segment is', async () => {
      here.stub.on('GET /v1/order/list', ({ query }) => (query.segment === 'FNO' ? error('unable') : { body: body('orders') }));
      expect(await here.broker.orders()).toMatchObject({ success: false });
    });
    test('counts no order twice when Groww ignores the segment', async () => {
      here.stub.on('GET /v1/order/list', { body: body('orders') });
      const answer = await here.broker.orders();
      expect(answer.success && answer.normalized.length).toBe(5);
    });
    test.each([
      [100, 250],
      [25, 70],
      [50, 100],
    ])('is read to its end when a page holds %i', async (most, count) => {
      here.stub.on('GET /v1/order/list', ({ query }) => {
        const from = Number(query.page) * most;
        return { body: listOf('orders', query.segment === 'CASH' ? many(count).slice(from, from + most) : []) };
      });
      const answer = await here.broker.orders();
      expect(answer.success && new Set(answer.normalized.map((row) => row.order_id)).size).toBe(count);
    });
    test('counts no order twice when a new one moves the pages', async () => {
      here.stub.on('GET /v1/order/list', ({ query }) => {
        const page = query.page === '0' ? many(100) : many(50, 99);
        return { body: listOf('orders', query.segment === 'CASH' ? page : []) };
      });
      const answer = await here.broker.orders();
      expect(answer.success && answer.normalized.length).toBe(149);
      expect(answer.success && answer.data.length).toBe(149);
    });
    test('asks for smaller pages when 100 is refused', async () => {
      here.stub.on('GET /v1/order/list', ({ query }) => {
        if (query.page_size === '100') return error('bare400');
        const from = Number(query.page) * 25;
        return { body: listOf('orders', query.segment === 'CASH' ? many(30).slice(from, from + 25) : []) };
      });
      const answer = await here.broker.orders();
      expect(answer.success && answer.normalized.length).toBe(30);
    });
    test('is unread when a page comes twice or a later page fails', async () => {
      here.stub.on('GET /v1/order/list', { body: listOf('orders', many(100)) });
      expect(await here.broker.orders()).toMatchObject({ success: false, message: expect.stringContaining('twice') });
      here.stub.on('GET /v1/order/list', ({ query }) => (query.page === '1' ? error('rate') : { body: listOf('orders', many(100)) }));
      expect(await here.broker.orders()).toMatchObject({ success: false, message: 'Too many requests' });
    });
  });

  describe('an order by its reference', () => {
    const asked = () =>
      here.stub.calls('GET /v1/order/status/reference/*').map(({ path, query }) => [path.split('/').at(-1), query.segment]);
    const status = { body: body('status') };
    beforeEach(() => here.broker.connect(null));

    test('is found in its own segment and read whole', async () => {
      here.stub.on('GET /v1/order/status/reference/*', status);
      await place({ exchange: 'NFO', producttype: 'CARRYFORWARD', tradingsymbol: 'NIFTY26NOVFUT' });
      const found = await here.broker.ordersByTag?.(TAG);
      expect(found).toMatchObject({ success: true, data: [{ order_id: orderId }], normalized: [{ order_id: orderId, tag: TAG }] });
      expect(asked()).toEqual([[TAG, 'FNO']]);
      expect(here.stub.calls(`GET /v1/order/detail/${orderId}`).map((seen) => seen.query)).toEqual([{ segment: 'FNO' }]);
    });
    test('is looked for in both segments when its own is not known', async () => {
      here.stub.on('GET /v1/order/status/reference/*', ({ query }) => (query.segment === 'FNO' ? status : error('notFound')));
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: true, normalized: [{ tag: TAG }] });
      expect(asked()).toEqual([
        [TAG, 'CASH'],
        [TAG, 'FNO'],
      ]);
    });
    test('is absent when no segment has it', async () => {
      here.stub.on('GET /v1/order/status/reference/*', error('notFound'));
      expect(await here.broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['unable', 'permission', 'cannot', 'rate'])('is not absent after %s', async (name) => {
      here.stub.on('GET /v1/order/status/reference/*', error(name));
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
    });
    test('is not absent when only the path is unknown, the id unreadable or the detail missing', async () => {
      here.stub.on('GET /v1/order/status/reference/*', { status: 404, body: { message: 'Not found' } });
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
      here.stub.on('GET /v1/order/status/reference/*', { body: ok({ groww_order_id: 5 }) });
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
      here.stub.on('GET /v1/order/status/reference/*', status);
      here.stub.on('GET /v1/order/detail/*', error('notFound'));
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
    });
  });

  describe('rows that are asked for by segment', () => {
    const bare = ({ segment: _, ...row }: Record<string, unknown>) => row;
    const [order0 = {}] = rowsOf('orders');
    const [position0 = {}] = rowsOf('positions');
    const [trade0 = {}] = rowsOf('tradebook');
    const gold = { trading_symbol: 'GOLDM26DECFUT', exchange: 'MCX', segment: 'COMMODITY', product: 'NRML' };
    /** The rows of one segment alone. */
    const only = (list: 'orders' | 'positions', segment: string, ...rows: unknown[]) =>
      here.stub.on(list === 'orders' ? 'GET /v1/order/list' : 'GET /v1/positions/user', ({ query }) => ({
        body: listOf(list, query.segment === segment ? rows : []),
      }));
    beforeEach(() => here.broker.connect(null));

    test('need not name it', async () => {
      only('orders', 'FNO', bare(order0), { ...order0, groww_order_id: 'G2', segment: null });
      expect(await here.broker.orders()).toMatchObject({ normalized: [{ exchange: 'NFO' }, { exchange: 'NFO', order_id: 'G2' }] });
      only('positions', 'CASH', bare(position0));
      expect(await here.broker.positions()).toMatchObject({ normalized: [{ exchange: 'NSE', net_quantity: 15 }] });
      only('orders', 'FNO', { ...order0, segment: 'FNO' });
      here.stub.on('GET /v1/order/trades/*', { body: listOf('tradebook', [bare(trade0)]) });
      expect(await here.broker.tradebook?.()).toMatchObject({ normalized: [{ exchange: 'NFO', quantity: 100 }] });
      here.stub.on('GET /v1/order/status/reference/*', ({ query }) =>
        query.segment === 'FNO' ? { body: body('status') } : error('notFound'),
      );
      here.stub.on('GET /v1/order/detail/*', { body: ok(bare(order0)) });
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ normalized: [{ exchange: 'NFO' }] });
    });
    test('are not counted twice when they name none and come with each', async () => {
      here.stub.on('GET /v1/positions/user', { body: listOf('positions', [bare(position0)]) });
      expect(await here.broker.positions()).toMatchObject({
        normalized: [],
        unreadable: [{ reason: expect.stringContaining('segment'), symbol: 'RELIANCE' }, {}, {}],
      });
    });
    test('are MCX’s too, at a price that is not told', async () => {
      only('positions', 'COMMODITY', { ...position0, ...gold });
      only('orders', 'COMMODITY', { ...order0, ...gold });
      expect(await here.broker.orders()).toMatchObject({ normalized: [{ exchange: 'MCX', symbol: 'GOLDM26DECFUT' }] });
      const answer = await here.broker.positions();
      expect(answer).toMatchObject({ normalized: [{ exchange: 'MCX', net_quantity: 15, average_price: null, realized_pnl: 500 }] });
      await here.broker.cancelOrder(orderId);
      expect(here.jsonOf('POST /v1/order/cancel')).toMatchObject({ segment: 'COMMODITY' });
    });
    test('are those of the others where Groww refuses to read MCX, and none where it cannot', async () => {
      const commodities = (name: string) =>
        here.stub.on('GET /v1/order/list', ({ query }) =>
          query.segment === 'COMMODITY' ? error(name) : { body: listOf('orders', query.segment === 'CASH' ? [order0] : []) },
        );
      commodities('permission');
      for (const _ of [1, 2]) expect(await here.broker.orders()).toMatchObject({ success: true, normalized: [{ order_id: orderId }] });
      expect(here.made.logged.filter((line) => line.includes('commodities'))).toHaveLength(1);
      for (const name of ['unable', 'rate', 'expired']) {
        commodities(name);
        expect(await here.broker.orders(), name).toMatchObject({ success: false });
      }
    });
  });

  describe('prices of positions', () => {
    const asked = () => here.stub.calls('GET /v1/live-data/ltp').map((seen) => seen.query);
    beforeEach(() => here.broker.connect(null));

    test('are held against the last price, asked once a symbol', async () => {
      await here.broker.positions();
      await here.broker.positions();
      expect(asked()).toEqual([
        { segment: 'CASH', exchange_symbols: 'NSE_RELIANCE' },
        { segment: 'FNO', exchange_symbols: 'NSE_NIFTY26NOVFUT,NSE_NIFTY26NOV26000CE' },
      ]);
    });
    test.each([
      [125.5, 120],
      [13, 120],
      [11.5, null],
      [1_250, null],
    ])('of an option that trades at %d are %s', async (last, average) => {
      here.stub.on('GET /v1/live-data/ltp', { body: ok({ NSE_NIFTY26NOV26000CE: last }) });
      const answer = await here.broker.positions();
      expect(answer.success && answer.normalized.at(-1)).toMatchObject({ symbol: 'NIFTY26NOV26000CE', average_price: average });
    });
    test('stay unknown when there is no quote, and the positions are told all the same', async () => {
      here.stub.on('GET /v1/live-data/ltp', error('rate'));
      const answer = await here.broker.positions();
      expect(answer.success && answer.normalized.map((row) => [row.net_quantity, row.average_price])).toEqual([
        [15, null],
        [0, null],
        [-75, null],
        [75, null],
      ]);
    });
  });

  describe('the trade book', () => {
    beforeEach(() => here.broker.connect(null));
    test('asks only for orders with fills, and once for those that are done', async () => {
      await here.broker.tradebook?.();
      await here.broker.tradebook?.();
      const ids = here.stub.calls('GET /v1/order/trades/*').map((seen) => seen.path.split('/').at(-1));
      expect(ids).toEqual([orderId, 'GMK39038RDT490CCVR1', 'GMK39038RDT490CCVR1']);
      expect(here.stub.calls('GET /v1/order/trades/*')[0]?.query).toEqual({ segment: 'CASH', page: '0', page_size: '50' });
    });
    test('without the trades and without an average price is a failure', async () => {
      here.stub.on('GET /v1/order/list', ({ query }) => ({
        body: query.segment === 'CASH' ? patched('orders', { average_fill_price: 0 }) : listOf('orders', []),
      }));
      here.stub.on('GET /v1/order/trades/*', error('notFound'));
      expect(await here.broker.tradebook?.()).toMatchObject({ success: false, message: expect.stringContaining(orderId) });
    });
    test('is unread when the order book is', async () => {
      here.stub.on('GET /v1/order/list', error('unable'));
      expect(await here.broker.tradebook?.()).toMatchObject({ success: false });
    });
  });
});
