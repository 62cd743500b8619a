import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { HoldingRow, OrderRow, PositionRow, TradeRow } from '../../contract/rows.ts';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { suite as aliceblue } from './aliceblue.suite.ts';
import { suite as angelone } from './angelone.suite.ts';
import { captured, type Row, rowsIn } from './captured.ts';
import type { Suite } from './conformance.ts';
import { suite as dhan } from './dhan.suite.ts';
import { suite as fivepaisa } from './fivepaisa.suite.ts';
import { suite as fyers } from './fyers.suite.ts';
import { suite as groww } from './groww.suite.ts';
import { suite as kotak } from './kotak.suite.ts';
import { suite as shoonya } from './shoonya.suite.ts';
import { stubBroker } from './stub-broker.ts';
import { answerOf, type Fixture } from './stub-server.ts';
import { suite as upstox, routes as upstoxRoutes } from './upstox.suite.ts';
import { suite as zerodha } from './zerodha.suite.ts';

/** The lists of `fixtures/<id>/captured.json`: the read of each, our rows of it, and where those have a quantity and its price. */
const lists = {
  positions: { read: 'positions', row: PositionRow, quantity: 'net_quantity', price: 'average_price' },
  orders: { read: 'orders', row: OrderRow, quantity: 'filled_quantity', price: 'average_price' },
  trades: { read: 'tradebook', row: TradeRow, quantity: 'quantity', price: 'price' },
  holdings: { read: 'holdings', row: HoldingRow, quantity: 'quantity', price: 'average_price' },
} as const;
type List = keyof typeof lists;
const names = Object.keys(lists) as List[];

interface Captured {
  suite: Suite;
  /** The price of each row, in order; null where there is none to tell. */
  prices: Readonly<Record<List, readonly (number | null)[]>>;
  free: string;
  /** What else the rows must read, in the same order. */
  reads?: Partial<Record<List, readonly Row[]>>;
  /** Routes beside those of the suite, by the name of their answer. */
  routes?: Readonly<Record<string, string>>;
}

/** What the captured rows of each broker are read as. */
const brokers: Readonly<Record<BrokerId, Captured>> = {
  zerodha: {
    suite: zerodha,
    prices: {
      positions: [161.05, 26010.05, 1502.35, 0],
      orders: [156.7, 12.3, 0, 0],
      trades: [420.65, 72.755],
      holdings: [801.78125, 2206.5, 56.35],
    },
    free: '200386.75',
  },
  upstox: {
    suite: upstox,
    prices: { positions: [2.65, 0.8, 1512.25, 0.005, null, 571.33], orders: [570.95, 0], trades: [99.4], holdings: [18.75] },
    free: '15000.5',
    routes: { mtf: upstoxRoutes.mtf },
  },
  angelone: {
    suite: angelone,
    prices: { positions: [7.15, 105, null], orders: [812.05], trades: [405.1], holdings: [111.87] },
    free: '9999.45',
  },
  shoonya: {
    suite: shoonya,
    prices: { positions: [62.2, 150.49], orders: [799.85, null], trades: [800], holdings: [1800, 1400] },
    free: '11054.46',
  },
  aliceblue: {
    suite: aliceblue,
    prices: { positions: [7.69, 84.2], orders: [0, 1119.85], trades: [6.95], holdings: [7.17] },
    free: '52926.4',
  },
  fivepaisa: {
    suite: fivepaisa,
    prices: { positions: [809.2514, 0, 5.2], orders: [5.2], trades: [2.55], holdings: [455.7229, 242.45] },
    free: '26738.39',
  },
  dhan: {
    suite: dhan,
    prices: { positions: [475.85782], orders: [3345], trades: [3345.8], holdings: [855.5] },
    free: '98440',
    reads: {
      positions: [{ symbol: 'BANKNIFTY-Nov2026-52800-PE', token: '55231', exchange: 'NFO', net_quantity: -30, multiplier: 1 }],
      orders: [{ order_id: '112111182198', symbol: 'TCS', exchange: 'NSE', filled_quantity: 5, status: 'FILLED', tag: '123abc678' }],
      trades: [{ trade_id: '15112111182045', order_id: '112111182045', symbol: 'TCS', quantity: 40 }],
      holdings: [{ symbol: 'HDFCBANK', exchange: 'NSE', quantity: 1000, sellable_quantity: 1000, last_price: 1003.2 }],
    },
  },
  fyers: {
    suite: fyers,
    prices: { positions: [67.8125], orders: [6.95], trades: [102.7], holdings: [192.6] },
    free: '58.150000000000006',
    reads: {
      positions: [{ symbol: 'NSE:NIFTY26NOV26000CE', exchange: 'NFO', net_quantity: -130, last_price: 61.4, multiplier: 1 }],
      orders: [
        {
          order_id: '26112000015105',
          symbol: 'NSE:IDEA-EQ',
          exchange: 'NSE',
          transaction_type: 'SELL',
          product_type: 'DELIVERY',
          filled_quantity: 1,
          status: 'FILLED',
          tag: 'Ordertag',
        },
      ],
      trades: [{ trade_id: '52605023', order_id: '26112000789075', symbol: 'NSE:PNB-EQ', quantity: 10 }],
      holdings: [{ symbol: 'NSE:ZEEL-EQ', token: '10100000003812', quantity: 1, sellable_quantity: 1, last_price: 149.7 }],
    },
  },
  kotak: {
    suite: kotak,
    prices: { positions: [2112, 8.6, 401.43], orders: [9.39], trades: [9.39], holdings: [9.5699, 6.7] },
    free: '19.409999999999997',
    reads: {
      positions: [
        { symbol: 'TCS26JULFUT', net_quantity: 225 },
        { symbol: 'RBLBANK26SEP415PE', net_quantity: -3175 },
        { symbol: 'ITC-EQ', net_quantity: 15 },
      ],
      orders: [{ order_id: '250122000612876', quantity: 1, filled_quantity: 1, price: 9.39, state: 'FILLED' }],
      trades: [{ trade_id: '207983744', quantity: 1 }],
      holdings: [
        { symbol: 'IDEA-EQ', quantity: 35, sellable_quantity: 35 },
        { symbol: 'ITC-EQ', quantity: 10, pnl: null },
      ],
    },
  },
  groww: {
    suite: groww,
    prices: { positions: [12400, 120], orders: [2498.5], trades: [250], holdings: [100] },
    free: '94.41',
    routes: { lastPrices: 'GET /v1/live-data/ltp' },
    reads: {
      positions: [
        { symbol: 'RELIANCE', exchange: 'NSE', net_quantity: 15, realized_pnl: 500 },
        { symbol: 'NIFTY26DEC26000CE', exchange: 'NFO', net_quantity: -65, realized_pnl: null },
      ],
      orders: [{ symbol: 'WIPRO', quantity: 100, filled_quantity: 100, price: 2500, state: 'FILLED' }],
      trades: [{ trade_id: '202402120123456789', quantity: 100 }],
      holdings: [{ symbol: 'RELIANCE', quantity: 10, sellable_quantity: 8 }],
    },
  },
};

/** A copy of the answer with other rows. */
function withRows(answer: Fixture, change: (rows: Row[]) => Row[]): Fixture {
  const copy = structuredClone(answer);
  const rows = rowsIn(copy.body);
  rows.splice(0, rows.length, ...change([...rows]));
  return copy;
}

/** The rows after a copy of the first one that has `many` wherever it had a digit. */
function afterBroken(rows: Row[]): Row[] {
  const broken = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, /\d/.test(String(value)) ? 'many' : value]);
  return [Object.fromEntries(broken), ...rows];
}

describe.each(brokerIds)('what was captured of %s', (id) => {
  const { suite, prices, free, reads = {}, routes = {} } = brokers[id];
  const here = stubBroker(suite);
  const answers = captured(id);
  const asked = {
    ...Object.fromEntries(names.map((name) => [name, suite.reads[lists[name].read].route])),
    funds: suite.reads.funds.route,
    ...routes,
  };

  /** A login whose account has what was captured; Groww alone asks for one segment at a time, and gets its rows. */
  async function connect(broken?: List): Promise<void> {
    await here.broker.connect(null);
    for (const [name, route] of Object.entries(asked)) {
      const answer = name === broken ? withRows(answers(name), afterBroken) : answers(name);
      here.stub.on(route, ({ query: { segment } }) =>
        answerOf(segment ? withRows(answer, (rows) => rows.filter((row) => row.segment === segment)) : answer),
      );
    }
  }
  async function listing(name: List) {
    const answer = await here.broker[lists[name].read]?.();
    if (!answer?.success) throw new Error(answer?.message ?? `no ${name}`);
    const rows: Row[] = z.array(lists[name].row).parse(answer.normalized);
    return { ...answer, rows, told: rows.map((row) => row[lists[name].price]) };
  }

  test.each(names)('%s: every row is read, and each quantity has its price', async (name) => {
    await connect();
    const { data, unreadable, rows, told } = await listing(name);
    expect(unreadable).toBeUndefined();
    expect(rows.length).toBe(data.length);
    expect(told).toEqual(prices[name]);
    expect(rows.filter((row, index) => row[lists[name].quantity] !== 0 && !(Number(told[index]) > 0))).toEqual([]);
    if (reads[name]) expect(rows).toMatchObject(reads[name]);
    expect(rows.flatMap(({ exchange, symbol, token }) => [exchange, symbol, token])).not.toContain('');
    expect(here.made.logged.filter((line) => /cannot be read|does not know/.test(line))).toEqual([]);
  });

  test.each(names)('%s: a row that cannot be read leaves the others', async (name) => {
    await connect(name);
    const { unreadable, told } = await listing(name);
    expect(unreadable).toHaveLength(1);
    expect(told).toEqual(prices[name]);
  });

  test('funds: what is free', async () => {
    await connect();
    const funds = await here.broker.funds();
    expect(funds.success && here.broker.traits.availableFunds?.(funds.data)).toBe(free);
  });
});
