import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { createNkey, type Nkey } from '../../server/brokers/groww/nkey.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type Started, startPractice } from '../exchange/started.ts';

/** Groww's emulator as a NATS server: who is let in, and what it says no to. */

let here: Started;
let bearer = '';
const own = createNkey();
const stranger = createNkey();

async function post(path: string, key: string, body: unknown) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-api-version': '1.0' };
  const response = await fetch(`${here.urls.groww?.api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  return z
    .looseObject({ token: z.string().optional(), payload: z.looseObject({}).optional(), status: z.string().optional() })
    .parse(await response.json());
}

beforeAll(async () => {
  here = await startPractice();
  const totp = new TOTP({ secret: Secret.fromBase32(practiceCredentials('groww').TOTP_SECRET ?? '') }).generate();
  bearer = (await post('/v1/token/api/access', 'practicekey', { key_type: 'totp', totp })).token ?? '';
});
afterAll(() => here.close());

const ticketOf = async (nkey: Nkey) => {
  const { payload } = await post('/v1/api/apex/v1/socket/token/create/', bearer, { socketKey: nkey.publicText });
  return z.object({ token: z.string(), subscriptionId: z.string() }).parse(payload);
};

/** Sends lines after the greeting; `connect` makes the first of the nonce. Resolves with what was said until PONG or the end. */
function talk(connect: ((nonce: string) => object) | null, ...lines: string[]): Promise<string> {
  const socket = new WebSocket(here.urls.groww?.feed ?? '', { perMessageDeflate: false });
  return new Promise((resolve, reject) => {
    let said = '';
    const end = () => {
      socket.terminate();
      resolve(said);
    };
    socket.on('error', reject);
    socket.on('close', end);
    socket.on('message', (data) => {
      const text = String(data);
      const nonce = /^INFO .*"nonce":"([^"]+)"/.exec(text)?.[1];
      if (nonce === undefined) said += text;
      else socket.send([...(connect ? [`CONNECT ${JSON.stringify(connect(nonce))}`] : []), ...lines, 'PING', ''].join('\r\n'));
      if (said.includes('PONG\r\n')) end();
    });
  });
}

const asClient = (jwt: string, signer: Nkey) => (nonce: string) => ({ jwt, sig: signer.sign(nonce), lang: 'test', version: '1' });

test('who has the token and its key is let in', async () => {
  const { token, subscriptionId } = await ticketOf(own);
  expect(await talk(asClient(token, own), `SUB stocks/order/updates.apex.${subscriptionId} 1`)).toBe('PONG\r\n');
});

test("another's key, no token, another nonce and no CONNECT are refused", async () => {
  const { token } = await ticketOf(own);
  const refused = "-ERR 'Authorization Violation'\r\n";
  expect(await talk(asClient(token, stranger))).toBe(refused);
  expect(await talk(asClient('nobody', own))).toBe(refused);
  expect(await talk(() => asClient(token, own)('an older nonce'))).toBe(refused);
  expect(await talk(null)).toBe(refused);
});

test('a subscription without a queue may have two spaces, as clients write it', async () => {
  const { token } = await ticketOf(own);
  const subject = '/ld/eq/nse/price.3787';
  const socket = new WebSocket(here.urls.groww?.feed ?? '', { perMessageDeflate: false });
  try {
    const heard = new Promise<string>((resolve) =>
      socket.on('message', (data) => {
        const nonce = /^INFO .*"nonce":"([^"]+)"/.exec(String(data))?.[1];
        if (nonce) socket.send(`CONNECT ${JSON.stringify(asClient(token, own)(nonce))}\r\nSUB ${subject}  7\r\nPING\r\n`);
        else if (String(data).startsWith('PONG')) here.exchange.setPrice('NSE', 'WIPRO', '245.5');
        else if (String(data).startsWith('MSG')) resolve(String(data));
      }),
    );
    expect(await heard).toContain(`MSG ${subject} 7 `);
  } finally {
    socket.terminate();
  }
});

test('orders of another subscription and unknown words are refused', async () => {
  const { token } = await ticketOf(own);
  const subject = 'stocks/order/updates.apex.other';
  expect(await talk(asClient(token, own), `SUB ${subject} 1`)).toBe(
    `-ERR 'Permissions Violation for Subscription to "${subject}"'\r\nPONG\r\n`,
  );
  expect(await talk(asClient(token, own), 'HELLO')).toContain('Unknown Protocol Operation');
});

test('a socket token needs a login and a public key that is one', async () => {
  const path = '/v1/api/apex/v1/socket/token/create/';
  expect(await post(path, 'nobody', { socketKey: own.publicText })).toMatchObject({ status: 'FAILURE' });
  for (const socketKey of ['', 'U', own.publicText.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), own.publicText.toLowerCase()])
    expect(await post(path, bearer, { socketKey }), socketKey).toMatchObject({ status: 'FAILURE' });
});

/** A signed-in connection that is followed until what was said holds. */
async function listener(...lines: string[]) {
  const { token, subscriptionId } = await ticketOf(own);
  const socket = new WebSocket(here.urls.groww?.feed ?? '', { perMessageDeflate: false });
  let said = Buffer.alloc(0);
  await new Promise((resolve) => {
    socket.on('message', (data) => {
      said = Buffer.concat([said, Buffer.from(data as Buffer)]);
      const nonce = /^INFO .*"nonce":"([^"]+)"/.exec(said.toString('latin1'))?.[1] ?? '';
      if (said.includes('PONG')) resolve(null);
      if (!said.toString('latin1').startsWith('INFO')) return;
      said = Buffer.alloc(0);
      const all = lines.map((line) => line.replace('$id', subscriptionId));
      socket.send([`CONNECT ${JSON.stringify(asClient(token, own)(nonce))}`, ...all, 'PING', ''].join('\r\n'));
    });
  });
  /** Payloads of a subject so far. */
  const payloads = (subject: string) => {
    const found: Buffer[] = [];
    for (let at = 0; ; ) {
      const begun = said.indexOf(`MSG ${subject}`, at);
      if (begun === -1) return found;
      const begins = said.indexOf('\r\n', begun) + 2;
      const length = Number(said.toString('latin1', begun, begins).trim().split(' ').at(-1));
      found.push(said.subarray(begins, begins + length));
      at = begins + length;
    }
  };
  return { socket, payloads, said: () => said.toString('latin1') };
}

/** Numbers a protocol buffer holds as doubles, in their order. */
function doublesIn(payload: Buffer, wanted: readonly number[]): boolean {
  let at = 0;
  return wanted.every((value) => {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    at = payload.indexOf(bytes, at);
    return at !== -1;
  });
}

test('the depth of a share is told with its five levels a side, until it is dropped', async () => {
  const both = await listener('SUB /ld/eq/nse/book.3045 7', 'SUB /ld/eq/nse/price.3045 8');
  here.exchange.setPrice('NSE', 'SBIN', '801.05');
  await expect.poll(() => both.payloads('/ld/eq/nse/book.3045').length, { timeout: 5000 }).toBeGreaterThan(0);
  const depth = both.payloads('/ld/eq/nse/book.3045').at(-1) ?? Buffer.alloc(0);
  expect(doublesIn(depth, [801, 100, 800.95, 200, 800.9, 300, 800.85, 400, 800.8, 500, 801.1, 100, 801.15, 200])).toBe(true);
  both.socket.send('UNSUB 8\r\nPING\r\n');
  here.exchange.setPrice('NSE', 'SBIN', '802.05');
  const next = () => both.payloads('/ld/eq/nse/book.3045').some((payload) => doublesIn(payload, [802, 100]));
  await expect.poll(next, { timeout: 5000 }).toBe(true);
  both.socket.terminate();
});

test('a trade in a contract tells the position, one in a share does not', async () => {
  const subject = 'stocks_fo/position/updates.apex.';
  const { socket, payloads } = await listener(`SUB ${subject}$id 3`);
  here.exchange.setPrice('NFO', 'SBIN26DECFUT', '815');
  here.exchange.setPrice('NSE', 'SBIN', '800');
  const order = { side: 'BUY', orderType: 'MARKET', product: 'INTRADAY' } as const;
  here.exchange.placeByHand('groww', { ...order, exchange: 'NSE', symbol: 'SBIN', quantity: 10 });
  here.exchange.placeByHand('groww', { ...order, exchange: 'NFO', symbol: 'SBIN26DECFUT', quantity: 750 });
  await expect.poll(() => payloads(subject).length, { timeout: 5000 }).toBe(1);
  expect(payloads(subject)[0]?.includes('SBIN26DECFUT')).toBe(true);
  expect(doublesIn(payloads(subject)[0] ?? Buffer.alloc(0), [750, 815.05])).toBe(true);
  socket.terminate();
});

test('what nothing is ever told on is refused', async () => {
  const { token } = await ticketOf(own);
  for (const subject of [
    '/ld/eq/nse/price_detailed.3045',
    '/ld/fo/mcx/price.464101',
    '/ld/eq/nse/price.1',
    'stocks_fo/position/updates.apex.other',
  ])
    expect(await talk(asClient(token, own), `SUB ${subject} 1`), subject).toContain(
      `Permissions Violation for Subscription to "${subject}"`,
    );
});
