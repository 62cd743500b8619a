import { afterEach, describe, expect, test } from 'vitest';
import type { Broker, BrokerQuote } from '../../server/brokers/broker.ts';
import type { FeedInstrument } from '../../server/brokers/feed.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';
import { practice } from '../exchange/practice.ts';
import { type Answer, startGateway, type TestGateway } from '../support/gateway.ts';
import { standIn } from '../support/stand-in-broker.ts';

const path = (...names: string[]) => `/broker/quotes?instruments=${encodeURIComponent(names.join(','))}`;

describe('GET /broker/quotes on the practice exchange', () => {
  const { call, venue, instrument, place, order, gateway } = practice('zerodha', { SBIN: '812.35', TCS: '3105' });
  const touch = (symbol: string) => {
    const { last, bid, ask, open, high, low, close } = venue().exchange.quote(instrument('NSE', symbol));
    return {
      last_price: Number(last),
      bid: Number(bid),
      ask: Number(ask),
      open: Number(open),
      high: Number(high),
      low: Number(low),
      close: Number(close),
    };
  };

  test('tells what the exchange quotes, in the order asked for, each once; an index, and what is missing with the reason', async () => {
    const { status, body } = await call('GET', path('NSE:TCS', 'NSE:NOSUCH', 'NSE:SBIN', 'NSE:TCS', 'NSE_INDEX:NIFTY 50'));
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(body.quotes.map((quote: { instrument: string }) => quote.instrument)).toEqual(['NSE:TCS', 'NSE:SBIN', 'NSE_INDEX:NIFTY 50']);
    expect(body.quotes[0]).toMatchObject(touch('TCS'));
    expect(body.quotes[1]).toMatchObject(touch('SBIN'));
    expect(body.quotes[2]).toMatchObject({ last_price: expect.any(Number), bid: null, ask: null, volume: null });
    expect(Math.abs(Date.now() - Date.parse(body.quotes[1].at))).toBeLessThan(10_000);
    expect(body.quotes[1].age_ms).toBeGreaterThanOrEqual(0);
    expect(body.missing).toEqual([
      { instrument: 'NSE:NOSUCH', message: 'zerodha has no quote of NSE:NOSUCH by that name alone: its token is not known' },
    ]);
  });

  test('has no `missing` when nothing is', async () => {
    expect(Object.keys((await call('GET', path('NSE:SBIN'))).body).sort()).toEqual(['quotes', 'success']);
  });

  test('fifty names are answered, fifty-one and names without an exchange refused by the name of the field', async () => {
    const fifty = Array.from({ length: 50 }, (_, index) => `NSE:S${index}`);
    expect((await call('GET', path(...fifty))).body).toMatchObject({ success: true, quotes: [], missing: { length: 50 } });
    for (const [list, message] of [
      [path(...fifty, 'NSE:SBIN'), 'must be at most 50 names'],
      [path('NSE:SBIN', 'TCS'), expect.stringContaining('"TCS"')],
      [path('NSE:SBIN', ''), expect.stringContaining('NSE:SBIN')],
      ['/broker/quotes', 'is required'],
    ] as const) {
      const { status, body } = await call('GET', list);
      expect({ status, issues: body.issues }).toEqual({ status: 422, issues: [{ path: 'instruments', message }] });
    }
  });

  test('what is held comes from the feed: its last price, told by it, within two seconds', async () => {
    expect((await place(order('SBIN'))).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    await expect.poll(() => gateway().context.feed.quote('NSE', 'SBIN'), { timeout: 15_000 }).not.toBeNull();
    venue().exchange.setPrice('NSE', 'SBIN', '820');
    await expect.poll(() => gateway().context.feed.price('NSE', 'SBIN')?.rupees, { timeout: 15_000 }).toBe(820);
    const { body } = await call('GET', path('NSE:SBIN'));
    expect(body.quotes[0]).toMatchObject({ last_price: 820, bid: 819.95, ask: 820.05 });
  });
});

describe('GET /broker/quotes where the feed tells no bid and no ask', () => {
  const { call, venue, place, order, gateway } = practice('groww', { SBIN: '812.35' });

  test('a read that fails leaves what the feed has told, and says why others are missing', async () => {
    expect((await place(order('SBIN'))).body).toMatchObject({ success: true, fill_status: 'FILLED' });
    venue().faults.plant({ broker: 'groww', operation: 'market', kind: 'status5xxBefore', times: 'always' });
    venue().exchange.setPrice('NSE', 'SBIN', '820');
    await expect.poll(() => gateway().context.feed.price('NSE', 'SBIN')?.rupees, { timeout: 15_000 }).toBe(820);
    const { body } = await call('GET', path('NSE:SBIN', 'NSE:TCS'));
    expect(body.quotes).toMatchObject([{ instrument: 'NSE:SBIN', last_price: 820, bid: null, ask: null, high: expect.any(Number) }]);
    expect(body.missing).toEqual([{ instrument: 'NSE:TCS', message: expect.stringMatching(/Unable to serve/) }]);
    expect((await call('GET', path('NSE:TCS'))).body).toEqual({ success: false, message: expect.stringMatching(/Unable to serve/) });
  });
});

const told: BrokerQuote = {
  lastPrice: '812.35',
  bid: '812.3',
  ask: '812.4',
  open: null,
  high: null,
  low: null,
  close: '808.75',
  volume: 0,
  at: null,
};

describe('GET /broker/quotes with a broker of its own', () => {
  let gateway: TestGateway | null = null;
  afterEach(async () => {
    await gateway?.stop();
    gateway = null;
  });
  async function startWith(change: Partial<Broker>): Promise<(...names: string[]) => Promise<Answer>> {
    const started = await startGateway({ env: { BROKERS: 'dhan', PRACTICE_LIMITS: 'on' }, overrides: { brokers: standIn(change) } });
    gateway = started;
    return (...names) => started.call('GET', path(...names));
  }
  const traits = {
    tradedBy: tradedBySymbol,
    orderLimits: [],
    readLimits: [],
    quoteLimits: [{ requests: 1, perMs: 1_000 }],
    unattended: false,
  };

  /** A broker that counts its reads and answers when told to. */
  function counting() {
    const reads: FeedInstrument[][] = [];
    let waiting: (() => void)[] = [];
    return {
      reads,
      answer: () => {
        for (const go of waiting) go();
        waiting = [];
      },
      quotes: async (instruments: readonly FeedInstrument[]) => {
        reads.push([...instruments]);
        await new Promise<void>((done) => waiting.push(done));
        return { success: true as const, quotes: instruments.map(() => told) };
      },
    };
  }

  test('requests at one time share their reads: no instrument is read twice', async () => {
    const broker = counting();
    const quotes = await startWith({ traits, quotes: broker.quotes });
    const first = quotes('NSE:SBIN');
    await expect.poll(() => broker.reads.length).toBe(1);
    // What is being read is not read again, and the rest is read together.
    const more = [quotes('NSE:SBIN'), quotes('NSE:SBIN', 'NSE:TCS'), quotes('NSE:TCS')];
    await expect.poll(() => broker.reads.length, { timeout: 5_000 }).toBe(2);
    broker.answer();
    for (const { body } of await Promise.all([first, ...more])) {
      expect(body).toMatchObject({ success: true });
      expect(body.quotes[0]).toMatchObject({ last_price: 812.35, bid: 812.3, ask: 812.4, open: null, close: 808.75, volume: 0 });
    }
    expect(broker.reads.map((read) => read.map(({ symbol }) => symbol))).toEqual([['SBIN'], ['TCS']]);
  });

  test('one read a second: the next waits its turn, and what can have none in time is told so', async () => {
    const broker = counting();
    const traitsOfTwo = { ...traits, quotesARead: 1 };
    const quotes = await startWith({ traits: traitsOfTwo, quotes: broker.quotes });
    const asked = ['NSE:A', 'NSE:B', 'NSE:C'].map((name) => quotes(name));
    await expect.poll(() => broker.reads.length, { timeout: 5_000 }).toBe(2);
    broker.answer();
    const bodies = (await Promise.all(asked)).map(({ body }) => body);
    expect(bodies.filter(({ success }) => success)).toHaveLength(2);
    expect(bodies.find(({ success }) => !success)?.message).toMatch(/limit for quotes/);
  });

  test('where the token is not known, that is said', async () => {
    const quotes = await startWith({ traits, quotes: async (instruments) => ({ success: true, quotes: instruments.map(() => null) }) });
    const { body } = await quotes('NSE:SBIN');
    expect(body.missing).toEqual([
      { instrument: 'NSE:SBIN', message: 'dhan has no quote of NSE:SBIN by that name alone: its token is not known' },
    ]);
  });

  test('a failed read, a throw and a broker without quotes are failures in words', async () => {
    const quotes = await startWith({ quotes: async () => ({ success: false, message: 'no market data in this plan' }) });
    expect((await quotes('NSE:SBIN')).body).toEqual({ success: false, message: 'no market data in this plan' });
    await gateway?.stop();
    const throwing = await startWith({ quotes: () => Promise.reject(new Error('broken')) });
    expect((await throwing('NSE:SBIN')).body).toEqual({ success: false, message: 'broken' });
    await gateway?.stop();
    const without = await startWith({});
    expect((await without('NSE:SBIN')).body).toEqual({ success: false, message: 'dhan has no quotes' });
    await gateway?.call('POST', '/broker/disconnect');
    expect((await without('NSE:SBIN')).body).toEqual({ success: false, message: 'Broker Not Connected' });
  });
});
