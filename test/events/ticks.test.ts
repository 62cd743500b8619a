import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Quote } from '../../contract/quotes.ts';
import type { FeedInstrument } from '../../server/brokers/feed.ts';
import { systemClock } from '../../server/clock.ts';
import { type Listener, Listeners } from '../../server/feed/listeners.ts';
import { Ticks } from '../../server/feed/ticks.ts';
import { type FindByName, finder } from '../../server/instruments/by-name.ts';
import { silentLog } from '../../server/log.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { follow, until } from './sse.ts';

const asGiven = finder(() => null, systemClock);

/** A feed of the test's own, on the real list of listeners. */
function feedOf() {
  const listeners = new Listeners();
  return {
    listen: (instruments: readonly FeedInstrument[], listener: Listener) => listeners.add(instruments, listener),
    wanted: () => listeners.instruments().map(({ exchange, symbol, token }) => `${exchange}:${symbol}:${token}`),
    price: (symbol: string, lastPrice: number, at: number) => listeners.tell({ exchange: 'NSE', symbol, token: '' }, { lastPrice, at }),
    leftOut: (...symbols: string[]) => listeners.leftOut(symbols.map((symbol) => ({ exchange: 'NSE', symbol, token: '' }))),
  };
}

const quotesOf = (text: string): Quote[] => [...text.matchAll(/event: tick\ndata: (.*)\n\n/g)].map(([, data = '']) => JSON.parse(data));

/** A subscriber that takes at every beat while it has room. */
async function subscriber(ticks: Ticks, clock: VirtualClock, names: string[]) {
  const took: { at: number; quote: Quote }[] = [];
  const without: string[] = [];
  let subscribed: Awaited<ReturnType<Ticks['subscribe']>> | null = null;
  const own = {
    room: true,
    took,
    without,
    end: () => subscribed && 'end' in subscribed && subscribed.end(),
  };
  subscribed = await ticks.subscribe(names, {
    beat() {
      if (!own.room || !subscribed || 'unknown' in subscribed) return;
      took.push(...quotesOf(Buffer.from(subscribed.take() ?? []).toString()).map((quote) => ({ at: clock.mono(), quote })));
    },
    without: (name) => void without.push(name),
  });
  return own;
}

describe('ticks of one stream', () => {
  test('the newest alone, at most four a second of an instrument, however many come', async () => {
    const [clock, feed] = [new VirtualClock(), feedOf()];
    const ticks = new Ticks({ feed, clock, log: silentLog(), find: asGiven });
    const own = await subscriber(ticks, clock, ['NSE:SBIN', 'NSE:INFY']);
    for (let step = 0; step < 100; step += 1) {
      feed.price('SBIN', 100 + step, clock.now());
      if (step === 3) feed.price('INFY', 1500, clock.now());
      await clock.pass(20);
    }
    await clock.pass(500);
    const sbin = own.took.filter(({ quote }) => quote.instrument === 'NSE:SBIN');
    for (const [index, { at }] of sbin.entries()) {
      const before = sbin[index - 1]?.at ?? Number.NEGATIVE_INFINITY;
      expect(at - before).toBeGreaterThanOrEqual(250);
    }
    expect(sbin.length).toBeGreaterThanOrEqual(7);
    expect(sbin.at(-1)?.quote.last_price).toBe(199);
    expect(own.took.filter(({ quote }) => quote.instrument === 'NSE:INFY')).toMatchObject([
      { quote: { last_price: 1500, bid: null, volume: null, at: expect.stringMatching(/Z$/), age_ms: expect.any(Number) } },
    ]);
    own.end();
  });

  test('a reader without room misses those between and gets the newest when it has room again', async () => {
    const [clock, feed] = [new VirtualClock(), feedOf()];
    const ticks = new Ticks({ feed, clock, log: silentLog(), find: asGiven });
    const own = await subscriber(ticks, clock, ['NSE:SBIN']);
    own.room = false;
    for (let step = 0; step < 50; step += 1) {
      feed.price('SBIN', 100 + step, clock.now());
      await clock.pass(100);
    }
    own.room = true;
    await clock.pass(300);
    expect(own.took.map(({ quote }) => quote.last_price)).toEqual([149]);
    own.end();
  });

  test('an instrument is subscribed as long as somebody listens, and anew when the session changes', async () => {
    const [clock, feed] = [new VirtualClock(), feedOf()];
    let token = '1';
    const find = async (name: string) => {
      const found = { ...(await asGiven(name)), token };
      return name === 'NSE:GONE' && token !== '1' ? { refused: 'gone' } : found;
    };
    const ticks = new Ticks({ feed, clock, log: silentLog(), find });
    const one = await subscriber(ticks, clock, ['NSE:SBIN', 'NSE:GONE']);
    const two = await subscriber(ticks, clock, ['NSE:SBIN']);
    expect(feed.wanted()).toEqual(['NSE:SBIN:1', 'NSE:GONE:1']);
    token = '2';
    ticks.wake('session');
    await clock.pass(50);
    expect(feed.wanted()).toEqual(['NSE:SBIN:2']);
    expect(one.without).toEqual(['NSE:GONE']);
    feed.price('SBIN', 5, clock.now());
    await clock.pass(50);
    expect([one, two].map(({ took }) => took.length)).toEqual([1, 1]);
    one.end();
    expect(feed.wanted()).toEqual(['NSE:SBIN:2']);
    two.end();
    expect(feed.wanted()).toEqual([]);
  });

  test('what the feed does not carry is told once, also to who comes later', async () => {
    const [clock, feed] = [new VirtualClock(), feedOf()];
    const ticks = new Ticks({ feed, clock, log: silentLog(), find: asGiven });
    const one = await subscriber(ticks, clock, ['NSE:SBIN']);
    feed.leftOut('SBIN');
    feed.leftOut('SBIN');
    expect(one.without).toEqual(['NSE:SBIN']);
    const later = await subscriber(ticks, clock, ['NSE:SBIN']);
    expect(later.without).toEqual(['NSE:SBIN']);
    later.end();
    feed.leftOut();
    feed.leftOut('SBIN');
    expect(one.without).toEqual(['NSE:SBIN', 'NSE:SBIN']);
    one.end();
  });
});

describe('ticks over the practice exchange', () => {
  let gateway: TestGateway;
  const tokens: Record<string, string> = { SBIN: '779521', INFY: '408065' };
  beforeAll(async () => {
    const find: FindByName = async (name) => {
      const [, symbol = ''] = name.split(':');
      return { exchange: 'NSE', symbol, token: tokens[symbol] ?? '', instrument: name, listed: symbol !== 'NOSUCH' };
    };
    gateway = await startGateway({ overrides: { find } });
  });
  afterAll(() => gateway?.stop());

  test('a quote of each instrument comes by its name, without a number, and the records stay with what is held', async () => {
    const stream = await follow({ ...gateway, instruments: 'NSE:SBIN,NSE:INFY,NSE:SBIN' });
    const venue = gateway.context.exchange;
    venue?.exchange.setPrice('NSE', 'SBIN', '812.35');
    await until('the price', () => stream.messages.some(({ event, data }) => event === 'tick' && data.last_price === 812.35));
    await until('the other', () => stream.messages.some(({ data }) => data.instrument === 'NSE:INFY'));
    const tick = stream.messages.find(({ data }) => data.last_price === 812.35);
    expect(tick).toMatchObject({
      id: null,
      event: 'tick',
      data: { instrument: 'NSE:SBIN', bid: expect.any(Number), close: expect.any(Number) },
    });
    expect(Object.keys(tick?.data ?? {})).toHaveLength(11);
    stream.destroy();
    // Nobody listens any more: the price is forgotten with the subscription.
    await until('the end of it', () => gateway.context.feed.price('NSE', 'SBIN') === null);
  });

  test('the ticks go on after another sign-in', async () => {
    const stream = await follow({ ...gateway, instruments: 'NSE:SBIN' });
    await gateway.call('POST', '/broker/disconnect');
    await gateway.call('POST', '/broker/connect?broker=zerodha');
    gateway.context.exchange?.exchange.setPrice('NSE', 'SBIN', '813.15');
    await until('the price', () => stream.messages.some(({ data }) => data.last_price === 813.15));
    stream.destroy();
  });

  test('a name of nothing is refused, one without a place on the feed is told by a notice', async () => {
    expect((await gateway.call('GET', '/broker/stream?instruments=NSE:NOSUCH')).body.message).toBe(
      'instruments: must name instruments of the connected broker; unknown: NSE:NOSUCH',
    );
    const stream = await follow({ ...gateway, instruments: 'NSE:TCS' });
    await until('the notice', () => stream.messages.length > 0);
    expect(stream.messages[0]).toMatchObject({
      id: null,
      event: 'notice',
      data: { kind: 'stream.no_ticks', detail: { instrument: 'NSE:TCS' } },
    });
    stream.destroy();
  });
});
