import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../server/clock.ts';
import { type Started, startPractice } from '../exchange/started.ts';

/** The official SDK judges the ticker of the Kite emulator: it runs in a process of its own, nothing changed but its root address. */
const SBIN = 779521;
const Said = z.object({ event: z.string(), value: z.unknown() });

let here: Started;
const children: ChildProcess[] = [];

beforeAll(async () => {
  here = await startPractice();
  here.exchange.setPrice('NSE', 'SBIN', '812.35');
});
afterAll(async () => {
  for (const child of children) child.kill();
  await here.close();
});

function tickerWith(token: string): z.infer<typeof Said>[] {
  const said: z.infer<typeof Said>[] = [];
  const script = new URL('kiteticker-child.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, `${here.urls.zerodha?.feed}/`, token, String(SBIN)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  createInterface({ input: child.stdout }).on('line', (line) => said.push(Said.parse(JSON.parse(line))));
  return said;
}

async function hears(said: z.infer<typeof Said>[], event: string, matching: (value: unknown) => boolean = () => true): Promise<unknown> {
  for (let waited = 0; waited < 400; waited += 1) {
    const found = said.find((each) => each.event === event && matching(each.value));
    if (found) return found.value;
    await systemClock.sleep(50);
  }
  throw new Error(`the SDK never heard ${event}: ${JSON.stringify(said.slice(-5))}`);
}

test("kiteconnect's ticker decodes ticks, their changes and order updates", { timeout: 60_000 }, async () => {
  const said = tickerWith('practiceaccesstoken');
  await hears(said, 'connect');
  const withPrice = (price: number) => (value: unknown) => JSON.stringify(value).includes(`"last_price":${price},`);
  expect(await hears(said, 'ticks', withPrice(812.35))).toMatchObject([
    { instrument_token: SBIN, tradable: true, mode: 'full', last_price: 812.35 },
  ]);
  here.exchange.setPrice('NSE', 'SBIN', '815.2');
  await hears(said, 'ticks', withPrice(815.2));
  const { text } = await here.place();
  const { order_id: orderId } = z.object({ data: z.object({ order_id: z.string() }) }).parse(JSON.parse(text)).data;
  const filled = (value: unknown) => z.object({ order_id: z.literal(orderId), status: z.literal('COMPLETE') }).safeParse(value).success;
  expect(await hears(said, 'order', filled)).toMatchObject({ tradingsymbol: 'SBIN', filled_quantity: 10, tag: 'k3v9c0m2p7q1x8za' });
});

const sides = z.object({ depth: z.object({ buy: z.unknown(), sell: z.unknown() }) });

test('a tick says what the quote says, totals and depth too', { timeout: 60_000 }, async () => {
  here.exchange.setPrice('NSE', 'SBIN', '818.4');
  const said = tickerWith('practiceaccesstoken');
  const [tick] = z.tuple([z.looseObject({})]).parse(await hears(said, 'ticks', (value) => JSON.stringify(value).includes('818.4')));
  const { text } = await here.call('GET', '/quote?i=NSE:SBIN');
  const quote = z.object({ data: z.object({ 'NSE:SBIN': z.looseObject({}) }) }).parse(JSON.parse(text)).data['NSE:SBIN'];
  expect(tick).toMatchObject({
    last_price: quote.last_price,
    last_traded_quantity: quote.last_quantity,
    average_traded_price: quote.average_price,
    total_buy_quantity: quote.buy_quantity,
    total_sell_quantity: quote.sell_quantity,
    ohlc: quote.ohlc,
  });
  expect(sides.parse(tick)).toEqual(sides.parse(quote));
});

test('a wrong token is refused with 403', { timeout: 60_000 }, async () => {
  expect(await hears(tickerWith('nonsense'), 'error')).toMatch(/403/);
});

test('a change of a resting order is told', { timeout: 60_000 }, async () => {
  const said = tickerWith('practiceaccesstoken');
  await hears(said, 'connect');
  const { text } = await here.place({ order_type: 'LIMIT', price: '760', market_protection: '0' });
  const { order_id: orderId } = z.object({ data: z.object({ order_id: z.string() }) }).parse(JSON.parse(text)).data;
  await here.call('PUT', `/orders/regular/${orderId}`, { price: '761' });
  const changed = (value: unknown) => z.object({ order_id: z.literal(orderId), price: z.literal(761) }).safeParse(value).success;
  expect(await hears(said, 'order', changed)).toMatchObject({ status: 'OPEN' });
});
