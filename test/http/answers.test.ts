import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { readBytes } from '../../server/http/body.ts';
import type { PlaceReply } from '../../server/orders/answer.ts';
import { order, rawRequest, sendRaw, serve, TOKEN } from './stand-in.ts';

const place = { method: 'POST', body: order };

it('answers a replay with the bytes of the first answer', async () => {
  const first: PlaceReply = {
    status: 200,
    headers: {},
    body: {
      success: true,
      zeta: [1, { b: 2, a: 1 }],
      order_id: '1',
      fill_status: 'FILLED',
      filled_quantity: 10,
      avg_fill_price: 812.35,
      data: { '10': 'x', text: '₹ "quoted" \u2028', nested: { z: null, a: -0 } },
      alpha: 'after',
    },
  };
  let calls = 0;
  const served = await serve({
    gateway: {
      place: async () => {
        calls += 1;
        // The store keeps text: a replayed body has been through JSON.
        return calls === 1
          ? first
          : { ...first, headers: { 'Idempotency-Replayed': 'true' }, body: JSON.parse(JSON.stringify(first.body)) };
      },
    },
  });
  const answers = [];
  for (let n = 0; n < 5; n += 1) answers.push(await served.call('/broker/orders/place', place));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  await served.close();
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] ?? '')).toEqual(JSON.parse(JSON.stringify(first.body)));
  expect(answers.map((answer) => answer.headers.get('idempotency-replayed'))).toEqual([null, 'true', 'true', 'true', 'true']);
});

it('passes status and headers of the place reply on, and the replay-only question in', async () => {
  const asked: boolean[] = [];
  const served = await serve({
    gateway: {
      place: async (_request, { replayOnly }) => {
        asked.push(replayOnly);
        return { status: 409, headers: { 'Retry-After': '2' }, body: { success: false, message: 'Still running' } };
      },
    },
  });
  const answer = await served.call('/broker/orders/place', { ...place, headers: { 'idempotency-replay-only': 'true' } });
  await served.call('/broker/orders/place', place);
  await served.close();
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
    409,
    '2',
    { success: false, message: 'Still running' },
  ]);
  expect(asked).toEqual([true, false]);
});

it('reads the replay-only header strictly: who sends it does not mean to place an order', async () => {
  const asked: boolean[] = [];
  const served = await serve({
    gateway: {
      place: async (_request, { replayOnly }) => {
        asked.push(replayOnly);
        return { status: 200, headers: {}, body: { success: false, message: 'asked' } };
      },
    },
  });
  const send = async (...values: string[]) => {
    const body = JSON.stringify(order);
    const lines = values.map((value) => `Idempotency-Replay-Only:${value}\r\n`).join('');
    const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n${lines}`;
    return await sendRaw(served.port, rawRequest('POST /broker/orders/place', head) + body);
  };
  for (const value of ['true', ' TRUE', 'True ', '\t tRuE \t']) expect(await send(value)).toMatch(/^HTTP\/1.1 200 /);
  expect(asked).toEqual([true, true, true, true]);
  const message = 'must be true, once; without this header it is sent';
  const refused = {
    success: false,
    message: `Idempotency-Replay-Only: ${message}`,
    issues: [{ path: 'Idempotency-Replay-Only', message }],
  };
  for (const values of [
    [''],
    [' '],
    ['false'],
    ['1'],
    ['yes'],
    ['on'],
    ['true, true'],
    ['true', 'true'],
    ['true', ''],
    ['"true"'],
    ['tru\u00e9'],
  ]) {
    const answer = await send(...values);
    expect([values, answer.slice(0, 12), answer.slice(answer.indexOf('\r\n\r\n') + 4)]).toEqual([
      values,
      'HTTP/1.1 422',
      JSON.stringify(refused),
    ]);
  }
  expect(asked).toHaveLength(4);
  // It says something of placing alone.
  const headers = { 'idempotency-replay-only': 'yes' };
  expect((await served.call('/broker/profile', { headers })).status).toBe(200);
  await served.close();
});

it('shows nothing of an inner error and logs it', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }));
  const served = await serve({
    log,
    gateway: {
      profile: async () => {
        throw new Error('the inner secret');
      },
      // An answer that breaks the contract is an inner error too.
      funds: async () => ({ success: 'maybe' }) as never,
      place: async () => ({ status: 200, headers: {}, body: { success: true, data: 1n } }) as never,
    },
  });
  for (const [path, options] of [
    ['/broker/profile', {}],
    ['/broker/funds', {}],
    ['/broker/orders/place', place],
  ] as const) {
    const answer = await served.call(path, options);
    expect([path, answer.status, await answer.json()]).toEqual([path, 500, { success: false, message: 'Internal error' }]);
  }
  await served.call('/broker/connect?broker=dhan&pin=swordfish', { method: 'POST' });
  await served.close();
  const text = lines.join('');
  expect(text).toContain('the inner secret');
  expect(text).toContain('"path":"/broker/connect","status":422');
  for (const secret of [TOKEN, 'swordfish', 'SBIN']) expect(text).not.toContain(secret);
});

it('runs an operation to its end when the client hangs up', async () => {
  let finished = false;
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const served = await serve({
    gateway: {
      profile: async () => {
        started.resolve();
        await new Promise((resolve) => setTimeout(resolve, 50));
        finished = true;
        ended.resolve();
        return { success: true, data: {} };
      },
    },
  });
  const controller = new AbortController();
  const call = fetch(`${served.url}/broker/profile`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: controller.signal });
  await started.promise;
  controller.abort();
  await expect(call).rejects.toThrow();
  await ended.promise;
  await served.close();
  expect(finished).toBe(true);
});

it('does not take a body that breaks off for an error of its own', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'info' }, new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }));
  const served = await serve({ log });
  const socket = connect(served.port, '127.0.0.1');
  socket.write(rawRequest('POST /broker/orders/place', 'Content-Type: application/json\r\nContent-Length: 50\r\n').concat('{"sym'));
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.destroy();
  await once(socket, 'close');
  expect(await sendRaw(served.port, rawRequest('GET /broker/profile'))).toMatch(/^HTTP\/1.1 200 /);
  await served.close();
  expect(lines).toEqual([]);
});

it('does not wait for a body whose sender is gone', async () => {
  const read = Promise.withResolvers<unknown>();
  const server = createServer((req) => readBytes(req).then(read.resolve, read.resolve)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"sym');
  await once(server, 'request');
  socket.destroy();
  expect(await read.promise).toBeInstanceOf(Error);
  server.close();
});
