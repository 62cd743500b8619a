import type { AddressInfo } from 'node:net';
import postgres from 'postgres';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import * as angelone from '../brokers/angelone.suite.ts';
import * as dhan from '../brokers/dhan.suite.ts';
import * as shoonya from '../brokers/shoonya.suite.ts';
import { type Answer, openStub, type StubServer } from '../brokers/stub-server.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

/** A broker that repeats in its refusals what it was sent, in three dialects. `tokens`: what its login gives beside the settings. */
const cases = {
  angelone: {
    ...angelone,
    tokens: ['eyJ-fresh-jwt', 'eyJ-fresh-feed'],
    refusal: (message: string): Answer => ({ body: { status: false, message, errorcode: 'AB1012', data: null } }),
    ask: angelone.route.funds,
    trial: angelone.route.profile,
    send: angelone.route.place,
  },
  shoonya: {
    ...shoonya,
    tokens: [],
    refusal: (emsg: string): Answer => ({ body: { stat: 'Not_Ok', emsg: `Rejected : ${emsg}` } }),
    ask: 'POST /Limits',
    trial: 'POST /UserDetails',
    send: 'POST /PlaceOrder',
  },
  dhan: {
    ...dhan,
    credentials: { ...dhan.credentials, PIN: '583920', TOTP_SECRET: 'KRSX G5CT-MVRX EZLU' },
    tokens: [],
    refusal: (errorMessage: string): Answer => ({
      status: 400,
      body: { errorType: 'Input_Exception', errorCode: 'DH-905', errorMessage },
    }),
    ask: 'GET /fundlimit',
    trial: 'GET /profile',
    send: 'POST /orders',
  },
};

/** The ways a broker may repeat a value. */
const forms = (value: string) => [value, encodeURIComponent(value), Buffer.from(value).toString('base64'), value.toUpperCase()];

let stub: StubServer;
let gateway: TestGateway;
let logged: string[];
afterEach(async () => {
  await gateway.stop();
  await stub.close();
});

async function start(id: keyof typeof cases, env: Record<string, string> = {}): Promise<void> {
  const { healthy, credentials } = cases[id];
  const prefix = `${id.toUpperCase()}_`;
  stub = await openStub();
  logged = [];
  healthy(stub);
  gateway = await startGateway({
    env: {
      GATEWAY_MODE: 'live',
      PRACTICE_LIMITS: 'on',
      POSITION_GUARD: 'off',
      BROKERS: id,
      [`${prefix}API_URL`]: stub.url,
      ...Object.fromEntries(Object.entries(credentials).map(([name, value]) => [prefix + name, value])),
      ...env,
    },
    logTo: (line) => logged.push(line),
  });
}

async function events(): Promise<string> {
  const sql = postgres(adminOptions(gateway.databaseUrl));
  try {
    return JSON.stringify(await sql`select * from tsm_events`);
  } finally {
    await sql.end();
  }
}

describe.each(Object.keys(cases) as (keyof typeof cases)[])('%s', (id) => {
  const { credentials, tokens, refusal, order, ask, trial, send } = cases[id];
  const named = Object.entries(credentials).filter(([name]) => !/^(USER|CLIENT)_ID$/.test(name));
  const secrets = [...named.map(([, value]) => value), ...tokens];
  const echo = refusal(`no, not with ${secrets.flatMap(forms).join(' or ')}, thanks`);

  test('what a refusal repeats of our credentials is hidden from callers, records and the log', async () => {
    await start(id);
    stub.on(ask, echo);
    stub.on(send, echo);
    const { symbol, token, exchange } = order;
    const wanted = {
      symbol,
      token,
      exchange,
      transaction_type: 'BUY',
      order_type: 'LIMIT',
      product_type: 'INTRADAY',
      quantity: 1,
      price: 812,
    };
    const answers = [await gateway.call('GET', '/broker/funds'), await gateway.place(wanted)];
    stub.on(trial, echo);
    answers.push(await gateway.call('POST', `/broker/test/${id}`));
    for (const { text } of answers) expect(text).toMatch(/no, not with (\[hidden\] or )+\[hidden\], thanks/);
    expect(stub.calls(send).length).toBe(1);
    const kept = await events();
    expect(kept).toContain('thanks');
    const everything = [...answers.map(({ text }) => text), kept, ...logged].join('\n').toLowerCase();
    expect(secrets.flatMap(forms).filter((value) => everything.includes(value.toLowerCase()))).toEqual([]);
  });

  test('what refuses the login is hidden in the answer and in the log', async () => {
    await start(id);
    stub.on(trial, echo);
    const { text } = await gateway.call('POST', `/broker/connect?broker=${id}`);
    expect(text).toContain('[hidden]');
    const everything = [text, await events(), ...logged].join('\n').toLowerCase();
    expect(secrets.flatMap(forms).filter((value) => everything.includes(value.toLowerCase()))).toEqual([]);
  });
});

test('why an order of the book was rejected is told and recorded without what the broker repeats of us', async () => {
  await start('angelone');
  const secret = angelone.credentials.API_KEY;
  const rejected = {
    ...angelone.orderRows[0],
    orderstatus: 'rejected',
    status: 'rejected',
    filledshares: '0',
    text: `no, not with ${secret}`,
  };
  stub.on(angelone.route.orders, { body: { status: true, message: 'SUCCESS', errorcode: '', data: [rejected] } });
  const { body } = await gateway.call('GET', '/broker/orders');
  expect(body.normalized).toMatchObject([{ status: 'REJECTED', status_message: 'no, not with [hidden]' }]);
  const sql = postgres(adminOptions(gateway.databaseUrl));
  try {
    const reasons = () => sql`select reason from tsm_orders`;
    await expect.poll(reasons, { timeout: 20_000 }).toContainEqual({ reason: 'no, not with [hidden]' });
    expect(JSON.stringify(await reasons())).not.toContain(secret);
  } finally {
    await sql.end();
  }
}, 40_000);

test('what refuses the sign-in of the live feed is hidden in the log', async () => {
  const token = shoonya.credentials.ACCESS_TOKEN;
  const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  sockets.on('connection', (socket) =>
    socket.on('message', () => socket.send(JSON.stringify({ t: 'ak', s: 'NOT_OK', emsg: `no, ${token}` }))),
  );
  await new Promise((done) => sockets.once('listening', done));
  try {
    await start('shoonya', { SHOONYA_FEED_URL: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}` });
    await vi.waitFor(() => expect(logged.join('')).toContain('refused the feed'), { timeout: 10_000 });
    expect(logged.filter((line) => line.includes('no, [hidden]')).length).toBeGreaterThan(0);
    expect(logged.join('')).not.toContain(token);
  } finally {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
  }
});
