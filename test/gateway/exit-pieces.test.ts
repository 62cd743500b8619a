import { afterAll, beforeAll, expect, test } from 'vitest';
import { emulators } from '../../server/exchange/emulators.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { SYMBOLS, venueOf } from './fast.ts';

/** Its instrument file tells freeze quantities. */
const BROKER = 'upstox';
/** More than the order budget of a second takes. */
const POSITIONS = 12;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { BROKERS: BROKER, POSITION_GUARD: 'off', PRACTICE_LIMITS: 'on' }, instruments: true });
});
afterAll(() => gateway.stop());

const call = async (method: string, path: string, body?: object) => (await gateway.call(method, `/broker/${path}`, body)).body;
const exit = (body: object) => call('POST', 'exits', body);
const sold = () =>
  venueOf(gateway)
    .exchange.ledger()
    .orders.filter(({ side }) => side === 'SELL');

/** Bought, however often the budget of a second sends it away. */
async function buy(order: object, key: string): Promise<void> {
  const bought = async () => (await gateway.place({ ...sbin, ...order, idempotency_key: key })).body;
  await expect.poll(bought, { interval: 300 }).toMatchObject({ fill_status: 'FILLED' });
}

test('above the freeze quantity a position goes in pieces, each as large as one order may be', { timeout: 90_000, retry: 0 }, async () => {
  await expect.poll(() => call('GET', 'instruments'), { timeout: 60_000 }).toMatchObject({ success: true });
  const { exchange } = venueOf(gateway);
  const option = exchange.instruments.find(({ underlying, kind }) => underlying === 'BANKNIFTY' && kind === 'CE');
  if (!option) throw new Error('no option');
  const { symbol, lotSize: lot, freezeQuantity: freeze } = option;
  const most = (freeze ?? 0) - ((freeze ?? 0) % lot);
  exchange.setPrice('NFO', symbol, '10');
  const named = emulators.find(({ id }) => id === BROKER)?.named(option);
  const bought = { exchange: 'NFO', ...named, product_type: 'CARRYFORWARD' };
  for (const [index, quantity] of [most, most, lot].entries()) await buy({ ...bought, quantity }, `frozen ${index}`);
  const { positions, flat } = await exit({ all: true, idempotency_key: 'pieces' });
  expect(positions).toMatchObject([{ ...named, outcome: 'FLAT', filled_quantity: 2 * most + lot }]);
  expect(flat).toBe(true);
  expect(sold().map(({ quantity }) => quantity)).toEqual([most, most, lot]);
});

test('an order budget that is used up in the middle of an exit delays it and loses none of it', { timeout: 90_000, retry: 0 }, async () => {
  const symbols = SYMBOLS.slice(0, POSITIONS);
  for (const symbol of symbols) await buy({ symbol, token: '', quantity: 1 }, `in ${symbol}`);
  const before = sold().length;
  const { positions, flat, finished } = await exit({ all: true, idempotency_key: 'many' });
  expect({ flat, finished, outcomes: positions.map(({ outcome }: { outcome: string }) => outcome) }).toEqual({
    ...{ flat: true, finished: true },
    outcomes: symbols.map(() => 'FLAT'),
  });
  const orders = sold().slice(before);
  expect(orders.map(({ symbol }) => symbol).sort()).toEqual([...symbols].sort());
  // The venue lets so many through in a second: the budget held the others back, and nothing was refused there.
  const times = orders.map(({ receivedAt }) => receivedAt).sort((a, b) => a - b);
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(500);
});

test('shares held from earlier days are sold where they are named, and not with all', { retry: 0 }, async () => {
  const held = async () => (await call('GET', 'holdings')).normalized as { symbol: string; sellable_quantity: number }[];
  const [share] = await held();
  expect(share?.sellable_quantity).toBeGreaterThan(0);
  const { symbol = '', sellable_quantity: quantity } = share ?? {};
  const name = { exchange: 'NSE', symbol, product_type: 'DELIVERY' };
  const before = sold().length;
  expect(await exit({ all: true })).toMatchObject({ flat: true, positions: [] });
  expect(await exit({ positions: [name] })).toMatchObject({ positions: [{ outcome: 'NOTHING_TO_DO' }] });
  expect(sold()).toHaveLength(before);
  const { positions } = await exit({ positions: [{ ...name, holding: true }], idempotency_key: 'held' });
  expect(positions).toMatchObject([{ symbol, holding: true, outcome: 'FLAT', filled_quantity: quantity }]);
  expect(sold().slice(before)).toMatchObject([{ symbol, quantity, product: 'DELIVERY' }]);
  // It is gone: the same again sells nothing.
  expect(await exit({ positions: [{ ...name, holding: true }] })).toMatchObject({ positions: [{ outcome: 'NOTHING_TO_DO' }] });
  expect(sold()).toHaveLength(before + 1);
});
