import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seededRandom } from '../../server/clock.ts';
import { roundToTick } from '../../server/exchange/instruments.ts';
import { Big } from '../../server/money.ts';
import { venueOf } from '../gateway/fast.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';

let gateway: TestGateway;
let sql: postgres.Sql;
beforeAll(async () => {
  gateway = await startGateway({ env: { POSITION_GUARD: 'off' } });
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql?.end();
  await gateway?.stop();
});

const get = async (path: string) => (await gateway.call('GET', `/broker/${path}`)).body;
const quiet = { timeout: 30_000, interval: 250 };

/** Exchange, symbol, product, quantity of a lot, and units of money a quantity stands for at Zerodha. */
const traded = [
  ['NSE', 'SBIN', 'INTRADAY', 1, 1],
  ['NSE', 'TCS', 'INTRADAY', 1, 1],
  ['NSE', 'INFY', 'INTRADAY', 1, 1],
  ['MCX', 'CRUDEOIL26DECFUT', 'CARRYFORWARD', 1, 100],
] as const;

interface Trade {
  exchange: string;
  symbol: string;
  side: string;
  quantity: string;
  price: string;
  strategy: string | null;
}

/** What the trades and the last prices come to: money out and in, and what is open at its last price. No average cost in it. */
function worth(trades: readonly Trade[], last: ReadonlyMap<string, Big>): Big {
  return trades.reduce((sum, { exchange, symbol, side, quantity, price }) => {
    const point = traded.find(([one, name]) => one === exchange && name === symbol)?.[4] ?? Number.NaN;
    const gain = (last.get(symbol) ?? new Big(Number.NaN)).minus(price).times(quantity).times(point);
    return side === 'BUY' ? sum.plus(gain) : sum.minus(gain);
  }, new Big(0));
}

// Once: a second try would begin with what the first has traded.
test('a random session: profits are what the executions and the prices say, to the paisa', { retry: 0, timeout: 120_000 }, async () => {
  const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE());
  console.log(`seed ${seed}`);
  const random = seededRandom(seed);
  const pick = <One>(all: readonly One[]) => all[Math.floor(random.next() * all.length)] as One;
  const { exchange } = venueOf(gateway);
  const last = new Map<string, Big>();
  for (let round = 0; round < 60; round += 1) {
    const [market, symbol, product_type, lot] = pick(traded);
    const instrument = exchange.instruments.find((one) => one.exchange === market && one.symbol === symbol);
    if (!instrument) throw new Error(`no ${symbol}`);
    const price = roundToTick(new Big(instrument.basePrice).times(0.97 + 0.06 * random.next()), instrument.tick);
    exchange.setPrice(market, symbol, price);
    last.set(symbol, new Big(price));
    const side = { transaction_type: pick(['BUY', 'SELL']), strategy: pick(['breakout', 'pairs', undefined]) };
    const order = {
      ...side,
      symbol,
      token: '',
      exchange: market,
      order_type: 'MARKET',
      product_type,
      quantity: lot * (1 + Math.floor(random.next() * 5)),
    };
    const { body } = await gateway.place({ ...order, idempotency_key: `random-${round}` });
    // Margin may not be enough.
    if (body.fill_status !== 'FILLED') expect(body.message).toContain('Insufficient funds');
  }
  // The multiplier of a contract that was never held comes with the next read of the positions, the last price with the feed.
  await expect
    .poll(async () => {
      const trades = await sql<Trade[]>`select exchange, symbol, side, quantity, price from trade_history`;
      return Number((await get('profit')).total) - Number(worth(trades, last).toFixed(4));
    }, quiet)
    .toBe(0);
  const profit = await get('profit');
  const [capital] = await sql`select realized_pnl from tsm_capital`;
  expect(profit.realised).toBe(Number(capital?.realized_pnl));
  expect(profit).toMatchObject({ unknown: [], known: profit.total });
  const { positions } = await get('records/positions');
  const sum = (rows: object[], of: string) => Number(rows.reduce<Big>((all, row) => all.plus(Reflect.get(row, of)), new Big(0)).toFixed(4));
  expect(sum(positions, 'realised_today')).toBe(profit.realised);
  expect(sum(positions, 'unrealised')).toBe(profit.unrealised);
  expect(sum(positions, 'profit_today')).toBe(profit.total);
  expect(sum(positions, 'profit_since_entry')).toBe(profit.total);
  for (const parts of [profit.by_instrument, profit.by_strategy]) {
    expect(sum(parts, 'realised')).toBe(profit.realised);
    expect(sum(parts, 'total')).toBe(profit.total);
  }
  for (const { exchange: market, symbol, total } of profit.by_instrument) {
    const trades = await sql<
      Trade[]
    >`select exchange, symbol, side, quantity, price from trade_history where exchange = ${market} and symbol = ${symbol}`;
    expect(total, symbol).toBe(Number(worth(trades, last).toFixed(4)));
  }
  // What it came to is the last point of the day.
  await expect.poll(async () => (await get('profit')).equity.at(-1)?.total, quiet).toBe(profit.total);
  const latencies = (await get('latencies')).orders;
  expect(latencies).toHaveLength(60);
  for (const { to_sent_ms, to_accepted_ms, to_final_ms, total_ms } of latencies)
    expect(Math.abs(to_sent_ms + to_accepted_ms + to_final_ms - total_ms)).toBeLessThan(0.3);
  const prices = await get('prices?exchange=NSE&symbol=SBIN');
  const fills = await sql`select sum(quantity)::int as quantity from trade_history where symbol = 'SBIN'`;
  expect(prices.fills.reduce((all: number, fill: { quantity: number }) => all + fill.quantity, 0)).toBe(fills[0]?.quantity ?? 0);
  await expect.poll(async () => (await get('prices?exchange=NSE&symbol=SBIN')).points.at(-1)?.price, quiet).toBe(Number(last.get('SBIN')));
});

test('the line of the day outlives a restart', async () => {
  const before = await get('profit');
  await gateway.halt();
  const again = await startGateway({ from: gateway, connect: false, env: { POSITION_GUARD: 'off' } });
  try {
    const after = (await again.call('GET', '/broker/profit')).body;
    expect(after.equity.slice(0, before.equity.length)).toEqual(before.equity);
    expect(after).toMatchObject({ broker: 'zerodha', realised: before.realised });
    expect((await again.call('GET', '/broker/overview')).body).toMatchObject({
      broker: 'zerodha',
      account: 'PR0001',
      session: { active: false },
    });
  } finally {
    await again.halt();
  }
}, 60_000);
