import { describe, expect, test } from 'vitest';
import { Big } from '../../server/money.ts';
import { dayOf } from '../../server/report/day.ts';
import { profitOf } from '../../server/report/position-profit.ts';
import type { PositionRow, TradeRow } from '../../server/report/position-rows.ts';

const day = dayOf(Date.parse('2026-11-20T10:00:00+05:30'));
const [today, yesterday] = ['2026-11-20', '2026-11-19'];
const before = day.from - 3_600_000;

const flat = {
  status: 'OPEN',
  style: 'DELIVERY',
  side: 'BUY',
  qty: 10,
  entry: '100',
  exit: null,
  ltp: null,
  exit_reason: null,
  strategy: null,
};
const row = (fields: Partial<PositionRow>): PositionRow => ({
  ...{ id: 1, exchange: 'NSE', symbol: 'SBIN', token: null, multiplier: '1', realised: null, base: null, ...flat, side: 'BUY' },
  ...{ openCost: '1000', closedCost: '0', closedQuantity: 0, exitValue: '0', openedMs: before, closedMs: null, updatedMs: before },
  ...fields,
});
let serial = 0;
const trade = (side: 'BUY' | 'SELL', quantity: number, price: string, on: string, fields: Partial<TradeRow> = {}): TradeRow => {
  serial += 1;
  const names = { side, quantity, price, day: on, serial, orderId: `${serial}`, tradeId: `${serial}`, product: 'DELIVERY' };
  return {
    ...names,
    exchange: 'NSE',
    symbol: 'SBIN',
    derived: false,
    frozen: false,
    positionId: 1,
    at: Date.parse(`${on}T10:00:00+05:30`) + serial,
    ...fields,
  };
};
const fixed = (qty: number, entry: string | null) => ({
  ...{ side: 'BUY' as const, qty, cost: entry && new Big(entry).times(qty).toFixed(), entry },
  ...{ closedQuantity: 0, exitValue: '0', closedCost: '0', fixed: true },
});
const worth = (last: string | null, close: string | null) => ({
  last: last === null ? null : new Big(last),
  close: close === null ? null : new Big(close),
});

function told(one: PositionRow, trades: TradeRow[], at: ReturnType<typeof worth>, earlier: TradeRow[] = []) {
  const { realisedToday, realised, unrealised, today: earned, sinceEntry, unknown } = profitOf(one, trades, earlier, day, at);
  const texts = [realisedToday, realised, unrealised, earned, sinceEntry].map((value) => value && Number(value.toFixed()));
  return [...texts, unknown];
}

describe('realised today, realised, unrealised, of the day, since entry, what is unknown', () => {
  test('carried from yesterday: from its close on', () => {
    expect(told(row({}), [], worth('112', '110'))).toEqual([0, 0, 120, 20, 120, null]);
    expect(told(row({ side: 'SELL' }), [], worth('112', '110'))).toEqual([0, 0, -120, -20, -120, null]);
  });
  test('carried, a part of it sold today, and more bought', () => {
    const trades = [trade('BUY', 10, '100', yesterday), trade('SELL', 4, '115', today), trade('BUY', 2, '113', today)];
    const one = row({ qty: 8, openCost: '826', realised: '60', closedQuantity: 4, closedCost: '400', exitValue: '460' });
    // 4 x (115 - 110), 6 x (112 - 110) and 2 x (112 - 113).
    expect(told(one, trades, worth('112', '110'))).toEqual([60, 60, 70, 30, 130, null]);
  });
  test('what yesterday realised is not of today', () => {
    const trades = [trade('BUY', 10, '100', yesterday), trade('SELL', 4, '105', yesterday), trade('SELL', 6, '111', today)];
    const closed = {
      status: 'CLOSED',
      exit_reason: 'ORDER',
      qty: 0,
      openCost: '0',
      realised: '86',
      closedQuantity: 10,
      closedMs: day.from + 1,
    };
    expect(told(row({ ...closed, closedCost: '1000', exitValue: '1086' }), trades, worth(null, '110'))).toEqual([66, 86, 0, 6, 86, null]);
    expect(
      told(
        row({ ...closed, realised: '20', qty: 6, status: 'OPEN', openCost: '600', closedQuantity: 4 }),
        trades.slice(0, 2),
        worth('111', '110'),
      ),
    ).toEqual([0, 20, 66, 6, 86, null]);
  });
  test('a row that an execution of today flipped: the part that closed it, and the part that opened the next', () => {
    const flip = trade('SELL', 15, '120', today);
    const closed = {
      status: 'CLOSED',
      exit_reason: 'ORDER',
      qty: 0,
      openCost: '0',
      realised: '200',
      closedQuantity: 10,
      closedMs: day.from + 1,
    };
    expect(told(row(closed), [trade('BUY', 10, '100', yesterday), flip], worth('118', '110'))).toEqual([200, 200, 0, 100, 200, null]);
    const base = {
      side: 'SELL' as const,
      qty: 5,
      cost: '600',
      entry: '120',
      closedQuantity: 0,
      exitValue: '0',
      closedCost: '0',
      fixed: false,
    };
    expect(told(row({ side: 'SELL', qty: 5, openCost: '600', base, openedMs: day.from + 1 }), [], worth('118', '110'))).toEqual([
      0,
      0,
      10,
      10,
      10,
      null,
    ]);
  });
  test('rounded once: what is open and what was closed are together what the executions come to', () => {
    // 16 for 1610.1001, 8 of them sold: each half ends on 0.00005, which rounded twice is 0.0001 too much.
    const trades = [trade('BUY', 15, '100.6313', today), trade('BUY', 1, '100.6306', today), trade('SELL', 8, '101', today)];
    const costs = { openCost: '805.05005', closedCost: '805.05005' };
    const one = row({ ...costs, qty: 8, realised: '2.95', closedQuantity: 8, exitValue: '808', openedMs: day.from + 1, style: 'INTRADAY' });
    expect(told(one, trades, worth('101', null))).toEqual([2.95, 2.95, 2.9499, 5.8999, 5.8999, null]);
  });
  test('lots: money is times the multiplier', () => {
    expect(told(row({ multiplier: '100', qty: 2, openCost: '200' }), [], worth('103', '101'))).toEqual([0, 0, 600, 400, 600, null]);
  });
  test('without a price, a close, an entry: null, and why', () => {
    expect(told(row({}), [], worth(null, '110'))).toEqual([0, 0, null, null, null, 'no price of it is known']);
    expect(told(row({}), [], worth('112', null))).toEqual([0, 0, 120, null, 120, "yesterday's close is not known"]);
    expect(told(row({ openCost: null, entry: null }), [], worth('112', '110'))).toEqual([
      0,
      0,
      null,
      20,
      null,
      'what it cost is not known',
    ]);
  });
  test('adopted today: INTRADAY from its average, others from the close but for what was executed today', () => {
    const adopted = { openedMs: day.from + 1, base: fixed(10, '100') };
    expect(told(row({ ...adopted, style: 'INTRADAY' }), [], worth('112', '110'))).toEqual([0, 0, 120, 120, 120, null]);
    expect(told(row(adopted), [], worth('112', '110'))).toEqual([0, 0, 120, 20, 120, null]);
    const earlier = [trade('BUY', 4, '111', today, { positionId: null })];
    expect(told(row(adopted), [], worth('112', '110'), earlier)).toEqual([0, 0, 120, 4 * 12 + 6 * 2, 120, null]);
    const unknown = { ...adopted, style: 'INTRADAY', base: fixed(10, null), openCost: null, entry: null };
    expect(told(row(unknown), [], worth('112', '110'))).toEqual([0, 0, null, null, null, 'what it cost is not known']);
  });
  test('gone at the broker, or taken away by reconciliation today: nobody knows', () => {
    const gone = row({ status: 'CLOSED', exit_reason: 'NOT_HELD_AT_BROKER', qty: 0, closedMs: day.from + 1 });
    expect(told(gone, [], worth('112', '110'))).toEqual([0, 0, 0, null, null, expect.stringContaining('held it no more')]);
    const less = row({ qty: 4, openCost: '400', openedMs: day.from + 1, base: fixed(4, '100') });
    const bought = trade('BUY', 10, '100', today, { frozen: true });
    expect(told(less, [bought], worth('112', '110'))).toEqual([0, 0, 48, null, 48, expect.stringContaining('nobody told at what price')]);
  });
  test('a reconciliation between: what was closed before counts on the day it was', () => {
    const history = [trade('BUY', 10, '100', yesterday), trade('SELL', 2, '104', yesterday), trade('SELL', 3, '106', today)].map((one) => ({
      ...one,
      frozen: true,
    }));
    const base = { ...fixed(4, '100'), closedQuantity: 5, exitValue: '526', closedCost: '500' };
    const one = row({ qty: 4, openCost: '400', base, realised: '26', closedQuantity: 5, closedCost: '500', exitValue: '526' });
    expect(told(one, history, worth('112', '110')).slice(0, 3)).toEqual([18, 26, 48]);
  });
});
