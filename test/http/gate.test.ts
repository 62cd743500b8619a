import { afterEach, expect, it } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { createGate } from '../../server/http/gate.ts';
import { type Served, serve, TOKEN } from './stand-in.ts';

let served: Served;
afterEach(() => served?.close());

function handClock(): Clock & { pass(ms: number): void } {
  let time = 1_000_000;
  return {
    now: () => time,
    mono: () => time,
    sleep: async () => undefined,
    pass: (ms) => {
      time += ms;
    },
  };
}

const profile = (authorization?: string) =>
  fetch(`${served.url}/broker/profile`, authorization === undefined ? {} : { headers: { authorization } });

it('asks for a bearer token before it looks at the request', async () => {
  served = await serve();
  for (const header of [undefined, '', 'Bearer', `Basic ${TOKEN}`, TOKEN, `Bearer ${TOKEN} x`, `Bearer ${TOKEN}x`]) {
    const answer = await profile(header);
    expect([header, answer.status, answer.headers.get('www-authenticate')]).toEqual([header, 401, 'Bearer']);
    expect(await answer.json()).toEqual({ success: false, message: 'Not authenticated' });
  }
  for (const header of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `BEARER  ${TOKEN} `]) expect((await profile(header)).status).toBe(200);
  const bad = { method: 'POST', body: '{broken', headers: { 'content-type': 'text/plain' } };
  expect((await fetch(`${served.url}/broker/orders/place`, bad)).status).toBe(401);
  expect((await fetch(`${served.url}/broker/orders/%zz`)).status).toBe(401);
});

it('needs no user for the root, the document, the docs and the supported brokers', async () => {
  served = await serve();
  for (const path of ['/', '/openapi.json', '/docs', '/broker/supported']) {
    for (const headers of [{}, { authorization: 'Bearer wrong' }]) expect((await fetch(served.url + path, { headers })).status).toBe(200);
  }
});

it('refuses the eleventh wrong token of a minute and serves the right one all along', async () => {
  const clock = handClock();
  served = await serve({ clock });
  for (let n = 0; n < 30; n += 1) expect((await profile()).status).toBe(401);
  for (let n = 0; n < 10; n += 1) {
    expect((await profile(`Bearer wrong-${n}`)).status).toBe(401);
    clock.pass(1000);
  }
  const refused = await profile('Bearer wrong');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '50']);
  expect(await refused.json()).toEqual({ success: false, message: 'Too many wrong tokens; try again in 50 s' });
  expect((await profile(`Bearer ${TOKEN}`)).status).toBe(200);
  expect((await profile()).status).toBe(401);
  clock.pass(50_000);
  expect((await profile('Bearer wrong')).status).toBe(401);
  expect((await profile('Bearer wrong')).status).toBe(429);
});

it('counts each address by itself and forgets the longest quiet of too many', async () => {
  const gate = createGate({ authenticate: async () => null }, handClock());
  const attempt = (address: string) =>
    gate({ headers: { authorization: 'Bearer wrong' }, socket: { remoteAddress: address } } as never).catch((error) => error.status);
  for (let n = 0; n < 10; n += 1) expect(await attempt('first')).toBe(401);
  expect(await attempt('first')).toBe(429);
  expect(await attempt('second')).toBe(401);
  for (let n = 0; n < 10_000; n += 1) await attempt(`address ${n}`);
  expect(await attempt('first')).toBe(401);
});

it('says that nobody can be looked up while the user table is away, and shows nothing of why', async () => {
  const gate = createGate({ authenticate: () => Promise.reject(new Error('connection refused')) }, handClock());
  const refused = await gate({ headers: { authorization: `Bearer ${TOKEN}` }, socket: {} } as never).catch((error) => error);
  expect(refused).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
    cause: expect.objectContaining({ message: 'connection refused' }),
  });
  expect(refused.body).toEqual({ success: false, message: 'Users cannot be looked up right now; nothing was done' });
});
