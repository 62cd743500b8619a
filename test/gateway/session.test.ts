import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerIds } from '../../contract/words.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const NOT_CONNECTED = { success: false, message: 'Broker Not Connected' };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

describe('root and undefined paths', () => {
  it('answers GET / with 200 and no secrets', async () => {
    const answer = await gateway.call('GET', '/');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      name: 'Broker Gateway',
      mode: 'practice',
      broker: 'zerodha',
      status: 'ready',
      position_guard: 'on',
    });
  });
  it.each([
    ['POST', '/', 405],
    ['GET', '/metrics', 404],
    ['GET', '/broker', 404],
    ['GET', '/broker/profile/', 404],
    ['GET', '/Broker/profile', 404],
    ['DELETE', '/broker/profile', 405],
    ['GET', '/broker/connect', 405],
  ])('%s %s is %i', async (method, path, status) => {
    const answer = await gateway.call(method, path);
    expect(answer.status).toBe(status);
    expect(answer.body.success).toBe(false);
  });
});

describe('supported brokers', () => {
  it('lists ten identifiers without a user', async () => {
    const response = await fetch(`${gateway.url}/broker/supported`);
    expect(await response.json()).toEqual({ success: true, brokers: [...brokerIds], count: 10 });
  });
});

describe('the connected account', () => {
  it.each(['profile', 'funds', 'holdings', 'positions', 'orders', 'tradebook'])(
    'GET /broker/%s passes the broker answer through',
    async (path) => {
      const { status, body } = await gateway.call('GET', `/broker/${path}`);
      expect(status).toBe(200);
      expect(body.success).toBe(true);
      expect(body.data).toBeDefined();
    },
  );
  it('answers an order id the broker does not list', async () => {
    const { body } = await gateway.call('GET', '/broker/orders/no%2Fsuch%20order');
    expect(body).toEqual({ success: false, message: 'Order no/such order not found' });
  });
  it('takes the route place for what it is, as OpenAPI has it, and not for an order of that id', async () => {
    expect(await gateway.call('GET', '/broker/orders/place')).toMatchObject({ status: 405, body: { message: 'Method not allowed' } });
  });
  it('tests the active session: five tests', async () => {
    const { body } = await gateway.call('POST', '/broker/test');
    expect(Object.keys(body.tests)).toEqual(['profile', 'funds', 'holdings', 'positions', 'orders']);
    expect(body).toMatchObject({ broker: 'zerodha', passed: 5, failed: 0, total: 5, status: 'PASSED' });
    expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(body.tests.profile).toMatchObject({ status: 'PASS', data: { success: true } });
    expect(body.tests.profile.latency_ms).toBe(Math.round(body.tests.profile.latency_ms * 10) / 10);
  });
  it('tests a broker by name: connect and five more', async () => {
    const { body } = await gateway.call('POST', '/broker/test/zerodha');
    expect(Object.keys(body.tests)).toEqual(['connect', 'profile', 'funds', 'holdings', 'positions', 'orders']);
    expect(body).toMatchObject({ passed: 6, failed: 0, total: 6, status: 'PASSED' });
    expect(JSON.stringify(body)).not.toContain('access_token');
  });
  it('reports a broker that cannot be instantiated', async () => {
    const { body } = await gateway.call('POST', '/broker/test/nosuch');
    expect(body).toMatchObject({
      broker: 'nosuch',
      tests: {},
      passed: 0,
      failed: 0,
      total: 0,
      status: 'FAILED',
      error: 'Unknown broker: nosuch',
    });
    expect(body.hint).toBe(`Supported: ${brokerIds.join(', ')}`);
  });
  it('counts a failing read as PARTIAL and says why', async () => {
    gateway.context.exchange?.faults.plant({ kind: 'status5xxBefore', operation: 'funds', times: 'always' });
    const { body } = await gateway.call('POST', '/broker/test');
    gateway.context.exchange?.faults.clear();
    expect(body).toMatchObject({ passed: 4, failed: 1, total: 5, status: 'PARTIAL' });
    expect(body.tests.funds).toMatchObject({ status: 'FAIL', error: expect.any(String) });
    expect(body.tests.funds.data).toBeUndefined();
  });
  it('answers a failed read with success false', async () => {
    gateway.context.exchange?.faults.plant({ kind: 'status5xxBefore', operation: 'orders', times: 'always' });
    for (const path of ['orders', 'orders/1']) {
      const { status, body } = await gateway.call('GET', `/broker/${path}`);
      expect(status).toBe(200);
      expect(body.success).toBe(false);
      expect(body.message).not.toContain('not found');
    }
    gateway.context.exchange?.faults.clear();
  });
});

describe('connect and disconnect', () => {
  it('keeps the old session when a connect fails', async () => {
    const { body } = await gateway.call('POST', '/broker/connect?broker=nosuch');
    expect(body).toMatchObject({ success: false, message: expect.stringContaining('nosuch') });
    expect((await gateway.call('GET', '/')).body.broker).toBe('zerodha');
  });
  it('needs the broker parameter', async () => {
    const { status, body } = await gateway.call('POST', '/broker/connect');
    expect(status).toBe(422);
    expect(body.issues[0].path).toBe('broker');
  });
  it('disconnects, answers every operation as not connected, and connects again', async () => {
    expect((await gateway.call('POST', '/broker/disconnect')).body).toMatchObject({ success: true, broker: 'zerodha' });
    for (const path of ['profile', 'funds', 'holdings', 'positions', 'orders', 'orders/1', 'tradebook']) {
      expect((await gateway.call('GET', `/broker/${path}`)).body).toEqual(NOT_CONNECTED);
    }
    expect((await gateway.call('POST', '/broker/orders/modify', { order_id: '1', price: 10 })).body).toEqual(NOT_CONNECTED);
    expect((await gateway.call('POST', '/broker/orders/cancel', { order_id: '1' })).body).toEqual(NOT_CONNECTED);
    const test = await gateway.call('POST', '/broker/test');
    expect(test.body).toEqual({ success: false, message: 'No broker connected. Use POST /broker/connect first.' });
    expect((await gateway.call('POST', '/broker/disconnect')).body).toEqual(NOT_CONNECTED);
    expect((await gateway.call('POST', '/broker/connect?broker=zerodha')).body).toMatchObject({ success: true, broker: 'zerodha' });
  });
});
