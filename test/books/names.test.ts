import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchedInstruments, writePrices } from '../../server/books/open-positions.ts';
import { reconcileAccount } from '../../server/books/pass.ts';
import { reconcilePositions } from '../../server/books/reconcile.ts';
import { tradedByNumber, tradedBySymbol } from '../../server/brokers/instrument.ts';
import { silentLog } from '../../server/log.ts';
import { manualClock } from '../exchange/manual-clock.ts';
import { accountOf } from '../support/account.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { type Lane, openLane } from './database.ts';
import { filled, LATER, nothing, openPositions, orderRow, positionRow, START, tradeRow, who } from './parts.ts';

let database: TestDatabase;
let lane: Lane;
beforeEach(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
});
afterEach(async () => {
  await lane.close();
  await database.drop();
});

it("goes by our record's symbol where the broker trades by token, and says it otherwise", async () => {
  const { sql, db } = lane;
  const clock = manualClock();
  const listing = <Row>(...normalized: Row[]) => Promise.resolve({ success: true as const, data: [], normalized });
  const filledOrder = { token: '779521', filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' } as const;
  const broker = standInBroker({
    orders: () => listing(orderRow({ symbol: 'SBIN-EQ', ...filledOrder })),
    positions: () => listing(positionRow({ symbol: 'SBIN-EQ' })),
    tradebook: () => listing(tradeRow({ symbol: 'SBIN-EQ' })),
  });
  const mine = { broker: 'dhan', account: 'TEST1', mode: 'practice' };
  const account = accountOf({ ...broker, traits: { ...broker.traits, tradedBy: tradedByNumber } }, clock);
  const parts = { db, clock, log: silentLog(), mode: 'practice' };
  await reconcilePositions(db, mine, { ...nothing, positions: [] }, clock.now() - 60_000);
  await filled(db, {}, START, mine);
  clock.pass(60_000);
  expect(await reconcileAccount(parts, account)).toEqual([]);
  expect(await openPositions(sql)).toMatchObject([{ symbol: 'SBIN', qty: 10, entry_price: '800.0000' }]);
  account.broker.traits.tradedBy = tradedBySymbol;
  clock.pass(60_000);
  expect((await reconcileAccount(parts, account)).map(({ kind, symbol }) => `${kind} ${symbol}`)).toEqual([
    'closed SBIN',
    'adopted SBIN-EQ',
  ]);
});

it('writes last prices of open positions in one statement, only those that changed, and no row counts as freshly filled by it', async () => {
  const { sql, db } = lane;
  await filled(db, {});
  await filled(db, { order_id: '1002', symbol: 'INFY', product_type: 'DELIVERY' });
  await filled(db, { order_id: '1003', symbol: 'INFY' });
  await filled(db, { order_id: '1004', symbol: 'TCS' }, START, { account: 'OTHER' });
  const prices = [
    { exchange: 'NSE', symbol: 'SBIN', ltp: 800 },
    { exchange: 'NSE', symbol: 'INFY', ltp: 1500.05 },
    { exchange: 'NSE', symbol: 'INFY', ltp: '1500.1' },
    { exchange: 'NSE', symbol: 'TCS', ltp: 1 },
    { exchange: 'NSE', symbol: 'NONE', ltp: 1 },
  ];
  // Both rows of INFY; SBIN stands at that price already.
  expect(await writePrices(db, who, prices)).toBe(2);
  expect(await writePrices(db, who, prices)).toBe(0);
  expect(await writePrices(db, who, [])).toBe(0);
  expect(await sql`select symbol, ltp from tsm_positions order by id`).toEqual([
    { symbol: 'SBIN', ltp: '800.0000' },
    { symbol: 'INFY', ltp: '1500.1000' },
    { symbol: 'INFY', ltp: '1500.1000' },
    { symbol: 'TCS', ltp: '800.0000' },
  ]);
  expect(await reconcilePositions(db, who, { ...nothing, holdings: [], positions: [positionRow()] }, LATER)).toMatchObject([
    { kind: 'closed', symbol: 'INFY' },
    { kind: 'closed', symbol: 'INFY' },
  ]);
});

it('does not wait for a row that a fill holds', async () => {
  const { sql, db } = lane;
  await filled(db, {});
  await sql.begin(async (tx) => {
    await tx`select 1 from tsm_positions for update`;
    expect(await writePrices(db, who, [{ exchange: 'NSE', symbol: 'SBIN', ltp: 805 }])).toBe(0);
  });
  expect(await writePrices(db, who, [{ exchange: 'NSE', symbol: 'SBIN', ltp: 805 }])).toBe(1);
});

it('names what a feed is to follow: open positions and open orders of the account, each once', async () => {
  const { db } = lane;
  await filled(db, {});
  await filled(db, { order_id: '1002', product_type: 'DELIVERY' });
  await filled(db, { order_id: '1003', symbol: 'ITC', filled_quantity: 0, average_price: null, status: 'PLACED' });
  await filled(db, { order_id: '1004', symbol: 'LT', filled_quantity: 0, average_price: null, status: 'CANCELLED' });
  await filled(db, { order_id: '1005', symbol: 'TCS' }, START, { account: 'OTHER' });
  expect(await watchedInstruments(db, who)).toEqual([
    { exchange: 'NSE', symbol: 'ITC', token: '779521' },
    { exchange: 'NSE', symbol: 'SBIN', token: '779521' },
  ]);
});
