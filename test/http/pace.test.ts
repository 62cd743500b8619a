import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { order, rawRequest, sendRaw, serve } from './stand-in.ts';

const BURST = 2000;
const PER_SECOND = 400;

it('one token calls 400 times a second after a burst; what ends an exposure is never kept waiting', async () => {
  let now = 0;
  const served = await serve({ clock: { ...systemClock, mono: () => now } });
  onTestFinished(() => served.close());
  const call = rawRequest('GET /broker/kill-switch');
  /** So many calls on one connection, one behind the other; how many were answered with 200. */
  const allowed = async (calls: number) => {
    const answers = await sendRaw(served.port, call.replace('Connection: close\r\n', '').repeat(calls - 1) + call);
    return [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].filter(([, status]) => status === '200').length;
  };
  expect(await allowed(BURST + 50)).toBe(BURST);
  const refused = await served.call('/broker/kill-switch');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({ success: false, message: expect.stringContaining('nothing was done') });
  const leaving = {
    '/broker/orders/cancel': { order_id: '1' },
    '/broker/kill-switch': { on: true },
    '/broker/exits': { all: true },
    '/broker/orders/place': { ...order, reduce_only: true },
  };
  for (const [path, body] of Object.entries(leaving)) expect((await served.call(path, { method: 'POST', body })).status, path).toBe(200);
  expect((await served.call('/broker/orders/place', { method: 'POST', body: order })).status).toBe(429);
  now += 1000;
  expect(await allowed(PER_SECOND + 50)).toBe(PER_SECOND);
}, 60_000);
