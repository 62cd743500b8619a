import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Broker, BrokerQuote } from '../../server/brokers/broker.ts';
import type { FeedInstrument } from '../../server/brokers/feed.ts';
import { brokers, createBroker } from '../../server/brokers/index.ts';
import { QuoteRead, quoteKey } from '../../server/brokers/quote-read.ts';
import { systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { indices, instruments } from '../../server/exchange/instruments.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { Budgets } from '../../server/session/budgets.ts';
import { envFor } from './stub-server.ts';

/** What a broker leaves out of its quotes, or has no quotes of at all. */
const untold: Readonly<Partial<Record<string, readonly (keyof BrokerQuote)[]>>> = {
  fivepaisa: ['bid', 'ask', 'open'],
};
const untoldOfMany: typeof untold = { ...untold, groww: ['bid', 'ask', 'volume'] };
const notListed: Readonly<Partial<Record<string, readonly string[]>>> = { groww: ['CDS'] };
/** Brokers without a word of when a quote is of. */
const timeless = ['fyers', 'shoonya'];

/** Time stands still at the exchange, and so do its prices. */
const now = Date.now();
let host: PracticeExchange;
beforeAll(async () => {
  const clock = { ...systemClock, now: () => now };
  host = await startExchange({ ports: 'free', seed: 7, limits: true, clock, log: silentLog(), transitMs: [0, 0] });
});
afterAll(() => host.close());

function nameAt(id: string, instrument: Instrument): FeedInstrument {
  const named = emulators.find((each) => each.id === id)?.named(instrument);
  if (!named) throw new Error(`no emulator of ${id}`);
  return { exchange: instrument.kind === 'INDEX' ? `${instrument.exchange}_INDEX` : instrument.exchange, ...named };
}

/** What the exchange itself quotes, in the form of an adapter's quote and without the members of `left`. */
function quoteOf(instrument: Instrument, left: readonly string[]): Partial<BrokerQuote> {
  const { last, bid, ask, open, high, low, close, volume } = host.exchange.quote(instrument);
  const touch = instrument.kind === 'INDEX' ? { bid: null, ask: null } : { bid, ask };
  const whole = { lastPrice: last, ...touch, open, high, low, close, ...(instrument.kind === 'INDEX' ? {} : { volume }) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, left.includes(name) ? null : value]));
}

describe.each(emulators.map(({ id }) => id))('quotes of %s', (id) => {
  let broker: Broker;
  /** As the gateway reads: within the broker's limits. */
  let reader: QuoteRead;
  beforeAll(async () => {
    const urls = host.urls[id];
    if (!urls) throw new Error(`no emulator of ${id}`);
    const { env } = envFor(brokers[id], urls.api, { ...practiceCredentials(id) });
    broker = createBroker(id, { ...env, loginUrl: urls.login, feedUrl: urls.feed });
    expect(await broker.connect(null)).toMatchObject({ success: true });
    const budgets = new Budgets({ clock: systemClock, limits: true, recentSends: async () => [] });
    reader = new QuoteRead(broker, budgets.reads(broker).quotes);
  });
  afterAll(() => broker.close());

  const listed = instruments.filter(({ exchange }) => !notListed[id]?.includes(exchange));
  const named = (exchange: string, kind: string) => listed.find((each) => each.exchange === exchange && each.kind === kind);
  const known = [named('NSE', 'EQ'), named('NFO', 'CE'), indices[0]].filter((each) => each !== undefined);
  const unknown: FeedInstrument = { exchange: 'NSE', symbol: 'NOSUCH', token: id === 'upstox' ? 'NSE_EQ|INE000000000' : '99999999' };

  test('a share, an option and an index tell what the exchange quotes; of an unknown one nothing', { timeout: 30_000 }, async () => {
    const asked = [...known.map((each) => nameAt(id, each)), unknown];
    const { quotes, failure } = await reader.read(asked);
    expect(failure).toBeNull();
    for (const [index, instrument] of known.entries()) {
      const quote = quotes.get(quoteKey(asked[index] ?? unknown))?.quote;
      expect(quote, instrument.symbol).toMatchObject(quoteOf(instrument, untold[id] ?? []));
      const seconds = quote?.at === null || quote?.at === undefined ? null : Math.floor(quote.at / 1000);
      expect(seconds).toBe(timeless.includes(id) ? null : Math.floor(now / 1000));
    }
    expect(quotes.get(quoteKey(unknown))).toMatchObject({ quote: null });
  });

  test('every instrument of the exchange and every index has a quote, fifty at a time within the limits', {
    timeout: 120_000,
  }, async () => {
    const everything = [...listed, ...indices];
    // The first fifty, then some of each exchange: all of them would take the brokers with a call for each a minute.
    const some = id === 'shoonya' ? everything.filter((_, index) => index < 40 || index % 12 === 0) : everything;
    for (let at = 0; at < some.length; at += 50) {
      const piece = some.slice(at, at + 50);
      const { quotes, failure } = await reader.read(piece.map((each) => nameAt(id, each)));
      expect(failure).toBeNull();
      for (const instrument of piece) {
        const quote = quotes.get(quoteKey(nameAt(id, instrument)))?.quote;
        expect(quote, `${instrument.exchange}:${instrument.symbol}`).toMatchObject(quoteOf(instrument, untoldOfMany[id] ?? []));
      }
    }
  });
});
