import dns from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Api } from '../../server/brokers/aliceblue/api.ts';
import { openOwnSocket } from '../../server/brokers/aliceblue/own-socket.ts';
import type { Channel } from '../../server/brokers/feed.ts';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createInstrumentList } from '../../server/brokers/groww/instruments.ts';
import { createHttp } from '../../server/brokers/http.ts';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { ReconnectingSocket } from '../../server/feed/reconnecting-socket.ts';
import { silentLog } from '../../server/log.ts';
import { envFor } from './stub-server.ts';

/** A name of a broker that has an address of either kind, the newer one first; a server listens on both where this machine has both. */
const NAME = 'both.broker.test';
const ADDRESSES = [
  { address: '::1', family: 6 },
  { address: '127.0.0.1', family: 4 },
];
const [clock, log] = [systemClock, silentLog()];
let port = 0;
let dialled: string[] = [];
let families: unknown[] = [];
let servers: Server[] = [];

beforeEach(async () => {
  [dialled, families, servers] = [[], [], []];
  port = await listenOn('127.0.0.1', 0);
  await listenOn('::1', port).catch(() => undefined);
  vi.spyOn(dns, 'lookup').mockImplementation(((
    _name: string,
    options: { family?: number; all?: boolean },
    told: (...of: unknown[]) => void,
  ) => {
    families.push(options.family);
    const known = ADDRESSES.filter(({ family }) => !options.family || family === options.family);
    queueMicrotask(() => (options.all ? told(null, known) : told(null, known[0]?.address, known[0]?.family)));
  }) as never);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

async function listenOn(address: string, wanted: number): Promise<number> {
  const server = createServer((_request, response) => response.end('exchange,segment,trading_symbol,exchange_token,series\n'));
  const sockets = new WebSocketServer({ server });
  sockets.on('error', () => undefined);
  sockets.on('connection', (socket) => socket.on('message', () => socket.close()));
  server.on('connection', () => dialled.push(address));
  await new Promise<void>((done, failed) => server.once('error', failed).listen(wanted, address, done));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

async function ofCalls(): Promise<void> {
  const http = createHttp({ origin: `http://${NAME}:${port}`, clock, log });
  await http.call({ method: 'GET', path: '/x', mutating: false });
  await http.close();
}

async function ofTheList(): Promise<void> {
  const { env } = envFor(groww, `http://${NAME}:${port}`, {});
  await createInstrumentList(env).load();
}

async function ofTheFeed(): Promise<void> {
  const up = Promise.withResolvers<void>();
  const talk = { hello: [], awaitsReady: false, subscribe: () => [], unsubscribe: () => [], decode: () => undefined };
  const channel: Channel = {
    name: 'prices',
    prices: true,
    orders: false,
    silenceMs: 8000,
    mostInstruments: 1,
    key: () => null,
    open: async () => ({ url: `ws://${NAME}:${port}/`, localAddress: undefined, talk }),
  };
  const silent = () => undefined;
  const hears = { price: silent, order: silent, down: silent, refused: silent, trading: () => false, up: up.resolve };
  const socket = new ReconnectingSocket({ channel, broker: 'x', clock, random: seededRandom(1), log, ...hears });
  socket.start();
  await up.promise;
  await socket.stop();
}

async function ofAliceBluesOwn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { env } = envFor(groww, '', {});
  openOwnSocket({
    env: { ...env, feedUrl: `ws://${NAME}:${port}/` },
    api: { login: () => ({ account: 'ZT0001', token: 'todays-token' }) } as unknown as Api,
    openSession: async () => undefined,
    up: () => undefined,
    frame: () => undefined,
    over: resolve,
  });
  await promise;
}

test.each([
  ['calls', ofCalls],
  ["Groww's list", ofTheList],
  ['the live feed', ofTheFeed],
  ["Alice Blue's own socket", ofAliceBluesOwn],
])('%s: a name with addresses of both kinds is dialled over IPv4 alone', async (_what, dial) => {
  await dial();
  expect(dialled).toEqual(['127.0.0.1']);
  expect(families).toEqual([4]);
});
