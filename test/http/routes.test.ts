import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../contract/index.ts';
import { order, rawRequest, type Served, sendRaw, serve } from './stand-in.ts';

let served: Served;
beforeAll(async () => {
  served = await serve();
});
afterAll(() => served.close());

const bodies = new Map<string, object>([
  ['POST /broker/orders/place', order],
  ['POST /broker/orders/modify', { order_id: '1' }],
  ['POST /broker/orders/cancel', { order_id: '1' }],
  ['POST /broker/margin', order],
  ['POST /broker/kill-switch', { on: true }],
  ['POST /broker/exits', { all: true }],
  ['POST /broker/users', { name: 'desk' }],
  ['POST /broker/users/revoke', { name: 'desk' }],
  ['POST /broker/login', { broker: 'zerodha' }],
  ['POST /broker/login/finish', { state: 'a'.repeat(43), callback: 'request_token=x' }],
]);

describe('paths and methods', () => {
  it('serves the root without a user', async () => {
    const answer = await fetch(`${served.url}/`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      name: 'Broker Gateway',
      mode: 'practice',
      broker: 'zerodha',
      status: 'ready',
      position_guard: 'on',
    });
  });

  it.each([
    '/metrics',
    '/broker',
    '/broker/',
    '/broker/profile/',
    '/Broker/profile',
    '/broker/Profile',
    '//broker/profile',
    '/broker//profile',
    '/broker/%70rofile',
    '/broker/orders/',
    '/broker/orders/a/b',
    '/broker/test/',
    '/docs/',
    '/docs/index.html',
    '/openapi.json/',
    '/__proto__',
  ])('knows nothing of %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await sendRaw(served.port, rawRequest(`${method} ${path}`));
      expect(answer).toMatch(/^HTTP\/1.1 404 /);
      expect(answer).toContain('{"success":false,"message":"Not found"}');
    }
  });

  it.each(['.', '..', '%2e', '.%2E', '%2e%2e'])('takes the dot segment %s for no order', async (segment) => {
    expect(await sendRaw(served.port, rawRequest(`GET /broker/orders/${segment}`))).toMatch(/^HTTP\/1.1 404 /);
  });

  it.each([
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['PUT', '/openapi.json', 'GET, HEAD'],
    ['POST', '/broker/profile', 'GET, HEAD'],
    ['OPTIONS', '/broker/profile', 'GET, HEAD'],
    ['GET', '/broker/connect', 'POST'],
    ['HEAD', '/broker/connect', 'POST'],
    ['GET', '/broker/test', 'POST'],
    ['GET', '/broker/test/zerodha', 'POST'],
    ['POST', '/broker/orders', 'GET, HEAD'],
    ['POST', '/broker/orders/7', 'GET, HEAD'],
    ['DELETE', '/broker/orders/place', 'POST'],
    ['GET', '/broker/orders/place', 'POST'],
    ['PUT', '/broker/kill-switch', 'GET, HEAD, POST'],
  ])('%s %s is 405 and names the right methods', async (method, path, allow) => {
    const answer = await fetch(served.url + path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    if (method !== 'HEAD') expect(await answer.json()).toEqual({ success: false, message: 'Method not allowed' });
  });

  it('answers every operation of the contract', async () => {
    for (const route of Object.values(contract)) {
      const quotes = route === contract.getQuotes ? '?instruments=NSE:SBIN' : '';
      const body = bodies.get(`${route.method} ${route.path}`);
      const names = 'broker' in route.input.shape && !body ? '?broker=zerodha' : quotes;
      const path = route.path.replace(/\{\w+\}/g, 'zerodha') + names;
      const answer = await served.call(path, { method: route.method, body });
      expect([route.path, answer.status]).toEqual([route.path, 200]);
      expect(answer.headers.get('content-type')).toBe('application/json');
    }
  });

  it('serves HEAD as GET without a body', async () => {
    for (const path of ['/', '/docs', '/openapi.json', '/broker/profile', '/broker/supported', '/broker/orders/7']) {
      const answer = await sendRaw(served.port, rawRequest(`HEAD ${path}`));
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer.endsWith('\r\n\r\n')).toBe(true);
    }
  });

  it('reads an absolute request target and a hostile Host header', async () => {
    expect(await sendRaw(served.port, rawRequest('GET http://gateway.example/broker/profile'))).toMatch(/^HTTP\/1.1 200 /);
    const hostile = rawRequest('GET /broker/profile').replace('Host: x', 'Host: a b<>');
    expect(await sendRaw(served.port, hostile)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('path parameters', () => {
  it.each([
    ['7', '7'],
    ['a%2Fb', 'a/b'],
    ['%E2%82%B9', '₹'],
    ['%70lace', 'place'],
    ['a+b', 'a+b'],
    ['a%20b', 'a b'],
    ['%2525', '%25'],
    ['a\\b', 'a\\b'],
    ['$&', '$&'],
    ['x?', 'x'],
  ])('decodes %s once', async (encoded, decoded) => {
    const answer = await sendRaw(served.port, rawRequest(`GET /broker/orders/${encoded}`));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({ success: true, data: { order_id: decoded } });
  });

  it.each(['%', '%E2%82', '%zz', '%ff'])('refuses the malformed %s', async (encoded) => {
    const answer = await sendRaw(served.port, rawRequest(`GET /broker/orders/${encoded}`));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('{"success":false,"message":"order_id: malformed percent-encoding"}');
  });

  it('refuses control characters, by name', async () => {
    const answer = await served.call('/broker/orders/a%00b');
    expect([answer.status, await answer.json()]).toEqual([
      422,
      expect.objectContaining({ issues: [expect.objectContaining({ path: 'order_id' })] }),
    ]);
  });

  it('bounds their length', async () => {
    expect((await served.call(`/broker/orders/${'1'.repeat(200)}`)).status).toBe(200);
    expect((await served.call(`/broker/orders/${'1'.repeat(201)}`)).status).toBe(422);
    // By the text and not by its percent-encoded form, which is up to nine times as long.
    expect((await served.call(`/broker/orders/${encodeURIComponent('₹'.repeat(200))}`)).status).toBe(200);
    expect((await served.call(`/broker/instruments/${encodeURIComponent('₹'.repeat(20))}/x`)).status).toBe(200);
    expect((await served.call(`/broker/instruments/${encodeURIComponent('₹'.repeat(21))}/x`)).status).toBe(422);
  });

  it('reaches the tested broker', async () => {
    expect(await (await served.call('/broker/test/no%20such', { method: 'POST' })).json()).toMatchObject({ broker: 'no such' });
  });
});

describe('what every answer carries', () => {
  it('has helmet headers, no trace of express and no caching', async () => {
    for (const path of ['/broker/profile', '/broker/supported', '/metrics']) {
      const { headers } = await served.call(path);
      expect(headers.get('x-powered-by')).toBeNull();
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });
});
