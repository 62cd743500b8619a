import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { CallError, type CallRequest, createHttp, type Http, type Reply } from '../../server/brokers/http.ts';
import { readJson } from '../../server/brokers/parse.ts';
import { type Reading, sentFrom } from '../../server/brokers/send-once.ts';
import { type Signal, systemClock } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function clientOf(origin: string, speed = 1, localAddress?: string): Http {
  const clock = { ...systemClock, sleep: (ms: number, signal?: Signal) => systemClock.sleep(ms / speed, signal) };
  const http = createHttp({ origin, localAddress, clock, log: silentLog() });
  closers.push(() => http.close());
  return http;
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

/** A TCP server that counts whole requests and lets the test handle each on its socket. */
async function rawServer(handle: (socket: Socket, count: number, request: string) => void) {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < head + 4 + length) return;
      requests.push(text);
      const whole = text;
      text = '';
      handle(socket, requests.length, whole);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, sockets };
}

const get: CallRequest = { method: 'GET', path: '/x', mutating: false };
const mutations: CallRequest[] = (['POST', 'PUT', 'DELETE', 'GET'] as const).map((method) => ({
  method,
  path: '/x',
  mutating: true,
  ...(method === 'POST' || method === 'PUT' ? { form: { a: '1' } } : {}),
}));

async function failureOf(call: Promise<Reply>): Promise<CallError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CallError)) throw new Error(`expected a CallError, got ${error}`);
  return error;
}

describe('a mutating call is sent once', () => {
  test.each(mutations)('$method on a kept-alive socket that is reset after the request was read', async (request) => {
    const server = await rawServer((socket, count) => (count === 1 ? socket.write(OK) : socket.resetAndDestroy()));
    const http = clientOf(server.origin);
    await http.call(get);
    expect(await failureOf(http.call(request))).toMatchObject({ sent: true });
    expect(server.requests.length).toBe(2);
    expect(server.sockets.size).toBe(1);
  });

  test.each(mutations)('$method on a kept-alive socket that is closed after the request was read', async (request) => {
    const server = await rawServer((socket, count) => (count === 1 ? socket.write(OK) : socket.end()));
    const http = clientOf(server.origin);
    await http.call(get);
    expect(await failureOf(http.call(request))).toMatchObject({ sent: true });
    expect(server.requests.length).toBe(2);
  });

  test.each(mutations)('$method goes to a new socket when the idle one was closed', async (request) => {
    const server = await rawServer((socket, count) => {
      socket.write(OK);
      if (count === 1) socket.end();
    });
    const http = clientOf(server.origin);
    await http.call(get);
    await new Promise((done) => setTimeout(done, 30));
    expect(await http.call(request)).toMatchObject({ status: 200 });
    expect(server.requests.length).toBe(2);
    expect(server.sockets.size).toBe(2);
  });

  test.each(mutations)('$method on a first socket that is reset', async (request) => {
    const server = await rawServer((socket) => socket.resetAndDestroy());
    expect(await failureOf(clientOf(server.origin).call(request))).toMatchObject({ sent: true });
    expect(server.requests.length).toBe(1);
  });

  test('racing an idle close, each request arrives once at most and is never reported as not sent', async () => {
    const server = await rawServer((socket) => {
      socket.write(OK);
      setTimeout(() => socket.end(), 3);
    });
    const http = clientOf(server.origin);
    let answered = 0;
    let lost = 0;
    for (let round = 0; round < 60; round++) {
      const result = await http
        .call({ method: 'POST', path: `/o${round}`, form: { n: String(round) }, mutating: true })
        .catch((error) => error);
      if (result instanceof CallError) {
        expect(result.sent).toBe(true);
        lost++;
      } else answered++;
      await new Promise((done) => setTimeout(done, 2 + (round % 3)));
    }
    const lines = server.requests.map((text) => text.split('\r\n')[0]);
    expect(new Set(lines).size).toBe(lines.length);
    expect(answered + lost).toBe(60);
    expect(lines.length).toBeGreaterThanOrEqual(answered);
  });

  test('many at once arrive once each', async () => {
    const server = await rawServer((socket, count) => (count % 5 === 0 ? socket.resetAndDestroy() : socket.write(OK)));
    const http = clientOf(server.origin);
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, n) => http.call({ method: 'GET', path: `/o${n}`, mutating: true })),
    );
    const lines = server.requests.map((text) => text.split('\r\n')[0]);
    expect(lines.length).toBe(40);
    expect(new Set(lines).size).toBe(40);
    expect(results.filter((result) => result.status === 'rejected').length).toBe(8);
  });

  test('after the time is up', async () => {
    const server = await rawServer(() => undefined);
    const failure = await failureOf(clientOf(server.origin, 50).call({ method: 'POST', path: '/x', mutating: true }));
    expect(failure).toMatchObject({ sent: true, message: expect.stringMatching(/^No answer from 127\.0\.0\.1:\d+ within 7 s$/) });
    expect(server.requests.length).toBe(1);
  });
});

describe('a read', () => {
  test('is repeated once when its socket dies', async () => {
    const server = await rawServer((socket, count) => (count === 2 ? socket.resetAndDestroy() : socket.write(OK)));
    const http = clientOf(server.origin);
    await http.call(get);
    expect(await http.call(get)).toMatchObject({ status: 200 });
    expect(server.requests.length).toBe(3);
  });
  test('is not repeated twice', async () => {
    const server = await rawServer((socket) => socket.resetAndDestroy());
    expect(await failureOf(clientOf(server.origin).call(get))).toMatchObject({ sent: true });
    expect(server.requests.length).toBe(2);
  });
  test('keeps its socket for the next call', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const http = clientOf(server.origin);
    for (let n = 0; n < 3; n++) await http.call(get);
    expect(server.sockets.size).toBe(1);
  });
});

describe('nothing was sent', () => {
  test('to a closed port', async () => {
    const server = await rawServer(() => undefined);
    const origin = server.origin;
    for (const close of closers.splice(0)) await close();
    const failure = await failureOf(clientOf(origin).call({ method: 'POST', path: '/x?token=hush', mutating: true }));
    expect(failure).toMatchObject({ sent: false, message: expect.stringContaining('ECONNREFUSED') });
  });
  test('to a name that does not exist', async () => {
    expect(await failureOf(clientOf('http://gateway-test.invalid').call({ ...get, mutating: true }))).toMatchObject({ sent: false });
  });
  test('to a server that does not speak TLS', async () => {
    const plain = createServer((socket) => socket.on('error', () => undefined).end('not tls'));
    await new Promise<void>((done) => plain.listen(0, '127.0.0.1', done));
    closers.push(() => void plain.close());
    const failure = await failureOf(
      clientOf(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`).call({ ...get, mutating: true }),
    );
    expect(failure.sent).toBe(false);
  });
  test('to a server that never finishes the TLS handshake', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    closers.push(() => void silent.close());
    const failure = await failureOf(
      clientOf(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`).call({ ...get, mutating: true }),
    );
    expect(failure).toMatchObject({ sent: false, message: expect.stringContaining('UND_ERR_CONNECT_TIMEOUT') });
  });
  test('when its time was over before there was a connection, not even then', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    // After an immediate come timers, and sockets only then; nothing else runs meanwhile.
    await new Promise((done) => setImmediate(done));
    const failed = failureOf(clientOf(server.origin).call({ ...get, mutating: true, timeoutMs: 1 }));
    const until = performance.now() + 20;
    while (performance.now() < until);
    expect(await failed).toMatchObject({ sent: true, message: expect.stringContaining('No answer') });
    await new Promise((done) => setTimeout(done, 100));
    expect(server.requests).toEqual([]);
  });
  test('after close', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const http = clientOf(server.origin);
    await http.close();
    expect(await failureOf(http.call(get))).toMatchObject({ sent: false });
    expect(server.requests).toEqual([]);
  });
});

describe('an answer', () => {
  test('is UTF-8, in whatever pieces it comes, and a byte order mark is none of it', async () => {
    const body = Buffer.from('\ufeff{"name":"₹ रुपया"}');
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
      for (const [index, byte] of body.entries()) setTimeout(() => socket.write(Buffer.of(byte)), index * 2);
    });
    expect((await clientOf(server.origin).call(get)).json()).toEqual({ name: '₹ रुपया' });
  });
  test('of more than 10 MB is refused', async () => {
    const server = createHttpServer((_request, response) => response.end(Buffer.alloc(11 * 1024 * 1024, 'x')));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    closers.push(() => void server.close());
    const failure = await failureOf(clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).call(get));
    expect(failure).toMatchObject({ sent: true, message: expect.stringContaining('UND_ERR_RES_EXCEEDED_MAX_SIZE') });
  });
  test('that redirects is given back, not followed', async () => {
    const server = await rawServer((socket) => socket.write('HTTP/1.1 307 X\r\nlocation: /y\r\ncontent-length: 0\r\n\r\n'));
    expect(await clientOf(server.origin).call({ method: 'POST', path: '/x', form: { a: '1' }, mutating: true })).toMatchObject({
      status: 307,
      headers: { location: '/y' },
      text: '',
    });
    expect(server.requests.length).toBe(1);
  });
  test('tells the clock offset from its Date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const server = await rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\ndate: ${date}\r\ncontent-length: 0\r\n\r\n`));
    const reply = await clientOf(server.origin).call(get);
    expect(reply.clockOffsetMs).toBeGreaterThan(-32_000);
    expect(reply.clockOffsetMs).toBeLessThan(-28_000);
  });
});

describe('a request', () => {
  test('carries prefix, query, form and JSON', async () => {
    const server = await rawServer((socket) => socket.write(OK));
    const http = clientOf(`${server.origin}/v2/`);
    await http.call({ ...get, query: { i: 'NSE:M&M' } });
    await http.call({ method: 'POST', path: '/f', form: { price: '1.5', tag: 'a b' }, mutating: true });
    await http.call({ method: 'PUT', path: '/j', json: { quantity: 1 }, headers: { 'x-key': 'k' }, mutating: true });
    const [query = '', form = '', json = ''] = server.requests;
    expect(query).toMatch(/^GET \/v2\/x\?i=NSE%3AM%26M HTTP/);
    expect(form).toMatch(/content-type: application\/x-www-form-urlencoded[\s\S]*\r\n\r\nprice=1.5&tag=a\+b$/);
    expect(json).toMatch(/x-key: k[\s\S]*content-type: application\/json|content-type: application\/json[\s\S]*x-key: k/);
    expect(json).toMatch(/\r\n\r\n\{"quantity":1\}$/);
  });
  test('leaves from the given address', async () => {
    const from: (string | undefined)[] = [];
    const server = await rawServer((socket) => {
      from.push(socket.remoteAddress);
      socket.write(OK);
    });
    await clientOf(server.origin, 1, '127.0.0.9').call(get);
    expect(from).toEqual(['127.0.0.9']);
  });
});

describe('the fate of a send', () => {
  const reply = (status: number, text = '{}'): Reply => ({ status, headers: {}, text, json: () => readJson(text) });
  const reading = (given: Partial<Reading>): Reading => ({ orderId: '', refused: false, ...given });
  test.each<[string, Reply | CallError, Reading | null, string]>([
    ['never connected', new CallError(false, 'no'), null, 'not_sent'],
    ['lost', new CallError(true, 'lost'), null, 'unknown'],
    ['2xx with an id', reply(200), reading({ orderId: '1' }), 'accepted'],
    ['2xx without an id', reply(200), reading({}), 'unknown'],
    ['2xx unreadable', reply(200), null, 'unknown'],
    ['2xx with a definite refusal', reply(200), reading({ refused: true, message: 'no margin' }), 'rejected'],
    ['a refusal that names an order', reply(200), reading({ refused: true, orderId: '1' }), 'unknown'],
    ['3xx', reply(302), reading({ refused: true }), 'unknown'],
    ['3xx with an id', reply(302), reading({ orderId: '1' }), 'unknown'],
    ['4xx definite', reply(400), reading({ refused: true, message: 'no margin' }), 'rejected'],
    ['4xx not in the table', reply(409), reading({ message: 'conflict' }), 'unknown'],
    ['4xx with an id', reply(400), reading({ orderId: '1' }), 'unknown'],
    ['5xx', reply(500), reading({ refused: true, message: 'no margin' }), 'unknown'],
    ...[
      'Order timed out',
      'Request timeout',
      'time-out',
      'Please confirm before placing again',
      'check the order book',
      'see orderbook',
      'It may have been placed',
    ].map((text): [string, Reply, Reading, string] => [
      `a refusal that says "${text}"`,
      reply(400),
      reading({ refused: true, message: text }),
      'unknown',
    ]),
    ['doubt elsewhere in the body', reply(400, '{"detail":"timed out"}'), reading({ refused: true, message: 'failed' }), 'unknown'],
  ])('%s', (_what, outcome, given, fate) => {
    expect(sentFrom(outcome, () => given).fate).toBe(fate);
  });
});
