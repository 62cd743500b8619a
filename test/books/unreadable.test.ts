import { afterEach, beforeEach, expect, it } from 'vitest';
import { reconcileAccount } from '../../server/books/pass.ts';
import { reconcilePositions } from '../../server/books/reconcile.ts';
import type { Account } from '../../server/brokers/account.ts';
import type { HoldingRow, Listing, OrderRow, PositionRow, TradeRow, Unreadable } from '../../server/brokers/broker.ts';
import { tradedByNumber } from '../../server/brokers/instrument.ts';
import { silentLog } from '../../server/log.ts';
import { type ManualClock, manualClock } from '../exchange/manual-clock.ts';
import { accountOf } from '../support/account.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { type Lane, openLane } from './database.ts';
import { filled, nothing, openPositions, orderRow, positionRow, tradeRow } from './parts.ts';

interface Told {
  orders: OrderRow[];
  positions: PositionRow[];
  holdings: HoldingRow[];
  tradebook: TradeRow[];
}

const mine = { broker: 'dhan', account: 'TEST1', mode: 'practice' };
/** 3045 as these rows write it is SBIN, whatever our records call it. */
const sbin = { exchange: 'NSE', symbol: 'SBIN-EQ', token: '03045' };
const infy = { symbol: 'INFY', token: '1594' };

let database: TestDatabase;
let lane: Lane;
let clock: ManualClock;
let account: Account;
let told: Told;
let unread: Partial<Record<keyof Told, Partial<Unreadable>[]>>;

beforeEach(async () => {
  database = await createTestDatabase();
  lane = await openLane(database.url);
  clock = manualClock();
  told = { orders: [], positions: [], holdings: [], tradebook: [] };
  unread = {};
  const list = async <Row>(name: keyof Told, normalized: Row[]): Promise<Listing<Row>> => {
    const rows = unread[name]?.map((row) => ({ row: {}, reason: 'cannot be read', exchange: null, symbol: null, token: null, ...row }));
    return { success: true, data: [], normalized, ...(rows && { unreadable: rows }) };
  };
  const broker = standInBroker({
    holdings: () => list('holdings', told.holdings),
    tradebook: () => list('tradebook', told.tradebook),
    orders: () => list('orders', told.orders),
    positions: () => list('positions', told.positions),
  });
  account = accountOf({ ...broker, traits: { ...broker.traits, tradedBy: tradedByNumber } }, clock);
  await reconcilePositions(lane.db, mine, { ...nothing, positions: [] }, clock.now() - 60_000);
});
afterEach(async () => {
  await lane.close();
  await database.drop();
});

/** Ten bought of each a minute ago. */
async function bought(...rows: Partial<OrderRow>[]): Promise<void> {
  for (const [index, row] of rows.entries()) await filled(lane.db, { order_id: `${1001 + index}`, ...row }, clock.now(), mine);
  clock.pass(60_000);
}

async function corrections(): Promise<string[]> {
  clock.pass(60_000);
  const parts = { db: lane.db, clock, log: silentLog(), mode: 'practice' };
  return (await reconcileAccount(parts, account)).map(({ kind, symbol }) => `${kind} ${symbol}`);
}

it.each(['positions', 'orders', 'tradebook'] as const)(
  'leaves the place of an unreadable row of the %s as it is, whatever it is called there; the others go on',
  async (name) => {
    await bought({ symbol: 'SBIN', token: '3045' }, infy);
    unread[name] = [sbin];
    expect(await corrections()).toEqual(['closed INFY']);
    unread = {};
    told.positions = [positionRow({ ...sbin, net_quantity: 4 })];
    expect(await corrections()).toEqual(['corrected SBIN']);
  },
);

it('books no trade at a price of zero: such a trade explains nothing', async () => {
  await bought(infy);
  const sale = { ...infy, order_id: 'RMS1', transaction_type: 'SELL', traded_at: new Date(clock.now()).toISOString() };
  told.tradebook = [tradeRow({ ...sale, price: 0 })];
  expect(await corrections()).toEqual(['closed INFY']);
  expect(await lane.sql`select exit_price, realized_pnl from tsm_positions`).toEqual([{ exit_price: null, realized_pnl: null }]);
});

it('leaves DELIVERY rows of an unreadable holding as they are', async () => {
  await bought({ symbol: 'SBIN', token: '3045', product_type: 'DELIVERY' }, { ...infy, product_type: 'DELIVERY' });
  unread.holdings = [{ symbol: 'SBIN' }];
  expect(await corrections()).toEqual(['closed INFY']);
  unread = {};
  expect(await corrections()).toEqual(['closed SBIN']);
});

it('closes nothing while a row has no name that can be read: it may be any; what is shown is adopted and corrected', async () => {
  await bought({ symbol: 'SBIN', token: '3045' }, infy);
  unread.positions = [{}];
  told.positions = [positionRow({ ...infy, net_quantity: 7 }), positionRow({ symbol: 'ITC', token: '1660', net_quantity: 5 })];
  expect((await corrections()).sort()).toEqual(['adopted ITC', 'corrected INFY']);
  told.positions = [positionRow({ ...infy, net_quantity: -7 }), positionRow({ symbol: 'ITC', token: '1660', net_quantity: 5 })];
  expect(await corrections()).toEqual([]);
  expect(await openPositions(lane.sql)).toMatchObject([
    { symbol: 'INFY', side: 'BUY', qty: 7 },
    { symbol: 'ITC', qty: 5 },
    { symbol: 'SBIN', qty: 10 },
  ]);
  unread = {};
  expect((await corrections()).sort()).toEqual(['adopted INFY', 'closed INFY', 'closed SBIN']);
});

it('misses no order in a book with a row that cannot be read', async () => {
  await filled(lane.db, { order_id: '1001', filled_quantity: 0, average_price: null, status: 'PLACED' }, clock.now() - 86_400_000, mine);
  const status = async () => (await lane.sql`select status from tsm_orders where order_id = '1001'`)[0]?.status;
  unread.orders = [{ symbol: 'SBIN' }];
  await corrections();
  expect(await status()).toBe('PLACED');
  unread = {};
  await corrections();
  expect(await status()).toBe('UNKNOWN');
});

it('knows its own orders again in rows that spell them otherwise', async () => {
  await bought({ symbol: 'sbin', token: '03045' });
  told.orders = [orderRow({ ...sbin, token: '3045', filled_quantity: 10, average_price: 800, status: 'FILLED', state: 'FILLED' })];
  told.positions = [positionRow({ ...sbin, token: '3045' })];
  expect(await corrections()).toEqual([]);
  expect(await openPositions(lane.sql)).toMatchObject([{ symbol: 'sbin', qty: 10 }]);
});
