import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { serveControl } from '../../server/exchange/wire/control.ts';
import { silentLog } from '../../server/log.ts';
import { startPractice } from './started.ts';

const options = { seed: 1, limits: false, clock: systemClock, log: silentLog() };

/** Ten ports in a row that are free now, below those the system hands out by itself. */
async function freeBase(): Promise<number> {
  for (let base = 20_000 + (process.pid % 1000) * 11; ; base += 11) {
    const probe = await startExchange({ ...options, ports: base }).catch(() => null);
    await probe?.close();
    if (probe) return base;
  }
}

test('broker n answers on base + n, and a taken port is an error that leaves nothing behind', async () => {
  const base = await freeBase();
  const zerodha = base + 10;
  const taken = createServer().listen(zerodha, '127.0.0.1');
  await once(taken, 'listening');
  await expect(startExchange({ ...options, ports: base })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await new Promise((resolve) => taken.close(resolve));
  const based = await startExchange({ ...options, ports: base });
  expect(based.urls.zerodha).toEqual({
    api: `http://127.0.0.1:${zerodha}`,
    login: `http://127.0.0.1:${zerodha}/connect/login`,
    feed: `ws://127.0.0.1:${zerodha}`,
    master: `http://127.0.0.1:${zerodha}`,
  });
  await based.close();
});

test('practice credentials sign in', async () => {
  const here = await startPractice();
  const { API_KEY, ACCESS_TOKEN } = practiceCredentials('zerodha');
  const answer = await fetch(`${here.api}/user/profile`, { headers: { authorization: `token ${API_KEY}:${ACCESS_TOKEN}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json');
  await here.close();
});

test('limits: the eleventh order of a second is refused, and a refused one does not count', async () => {
  const here = await startPractice({ limits: true });
  const statuses = await Promise.all(Array.from({ length: 12 }, () => here.place().then((answer) => answer.status)));
  expect(statuses.toSorted()).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  expect(here.exchange.ledger().orders).toHaveLength(10);
  expect(here.exchange.ledger().placingRequests.zerodha).toBe(12);
  await here.close();
});

test('unknown paths, odd slashes and web sockets', async () => {
  const here = await startPractice();
  expect((await here.call('GET', '/nowhere')).status).toBe(404);
  expect((await here.call('GET', '//user//profile')).status).toBe(200);
  const upgrade = await fetch(here.api, { headers: { connection: 'upgrade', upgrade: 'websocket' } }).catch(() => null);
  expect(upgrade?.status ?? 404).toBe(404);
  await here.close();
});

test('the control port', async () => {
  const here = await startPractice();
  const control = await serveControl(here, 0);
  const { port } = control;
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  expect((await call('POST', '/price', { exchange: 'NSE', symbol: 'SBIN', price: '801' })).status).toBe(200);
  const byHand = { exchange: 'NSE', symbol: 'SBIN', side: 'BUY', orderType: 'MARKET', product: 'INTRADAY', quantity: 10 };
  expect((await call('POST', '/by-hand', { broker: 'zerodha', order: byHand })).body).toMatchObject({ ok: true });
  expect((await call('GET', '/ledger')).body).toMatchObject({ orders: [{ byHand: true, average: '801.05' }] });
  expect((await call('POST', '/faults', { kind: 'rateLimited' })).body).toMatchObject({ struck: 0 });
  expect((await here.call('GET', '/orders')).status).toBe(429);
  expect((await call('GET', '/faults')).body).toMatchObject([{ struck: 1 }]);
  expect((await call('DELETE', '/faults')).body).toEqual([]);
  expect(await call('POST', '/faults', { kind: 'nonsense' })).toMatchObject({ status: 400 });
  expect(await call('POST', '/price', { exchange: 'NSE', symbol: 'NOSUCH', price: '1' })).toMatchObject({ status: 400 });
  expect((await call('POST', '/switches', { broker: 'kotak', name: 'oldPositions', on: true })).body).toMatchObject({
    kotak: { oldPositions: true },
  });
  expect((await call('GET', '/switches')).body).toMatchObject({ kotak: { oldPositions: true, marketOrdersFar: false } });
  expect(await call('POST', '/switches', { broker: 'kotak', name: 'nosuch', on: true })).toMatchObject({ status: 400 });
  expect((await call('GET', '/nowhere')).status).toBe(404);
  const fromPage = await fetch(`http://127.0.0.1:${port}/ledger`, { headers: { origin: 'http://example.com' } });
  expect(fromPage.status).toBe(403);
  await control.close();
  await here.close();
});
