import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { PlaceReply } from '../../server/orders/answer.ts';
import { order, rawRequest, type Served, sendRaw, serve } from './stand-in.ts';

const SIZE = 32 * 1024 * 1024;
const body = JSON.stringify(order);
const request = rawRequest('POST /broker/orders/place', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) + body;
const keptAlive = request.replace('Connection: close\r\n', '');

let served: Served;
afterEach(() => served.close());

/** A gateway whose place answers wait for `answer`; what became of each, and which requests are over. */
async function start(data: unknown = null, answerOf: (reply: PlaceReply) => PlaceReply = (reply) => reply) {
  const delivered: number[] = [];
  const over: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void over.push(String(chunk))) });
  let calls = 0;
  served = await serve({
    log: pino({ level: 'debug' }, stream),
    gateway: {
      async place() {
        calls += 1;
        const call = calls;
        await new Promise<void>((resolve) => waiting.push(resolve));
        const reply = { status: 200, headers: {}, body: { success: false as const, message: 'told', data } };
        return answerOf({ ...reply, delivered: () => delivered.push(call) });
      },
    },
  });
  return {
    delivered,
    waiting,
    /** Requests whose connection or answer has come to its end. */
    over: () => over.filter((line) => line.includes('"msg":"request"')).length,
    failures: () => over.filter((line) => line.includes('"level":50')),
  };
}

/** A socket with the place request written to it. */
async function ask(text: string): Promise<Socket> {
  const socket = connect({ port: served.port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const until = (holds: () => boolean) => expect.poll(holds, { timeout: 10_000, interval: 5 }).toBe(true);

it.each([
  ['on a connection that ends', request],
  ['on one that is kept', keptAlive],
])('is told once of an answer that was written whole, %s', async (_, text) => {
  const { delivered, waiting } = await start();
  const socket = await ask(text);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await until(() => waiting.length === 1);
  expect(delivered).toEqual([]);
  waiting[0]?.();
  await until(() => answer.endsWith('}') && delivered.length > 0);
  socket.destroy();
  expect(await sendRaw(served.port, rawRequest('GET /broker/profile'))).toMatch(/^HTTP\/1.1 200 /);
  expect(delivered).toEqual([1]);
});

it.each([
  ['closes', (socket: Socket) => socket.destroy()],
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
])('is never told of an answer whose caller %s the connection before it', async (_, hangUp) => {
  const { delivered, waiting, over } = await start();
  const socket = await ask(request);
  await until(() => waiting.length === 1);
  hangUp(socket);
  await until(() => over() === 1);
  waiting[0]?.();
  const second = await ask(request);
  await until(() => waiting.length === 2);
  waiting[1]?.();
  await until(() => delivered.length > 0);
  second.destroy();
  expect(delivered).toEqual([2]);
});

it('is never told of an answer that breaks off in its middle', async () => {
  const { delivered, waiting, over } = await start('x'.repeat(SIZE));
  const socket = await ask(request);
  await until(() => waiting.length === 1);
  waiting[0]?.();
  // Its first bytes are here, and the rest does not fit into any buffer.
  await once(socket, 'data');
  socket.pause();
  socket.resetAndDestroy();
  await until(() => over() === 1);
  expect(await sendRaw(served.port, rawRequest('GET /broker/profile'))).toMatch(/^HTTP\/1.1 200 /);
  expect(delivered).toEqual([]);
});

it('is never told of an answer that could not be said', async () => {
  const { delivered, waiting } = await start(1n);
  const socket = await ask(request);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await until(() => waiting.length === 1);
  waiting[0]?.();
  await once(socket, 'close');
  expect(answer).toMatch(/^HTTP\/1.1 500 /);
  expect(delivered).toEqual([]);
});

it('does no harm when noting it fails', async () => {
  const { waiting, failures } = await start(null, (reply) => ({
    ...reply,
    delivered: () => {
      throw new Error('the note failed');
    },
  }));
  const answer = sendRaw(served.port, request);
  await until(() => waiting.length === 1);
  waiting[0]?.();
  expect(await answer).toMatch(/^HTTP\/1.1 200 /);
  await until(() => failures().some((line) => line.includes('the note failed')));
});
