import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Broker, BrokerOrder } from '../../server/brokers/broker.ts';
import { brokers, createBroker } from '../../server/brokers/index.ts';
import { type Random, seededRandom, systemClock } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, practiceCredentials, startExchange } from '../../server/exchange/host.ts';
import { instrumentNamed } from '../../server/exchange/instruments.ts';
import { type Instrument, isOption } from '../../server/exchange/types.ts';
import { silentLog } from '../../server/log.ts';
import { Big } from '../../server/money.ts';
import { envFor } from '../brokers/stub-server.ts';

/**
 * The exchanges' rules as the ten adapters meet them. No stop may die of the band between trigger and limit: whoever placed it would stand unprotected.
 * `STOP_TRIGGERS=200` asks more.
 */
const TRIGGERS = Number(process.env.STOP_TRIGGERS ?? 20);
const timeout = 60_000 + TRIGGERS * 1_000;
const seed = Number(process.env.SEED ?? process.hrtime.bigint() % 1_000_000n);
/** Exchange, symbol, and the part of its circuit range that triggers are drawn from. */
const traded = [
  ['NSE', 'SBIN', 0.2, 0.8],
  ['NFO', 'NIFTY26DECFUT', 0.2, 0.8],
  // From Rs 3.25 to Rs 54.45: below and above the Rs 50 up to which the band is fixed.
  ['NFO', 'RELIANCE26DEC1520CE', 0.05, 0.85],
] as const;

let host: PracticeExchange;
beforeAll(async () => {
  host = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog(), transitMs: [0, 0] });
});
afterAll(() => host.close());

interface Stop {
  side: 'BUY' | 'SELL';
  /** The last price when it is placed, then its own prices; rupees. */
  last: Big;
  trigger: Big;
  limit: Big;
}

/** A stop whose limit the exchange allows and every broker takes, at least one tick from its trigger, at a trigger by chance. Every fifth limit lies at the very edge of the band. */
function draw(instrument: Instrument, from: number, to: number, random: Random, count: number): Stop {
  const side = random.next() < 0.5 ? 'BUY' : 'SELL';
  const sign = side === 'BUY' ? 1 : -1;
  const { tick, lowerCircuit, upperCircuit } = instrument;
  const steps = (price: Big) => price.div(tick).round(0, Big.roundDown).times(tick);
  const range = new Big(upperCircuit).minus(lowerCircuit);
  const trigger = steps(range.times(from + random.next() * (to - from)).plus(lowerCircuit));
  const allowed = (trigger.lt(50) ? new Big(50) : trigger).times(isOption(instrument) ? '0.2' : '0.03');
  const drawn = steps(allowed.times(count % 5 === 0 ? 1 : random.next()));
  const distance = drawn.gt(0) ? drawn : new Big(tick);
  const wanted = trigger.plus(distance.times(sign));
  const limit = wanted.gt(upperCircuit) ? new Big(upperCircuit) : wanted.lt(lowerCircuit) ? new Big(lowerCircuit) : wanted;
  return { side, last: trigger.minus(new Big(tick).times(sign * (1 + Math.floor(random.next() * 20)))), trigger, limit };
}

describe.each(emulators)('$id', ({ id, named }) => {
  let broker: Broker;
  const account = () => host.exchange.account(id);

  beforeAll(async () => {
    const urls = host.urls[id];
    if (!urls) throw new Error(`no emulator of ${id}`);
    const { env } = envFor(brokers[id], urls.api, { ...practiceCredentials(id) });
    broker = createBroker(id, { ...env, loginUrl: urls.login, feedUrl: urls.feed });
    const connected = await broker.connect(null);
    if (!connected.success) throw new Error(connected.message);
  });
  afterAll(() => broker.close());

  /** What became of a stop: the code of its refusal at the exchange, its state there, or what the adapter says instead. */
  async function place(instrument: Instrument, type: 'SL' | 'SL-M', stop: Stop, lots = 1): Promise<string> {
    const { exchange, lotSize } = instrument;
    host.exchange.setPrice(exchange, instrument.symbol, stop.last.toFixed());
    const before = account().orders().length;
    const words = { transactiontype: stop.side, ordertype: type, producttype: 'INTRADAY', variety: 'STOPLOSS', duration: 'DAY' } as const;
    const { symbol, token } = named(instrument);
    const price = type === 'SL' ? stop.limit.toFixed() : '0';
    const order: BrokerOrder = {
      symbol,
      tradingsymbol: symbol,
      token,
      exchange,
      ...words,
      quantity: String(lots * lotSize),
      price,
      triggerprice: stop.trigger.toFixed(),
    };
    const sent = await broker.placeOrder(order, tagOf(before));
    const made = account().orders()[before];
    if (!made) return `${sent.fate}: ${sent.message}`;
    if (made.state === 'TRIGGER_PENDING') account().cancel(made.orderId);
    return made.refusal?.code ?? made.state;
  }

  test.each(traded)(`%s:%s: stops of ${TRIGGERS} triggers rest (seed ${seed})`, { timeout }, async (exchange, symbol, from, to) => {
    const instrument = instrumentNamed(exchange, symbol);
    const random = seededRandom(seed);
    const astray: string[] = [];
    for (let count = 0; count < TRIGGERS; count += 1) {
      const stop = draw(instrument, from, to, random, count);
      for (const type of ['SL', 'SL-M'] as const) {
        const fate = await place(instrument, type, stop);
        // An SL-M on an option: what the adapter or the exchange thinks of it, as long as it is not the limit that the adapter chose.
        const fits = type === 'SL-M' && isOption(instrument) ? fate !== 'STOP_BAND' : fate === 'TRIGGER_PENDING';
        if (!fits) astray.push(`${type} ${stop.side} ${stop.trigger}: ${fate}`);
      }
    }
    expect(astray.slice(0, 5), `${astray.length} of ${2 * TRIGGERS} refused`).toEqual([]);
  });

  /** What the broker says of its refusal of the newest order, in its answer or in its book. */
  async function toldOf(answer: string): Promise<string> {
    const read = await broker.orders();
    if (!read.success) throw new Error(read.message);
    const rejected = read.normalized.filter(({ status }) => status === 'REJECTED');
    return [answer, ...rejected.map(({ status_message }) => status_message)].join('\n');
  }

  test('a limit beyond the band is refused by the exchange, and the broker says so', async () => {
    const stop = { side: 'BUY', last: new Big('809'), trigger: new Big('810'), limit: new Big('834.35') } as const;
    const fate = await place(instrumentNamed('NSE', 'SBIN'), 'SL', stop);
    expect(fate).toBe('STOP_BAND');
    expect(await toldOf(fate)).toMatch(/permissible range/);
  });

  test('a quantity above the freeze is refused, and the broker says so', async () => {
    const future = instrumentNamed('NFO', 'NIFTY26DECFUT');
    const stop = { side: 'BUY', last: new Big('26000'), trigger: new Big('26100'), limit: new Big('26200') } as const;
    const fate = await place(future, 'SL', stop, 28);
    expect(fate).toMatch(/^FREEZE$|^rejected: /);
    expect(await toldOf(fate)).toMatch(/freeze/i);
  });
});

/** A tag no order had before. */
function tagOf(count: number): string {
  return `k${String(count).padStart(15, '0')}`;
}
