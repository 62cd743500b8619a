import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type Nkey, nkeyOf } from '../../server/brokers/groww/nkey.ts';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { type Started, startPractice } from '../exchange/started.ts';

/** Groww's emulator as a NATS server: who is let in, and what it says no to. */

let here: Started;
let bearer = '';
const own = nkeyOf(new Uint8Array(32).fill(1));
const stranger = nkeyOf(new Uint8Array(32).fill(2));

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
