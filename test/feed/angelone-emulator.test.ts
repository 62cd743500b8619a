import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { type EmulatorSocket, emulatorOf, openSocket, patience } from './emulator-socket.ts';

let emulator: Awaited<ReturnType<typeof emulatorOf>>;
beforeAll(async () => {
  emulator = await emulatorOf('angelone');
});
afterAll(() => emulator.close());

async function opening(channel: number) {
  const { url, headers = {} } = (await emulator.channels[channel]?.open()) ?? { url: '' };
  return { url, headers };
}

async function socket(channel: number, change: Record<string, string> = {}): Promise<EmulatorSocket> {
  const { url, headers } = await opening(channel);
  return openSocket(url, { ...headers, ...change });
}

const subscription = (mode: number, exchangeType: number, tokens: string[], action = 1) => ({
  correlationID: 'abcde12345',
  action,
  params: { mode, tokenList: [{ exchangeType, tokens }] },
});

describe('the price socket', () => {
  test('is asked for last prices, by exchange, two hundred tokens at a time', async () => {
    const { talk } = (await emulator.channels[0]?.open()) ?? {};
    expect(talk?.subscribe(['1:3045', '2:47001', '1:1594'])).toEqual([
      '{"correlationID":"gatewayfed","action":1,"params":{"mode":1,"tokenList":[{"exchangeType":1,"tokens":["3045","1594"]},{"exchangeType":2,"tokens":["47001"]}]}}',
    ]);
    const pieces = talk?.unsubscribe(Array.from({ length: 401 }, (_, index) => `3:${index}`)).map((frame) => JSON.parse(String(frame)));
    expect(pieces?.map(({ action, params }) => [action, params.tokenList[0].tokens.length])).toEqual([
      [0, 200],
      [0, 200],
      [0, 1],
    ]);
  });

  test.each([
    ['authorization', 'Invalid Header - Invalid Auth token'],
    ['x-api-key', 'Invalid Header - Invalid API Key'],
    ['x-client-code', 'Invalid Header - Invalid Client Code'],
    ['x-feed-token', 'Invalid Header - Invalid Feed Token'],
  ])('a wrong %s is turned away with its reason', async (header, reason) => {
    const { ended } = await socket(0, { [header]: 'wrong' });
    expect(await ended).toMatchObject({ status: 401, headers: { 'x-error-message': reason } });
  });

  test('the token may come without its word, and three of the four in the query', async () => {
    const { url, headers } = await opening(0);
    const bare = await openSocket(url, { ...headers, authorization: String(headers.authorization).replace('Bearer ', '') });
    const query = new URLSearchParams({ clientCode: 'PR0001', feedToken: String(headers['x-feed-token']), apiKey: 'practicekey' });
    const browser = await openSocket(`${url}?${query}`);
    for (const each of [bare, browser]) {
      each.send('ping');
      await expect.poll(() => each.frames, patience).toEqual(['pong']);
      each.close();
    }
  });

  test('packets have the size of their mode; what is taken back stays away', async () => {
    const market = await socket(0);
    emulator.host.exchange.setPrice('NSE', 'SBIN', '812');
    for (const mode of [1, 2, 3]) market.send(subscription(mode, 1, ['3045']));
    await expect.poll(() => market.frames.map((frame) => frame.length).sort(), patience).toEqual([123, 379, 51]);
    for (const mode of [1, 3]) market.send(subscription(mode, 1, ['3045'], 0));
    await market.settled();
    market.frames.length = 0;
    emulator.host.exchange.setPrice('NSE', 'SBIN', '815.05');
    await expect.poll(() => market.frames.length, patience).toBe(1);
    const [packet] = market.frames;
    expect([packet?.length, Buffer.from(packet ?? '').readBigInt64LE(43)]).toEqual([123, 81_505n]);
    market.close();
  });

  test('a request that cannot be read is answered with E1001', async () => {
    const market = await socket(0);
    market.send({ action: 1 });
    await expect.poll(() => market.frames, patience).toEqual([expect.stringContaining('"errorCode":"E1001"')]);
    market.close();
  });
});

describe('the order socket', () => {
  test('greets, tells of every step with its code, and takes three connections of a client', async () => {
    const [first, ...others] = await Promise.all([socket(1), socket(1), socket(1)]);
    expect(await (await socket(1)).ended).toMatchObject({ status: 429 });
    expect(await (await socket(1, { authorization: 'Bearer wrong' })).ended).toMatchObject({ status: 401 });
    const { exchange } = emulator.host;
    exchange.setPrice('NSE', 'INFY', '1568');
    const resting = { exchange: 'NSE', symbol: 'INFY', side: 'BUY', orderType: 'LIMIT', product: 'INTRADAY', quantity: 1 } as const;
    const placed = exchange.placeByHand('angelone', { ...resting, price: '1550' });
    if (!placed.ok) throw new Error(placed.refusal.code);
    const { orderId } = placed.order;
    exchange.account('angelone').modify(orderId, { price: '1551' });
    exchange.account('angelone').cancel(orderId);
    exchange.account('angelone', { rejectByRisk: true }).place({ ...resting, price: '1550' });
    const told = z.object({ 'order-status': z.string(), orderData: z.looseObject({ orderid: z.string() }) });
    const codes = () => first?.frames.map((frame) => told.parse(JSON.parse(String(frame)))['order-status']);
    await expect.poll(codes, patience).toEqual(['AB00', 'AB09', 'AB01', 'AB11', 'AB04', 'AB02', expect.any(String), 'AB03']);
    expect(told.parse(JSON.parse(String(first?.frames[2]))).orderData).toMatchObject({ orderid: orderId, price: 1550, quantity: '1' });
    for (const each of [first, ...others]) each?.close();
    const takenAgain = async () => {
      const again = await socket(1);
      again.close();
      return (await again.ended).status === undefined;
    };
    await expect.poll(takenAgain, patience).toBe(true);
  });
});

/** The official SDK judges the sockets: it runs in a process of its own, nothing changed but their addresses. */
test('smartapi-javascript decodes prices and order updates', { timeout: 60_000 }, async () => {
  const { exchange, urls } = emulator.host;
  const priced = {
    SBIN: ['NSE', '812.35'],
    RELIANCE: ['BSE', '1518.05'],
    NIFTY26DECFUT: ['NFO', '26060.1'],
    USDINR26DECFUT: ['CDS', '89.2025'],
  };
  for (const [symbol, [segment = '', price = '']] of Object.entries(priced)) exchange.setPrice(segment, symbol, price);
  const { CLIENT_ID = '', PIN = '', TOTP_SECRET = '' } = practiceCredentials('angelone');
  const totp = new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) }).generate();
  // The SDK writes its error log where it runs.
  const cwd = await mkdtemp(join(tmpdir(), 'smartapi-'));
  const script = new URL('angelone-sdk-child.ts', import.meta.url).pathname;
  const args = [script, urls.angelone?.api ?? '', urls.angelone?.feed ?? '', CLIENT_ID, PIN, totp];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 10_000_000, timeout: 50_000 });
  await rm(cwd, { recursive: true, force: true });
  const results = z
    .object({ ticks: z.array(z.looseObject({})), updates: z.array(z.string()), orderid: z.string() })
    .parse(JSON.parse(stdout));

  const of = (mode: string, token: string) => results.ticks.find((tick) => tick.subscription_mode === mode && tick.token === `"${token}"`);
  expect(of('1', '3045')).toMatchObject({ exchange_type: '1', last_traded_price: '81235' });
  const day = { open_price_day: '151805', high_price_day: '151805', low_price_day: '151805', close_price: '151805' };
  expect(of('2', '500325')).toMatchObject({ exchange_type: '3', last_traded_price: '151805', total_buy_quantity: '1500', ...day });
  const full = of('3', '47001');
  expect(full).toMatchObject({ exchange_type: '2', last_traded_price: '2606010', upper_circuit: expect.stringMatching(/^\d{7}$/) });
  expect(full?.best_5_buy_data).toMatchObject(
    [2606000, 2605990, 2605980, 2605970, 2605960].map((paise) => ({ flag: '1', price: String(paise) })),
  );
  expect(of('1', '10901')).toMatchObject({ exchange_type: '13', last_traded_price: '892025000' });
  expect(Math.abs(Number(of('1', '3045')?.exchange_timestamp) - Date.now())).toBeLessThan(60_000);

  const updates = results.updates.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text));
  expect(updates[0]).toMatchObject({ 'status-code': '200', 'order-status': 'AB00', orderData: { orderid: '' } });
  expect(updates.at(-1)).toMatchObject({
    'order-status': 'AB05',
    orderData: { orderid: results.orderid, orderstatus: 'complete', filledshares: '10', ordertag: 'k3v9c0m2p7q1x8za' },
  });
});
