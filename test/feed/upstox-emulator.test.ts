import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type Started, startPractice } from '../exchange/started.ts';

/** The doors of the Upstox emulator's sockets. */

let here: Started;
beforeAll(async () => {
  here = await startPractice();
});
afterAll(() => here.close());

const entries = ['/v3/feed/market-data-feed', '/v2/feed/portfolio-stream-feed'];
const living = { authorization: 'Bearer practice-upstox-access-token' };

/** The answer to a handshake: 101, or the status and where it leads. */
function knock(url: string, headers: Record<string, string> = {}): Promise<{ status: number; location: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers });
    const told = (status: number, { headers: { location = '' } }: Pick<IncomingMessage, 'headers'>) => {
      socket.on('error', () => undefined);
      socket.terminate();
      resolve({ status, location });
    };
    socket.once('open', () => told(101, { headers: {} }));
    socket.once('unexpected-response', (_request, response) => told(response.statusCode ?? 0, response));
    socket.once('error', reject);
  });
}

test.each(entries)('%s leads a living token to an address that works once', async (entry) => {
  const { feed = '' } = here.urls.upstox ?? {};
  const { status, location } = await knock(`${feed}${entry}?update_types=order`, living);
  expect([status, new URL(location).origin]).toEqual([302, feed]);
  expect(new URL(location).searchParams.get('update_types')).toBe('order');
  expect(await knock(location)).toMatchObject({ status: 101 });
  expect(await knock(location)).toMatchObject({ status: 403 });
  expect(await knock(`${feed}${entry}`, { authorization: 'Bearer nobody' })).toMatchObject({ status: 401 });
});

test('the address can be asked for over HTTP, and is good for its own socket alone', async () => {
  const { api = '' } = here.urls.upstox ?? {};
  const [market = '', portfolio = ''] = await Promise.all(
    entries.map(async (entry) => {
      const answer = await fetch(`${api}${entry}/authorize`, { headers: living });
      return z.object({ data: z.object({ authorized_redirect_uri: z.string() }) }).parse(await answer.json()).data.authorized_redirect_uri;
    }),
  );
  expect(await knock(`${market.split('?')[0]}?${portfolio.split('?')[1]}`)).toMatchObject({ status: 403 });
  expect(await knock(market)).toMatchObject({ status: 101 });
  expect((await fetch(`${api}${entries[0]}/authorize`)).status).toBe(401);
});

test('requests are JSON in bytes; what is dropped is no longer told', async () => {
  const entry = await knock(`${here.urls.upstox?.feed}${entries[0]}`, living);
  const socket = new WebSocket(entry.location);
  const frames: Buffer[] = [];
  socket.on('message', (data) => frames.push(data as Buffer));
  const told = (key: string, since = 0) => frames.slice(since).filter((frame) => frame.includes(key)).length;
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await new Promise((resolve) => socket.once('open', resolve));
  const ask = (method: string, instrumentKeys: string[]) => JSON.stringify({ guid: '1', method, data: { instrumentKeys, mode: 'ltpc' } });
  socket.send(ask('sub', ['NSE_EQ|INE009A01021']));
  socket.send(Buffer.from(ask('sub', ['NSE_EQ|INE062A01020', 'NSE_FO|47001'])));
  await until(() => told('NSE_EQ|INE062A01020') > 1);
  socket.send(Buffer.from(ask('unsub', ['NSE_EQ|INE062A01020'])));
  await new Promise((resolve) => socket.once('pong', resolve).ping());
  const since = frames.length;
  here.exchange.setPrice('NSE', 'SBIN', '800');
  here.exchange.setPrice('NFO', 'NIFTY26DECFUT', '26000');
  await until(() => told('NSE_FO|47001', since) > 0);
  expect([told('NSE_EQ|INE062A01020', since), told('NSE_EQ|INE009A01021')]).toEqual([0, 0]);
  socket.terminate();
});

test('the portfolio stream tells orders, positions and holdings to whom asked for them', async () => {
  const heard = async (types: string) => {
    const { location } = await knock(`${here.urls.upstox?.feed}${entries[1]}?update_types=${types}`, living);
    const said: Record<string, unknown>[] = [];
    const socket = new WebSocket(location);
    socket.on('message', (data) => said.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    return { said, socket };
  };
  const [all, some] = [await heard('order%2Cposition%2Cholding'), await heard('position')];
  here.exchange.setPrice('NSE', 'SBIN', '800');
  const order = { exchange: 'NSE', symbol: 'SBIN', side: 'SELL', orderType: 'MARKET', product: 'DELIVERY', quantity: 20 } as const;
  here.exchange.placeByHand('upstox', order);
  const ofType = (type: string) => all.said.filter(({ update_type }) => update_type === type);
  await expect.poll(() => ofType('holding').length, { timeout: 5000 }).toBe(1);
  expect(ofType('order').at(-1)).toMatchObject({ status: 'complete', filled_quantity: 20 });
  expect(ofType('position')).toMatchObject([{ instrument_token: 'NSE_EQ|INE062A01020', product: 'D', quantity: -20, sell_price: 799.95 }]);
  expect(ofType('holding')).toMatchObject([{ instrument_token: 'NSE_EQ|INE062A01020', quantity: 50, cnc_used_quantity: 20 }]);
  here.exchange.placeByHand('upstox', { ...order, side: 'BUY', product: 'INTRADAY' });
  await expect
    .poll(() => some.said, { timeout: 5000 })
    .toMatchObject([
      { update_type: 'position', product: 'D', quantity: -20 },
      { update_type: 'position', product: 'I', quantity: 20, average_price: null },
    ]);
  expect(ofType('holding')).toHaveLength(1);
  for (const { socket } of [all, some]) socket.terminate();
});
