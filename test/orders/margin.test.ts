import { describe, expect, it } from 'vitest';
import type { OrderMarginRequest } from '../../contract/margin.ts';
import type { Broker, BrokerOrder, BrokerQuote, Margin, Quotes } from '../../server/brokers/broker.ts';
import { ReadBudget, readRefused } from '../../server/brokers/read-budget.ts';
import type { Directory } from '../../server/instruments/instruments.ts';
import { marginOperations } from '../../server/orders/margin.ts';
import { accountOf } from '../support/account.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { fileOf, sbin } from './directory.ts';

const needs = { success: true, required: '1624.7', available: '250.5', data: { total: 1624.7 } } as const;
const answer = { success: true, required: 1624.7, available: 250.5, data: { total: 1624.7 } };

const ten: OrderMarginRequest = {
  ...{ symbol: 'SBIN', token: '779521', exchange: 'NSE', transaction_type: 'BUY', order_type: 'LIMIT', product_type: 'INTRADAY' },
  ...{ quantity: 10, price: 812.35, trigger_price: 0, variety: 'NORMAL' },
};

/** A broker whose calculator answers, and what that was asked. */
function stand(change: Partial<Broker> = {}, { connected = true, directory = null as Directory | null, readsAMinute = 0 } = {}) {
  const clock = new VirtualClock();
  const asked: BrokerOrder[] = [];
  const orderMargin = async (order: BrokerOrder): Promise<Margin> => {
    asked.push(order);
    return needs;
  };
  const reads = new ReadBudget(clock, readsAMinute > 0 ? [{ requests: readsAMinute, perMs: 60_000 }] : []);
  const account = accountOf(standInBroker({ orderMargin, ...change }), clock, { reads });
  const parts = { clock, instruments: { of: () => directory }, accounts: { active: () => (connected ? account : null) } };
  const margin = (order: Partial<OrderMarginRequest> = {}) => clock.settle(marginOperations(parts).orderMargin({ ...ten, ...order }));
  return { clock, account, asked, margin };
}

describe('the margin of an order', () => {
  it('is what the broker’s calculator says of it, in the words of its file', async () => {
    const { asked, margin } = stand({}, { directory: fileOf([{ ...sbin, brokerSymbol: 'SBIN-EQ', token: '3045' }]) });
    expect(await margin({ token: '', quantity: 20 })).toEqual(answer);
    expect(asked).toEqual([
      {
        ...{ symbol: 'SBIN-EQ', tradingsymbol: 'SBIN-EQ', token: '3045', exchange: 'NSE', transactiontype: 'BUY', ordertype: 'LIMIT' },
        ...{ producttype: 'INTRADAY', quantity: '20', price: '812.35', triggerprice: '0', variety: 'NORMAL', duration: 'DAY' },
      },
    ]);
  });
  it('has no free funds where the calculator does not say them', async () => {
    const { margin } = stand({ orderMargin: async () => ({ ...needs, available: null }) });
    expect(await margin()).toEqual({ ...answer, available: null });
  });
  it.each<[string, Parameters<typeof stand>, string]>([
    ['nobody is signed in', [{}, { connected: false }], 'Broker Not Connected'],
    ['the calculator refuses', [{ orderMargin: async () => ({ success: false, message: 'Blocked scrip' }) }], 'Blocked scrip'],
    ['the call fails', [{ orderMargin: () => Promise.reject(new Error('socket hang up')) }], 'socket hang up'],
    ['the call fails in a text', [{ orderMargin: () => Promise.reject('HTTP 502') }], 'HTTP 502'],
    [
      'the name is of two instruments',
      [{}, { directory: fileOf([sbin, { ...sbin, token: '1' }]) }],
      'symbol: SBIN names 2 instruments of NSE (SBIN, SBIN); give one of these names, or its token',
    ],
  ])('is not known where %s, and that is said', async (_, parts, message) => {
    const { asked, margin } = stand(...parts);
    expect(await margin({ token: '' })).toEqual({ success: false, message });
    expect(asked).toEqual([]);
  });
  it('is not known at a broker without a calculator', async () => {
    const { account, margin } = stand();
    Object.assign(account.broker, { orderMargin: undefined });
    expect(await margin()).toEqual({ success: false, message: 'dhan has no margin calculator that the gateway knows' });
  });
  it('is read as a caller’s read is, after those that orders need', async () => {
    const { account, margin } = stand();
    const ranks: string[] = [];
    const take = account.reads.take.bind(account.reads);
    Object.assign(account.reads, {
      take(rank: Parameters<typeof take>[0]) {
        ranks.push(rank);
        return take(rank);
      },
    });
    await margin();
    expect(ranks).toEqual(['caller']);
  });
  it('is not asked for beyond the budget of reads', async () => {
    const { asked, margin } = stand({}, { readsAMinute: 1 });
    expect(await margin()).toEqual(answer);
    expect(await margin()).toEqual(readRefused);
    expect(asked).toHaveLength(1);
  });
});

describe('the last price that a calculator asks for', () => {
  const quote: BrokerQuote = {
    ...{ lastPrice: '812.4', bid: null, ask: null, open: null, high: null, low: null, close: null, volume: null, at: null },
  };
  /** What the calculator heard, and what was read for it. */
  function priced(quotes: Broker['quotes']) {
    const [told, read] = [[] as (string | null)[], [] as unknown[]];
    const orderMargin: Broker['orderMargin'] = async (_, last) => {
      told.push(await last());
      return needs;
    };
    const stood = stand({
      orderMargin,
      quotes: async (instruments, room): Promise<Quotes> => {
        read.push(instruments);
        return (await quotes?.(instruments, room)) ?? { success: false, message: 'HTTP 503' };
      },
    });
    return { ...stood, told, read };
  }
  it('is read now, and stays known for the next ones for five seconds', async () => {
    const { clock, margin, told, read } = priced(async () => ({ success: true, quotes: [quote] }));
    await margin();
    await margin();
    const one = [{ exchange: 'NSE', symbol: 'SBIN', token: '779521' }];
    expect([told, read]).toEqual([['812.4', '812.4'], [one]]);
    await clock.pass(5000);
    expect(await margin()).toEqual(answer);
    expect(read).toEqual([one, one]);
  });
  it.each<[string, Broker['quotes']]>([
    ['the broker knows nothing of the instrument', async () => ({ success: true, quotes: [null] })],
    ['it has not traded', async () => ({ success: true, quotes: [{ ...quote, lastPrice: null }] })],
    ['quotes cannot be read', async () => ({ success: false, message: 'HTTP 503' })],
  ])('is null where %s', async (_, quotes) => {
    const { margin, told } = priced(quotes);
    expect(await margin()).toEqual(answer);
    expect(told).toEqual([null]);
  });
});
