import { describe, expect, test } from 'vitest';
import { conformance, TAG } from './conformance.ts';
import { dhanStub } from './dhan.stub.ts';
import { client, error, nifty, orderId, patched, recorded, rows, sbin, suite } from './dhan.suite.ts';
import type { LoginFacts } from './login-cases.ts';

/** Dhan's logins that need no PIN: a stored one, or the token of the settings. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: { route: 'GET /profile', good: recorded('profile'), tokenOf: ({ headers }) => String(headers['access-token']) },
  fresh: 'todays-token-4e5f',
  refused: { 'a dead token': error('expired'), 'an invalid token': error('invalidToken') },
  down: error('network'),
  makers: [],
};

describe('dhan, as every broker', () => conformance(suite, logins));

describe('reading from dhan', () => {
  const here = dhanStub();

  test('sends token and client on every call', async () => {
    await here.broker.connect(null);
    await here.broker.orders();
    await here.place({});
    expect(here.stub.seen.map((seen) => seen.headers['access-token'])).toEqual(Array(4).fill('todays-token-4e5f'));
    expect(here.stub.seen.every((seen) => seen.headers['client-id'] === client)).toBe(true);
    expect(here.stub.calls('POST /orders')[0]?.headers['content-type']).toBe('application/json');
  });

  test('an "Invalid Token" under HTTP 400 ends the session, any other 400 does not', async () => {
    await here.broker.connect(null);
    here.stub.on('GET /positions', error('order'));
    expect(await here.broker.positions()).toMatchObject({ success: false });
    expect(here.made.expired).toEqual([]);
    here.stub.on('POST /orders', error('invalidToken'));
    expect(await here.place({})).toMatchObject({ fate: 'rejected' });
    expect(here.made.expired).toEqual(['Invalid Token (DH-906)']);
  });

  test('logging out forgets the token and asks nobody', async () => {
    await here.broker.connect(null);
    expect(await here.broker.logout()).toMatchObject({ success: true });
    await here.broker.positions();
    expect(here.stub.seen.map((seen) => seen.path)).toEqual(['/profile', '/positions']);
    expect(here.stub.seen.at(-1)?.headers['access-token']).toBe('');
  });

  test('the error of an account without holdings is an empty list, and only there', async () => {
    here.stub.on('GET /holdings', recorded('noHoldings'));
    expect(await here.broker.holdings()).toEqual({ success: true, data: [], normalized: [] });
    expect(here.stub.calls('GET /holdings').length).toBe(1);
    here.stub.on('GET /holdings', error('internal'));
    expect(await here.broker.holdings()).toMatchObject({ success: false });
    here.stub.on('GET /positions', recorded('noHoldings'));
    expect(await here.broker.positions()).toMatchObject({ success: false });
  });

  const placedAt = '2026-11-20T04:12:33.000Z';
  test('orders in our words', async () => {
    const answer = await here.broker.orders();
    const common = {
      ...sbin,
      transaction_type: 'BUY',
      order_type: 'LIMIT',
      product_type: 'INTRADAY',
      quantity: 10,
      filled_quantity: 0,
      price: 812.35,
      trigger_price: 0,
      average_price: 0,
      status: 'PLACED',
      status_message: null,
      tag: null,
      variety: null,
      placed_at: placedAt,
    };
    expect(answer.success && answer.normalized).toEqual([
      { ...common, order_id: orderId, filled_quantity: 10, average_price: 811.2, status: 'FILLED', state: 'FILLED', tag: TAG },
      {
        ...common,
        order_id: '112611200002',
        filled_quantity: 4,
        average_price: 812.3,
        status: 'PARTIALLY_FILLED',
        state: 'OPEN',
        tag: 'handmade',
      },
      {
        ...common,
        order_id: '112611200003',
        transaction_type: 'SELL',
        order_type: 'SL',
        price: 800,
        trigger_price: 800.5,
        state: 'OPEN',
      },
      {
        ...common,
        order_id: '112611200004',
        order_type: 'MARKET',
        product_type: 'DELIVERY',
        price: 0,
        status: 'REJECTED',
        state: 'REJECTED',
        status_message: 'RMS:112611200004:Order Price needs to be Circuit Limits of 2915.70 to 3563.50',
      },
      { ...common, ...nifty, order_id: '112611200005', product_type: 'CARRYFORWARD', quantity: 75, price: 26010.05, state: 'TRANSIT' },
    ]);
  });

  test('trades in our words', async () => {
    const answer = await here.broker.tradebook?.();
    const [first] = answer?.success ? answer.normalized : [];
    expect(first).toEqual({
      trade_id: '10000001',
      order_id: orderId,
      ...sbin,
      transaction_type: 'BUY',
      product_type: 'INTRADAY',
      quantity: 10,
      price: 811.2,
      traded_at: '2026-11-20T04:12:34.000Z',
    });
  });

  describe('the average of a fill', () => {
    const [, partly = {}] = rows('orders');
    const average = async (patch: Record<string, unknown>) => {
      here.stub.on('GET /orders', { body: [{ ...partly, ...patch }] });
      const answer = await here.broker.orders();
      return answer.success ? answer.normalized[0]?.average_price : answer.message;
    };
    test('is made of the trades while the order is partly filled, also after a cancel', async () => {
      expect(await average({ averageTradedPrice: 999 })).toBe(812.3);
      expect(await average({ averageTradedPrice: 999, orderStatus: 'CANCELLED' })).toBe(812.3);
    });
    test('is not made of trades that do not add up', async () => {
      expect(await average({ filledQty: 5 })).toBe(null);
      expect(await average({ filledQty: 5, averageTradedPrice: 812.1 })).toBe(812.1);
    });
    test('stays unsaid when the trades cannot be read', async () => {
      here.stub.on('GET /trades', error('network'));
      expect(await average({})).toBe(null);
    });
    test('is Dhan’s own once all is filled, without a second read', async () => {
      expect(await average({ filledQty: 10, orderStatus: 'TRADED', averageTradedPrice: 812.2 })).toBe(812.2);
      expect(here.stub.calls('GET /trades')).toEqual([]);
    });
  });

  describe('the look-up by tag', () => {
    const route = `GET /orders/external/${TAG}`;
    const [first] = patched('orders', {});
    const found = { success: true, data: [{ ...first, order_id: orderId }], normalized: [expect.objectContaining({ tag: TAG })] };
    test.each([
      ['a list', [first]],
      ['one object', first],
    ])('reads %s', async (_what, body) => {
      here.stub.on(route, { body });
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject(found);
    });
    test('shows every order with the tag', async () => {
      here.stub.on(route, { body: [first, { ...first, orderId: '112611200009' }] });
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ normalized: [{ order_id: orderId }, { order_id: '112611200009' }] });
    });
    test('is empty when Dhan knows none', async () => {
      here.stub.on(route, error('notFoundByTag'));
      expect(await here.broker.ordersByTag?.(TAG)).toEqual({ success: true, data: [], normalized: [] });
    });
    test.each(['noRoute', 'order', 'internal', 'rate'])('never takes %s for none', async (name) => {
      here.stub.on(route, error(name));
      expect(await here.broker.ordersByTag?.(TAG)).toMatchObject({ success: false });
    });
  });
});
