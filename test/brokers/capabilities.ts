import type { BrokerId } from '../../contract/words.ts';
import { exchanges, orderTypes, productTypes, varieties } from '../../contract/words.ts';
import type { Broker, BrokerDefinition, BrokerOrder } from '../../server/brokers/broker.ts';
import { brokers } from '../../server/brokers/index.ts';
import { createRedactor } from '../../server/brokers/redactor.ts';
import { tradingCalendar } from '../../server/calendar/calendar.ts';
import { seededRandom, systemClock } from '../../server/clock.ts';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { findInstrument } from '../../server/exchange/instruments.ts';
import { silentLog } from '../../server/log.ts';

/** What the adapter of a broker refuses before anything is sent, and what it lacks: found by asking it, not by reading it. */
export interface Capabilities {
  id: BrokerId;
  name: string;
  /** Members and marks that not every broker has. */
  has: Record<Feature, boolean>;
  refused: Refused[];
  /** Combinations asked, and those that were sent. */
  asked: number;
  sent: number;
}

export interface Refused {
  exchange: string;
  ordertype: string;
  producttype: string;
  variety: string;
  message: string;
}

export const features = {
  unattended: 'signs in by itself',
  login: 'signs in through a browser',
  ordersByTag: 'a look-up of its own by our tag',
  lastPrice: 'a last price the gateway asks for',
  tradebook: 'trade book',
  orderMargin: 'the margin of an order before it is placed',
  feed: 'live prices and order updates',
} as const;
export type Feature = keyof typeof features;

/** What is ordered on each exchange. */
const traded = {
  NSE: 'SBIN',
  BSE: 'SBIN',
  NFO: 'NIFTY26DECFUT',
  BFO: 'SENSEX26DECFUT',
  MCX: 'CRUDEOIL26DECFUT',
  CDS: 'USDINR26DECFUT',
} as const;

/** An evening in India: after-market orders are taken, and the day does not change what is refused. */
const EVENING = '2026-11-20T20:00:00+05:30';

/** Asks every broker for every combination of the contract's words, over the practice exchange. */
export async function askAll(): Promise<Capabilities[]> {
  const shiftMs = Date.parse(EVENING) - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  const venue = await startExchange({ ports: 'free', seed: 1, limits: false, clock, log: silentLog(), transitMs: [0, 0] });
  try {
    const all: Capabilities[] = [];
    for (const definition of Object.values(brokers)) all.push(await ask(venue, definition));
    return all;
  } finally {
    await venue.close();
  }
}

async function ask(venue: PracticeExchange, definition: BrokerDefinition): Promise<Capabilities> {
  const { id, name } = definition;
  const urls = venue.urls[id];
  if (!urls) throw new Error(`${id} has no emulator`);
  const broker = definition.create({
    credentials: practiceCredentials(id),
    redactor: createRedactor({}),
    apiUrl: urls.api,
    loginUrl: urls.login,
    feedUrl: urls.feed,
    localAddress: undefined,
    algoId: undefined,
    marketProtection: undefined,
    isOpen: tradingCalendar().isOpen,
    clock: venue.exchange.clock,
    random: seededRandom(1),
    log: silentLog(),
    onExpired: () => undefined,
  });
  try {
    const connected = await broker.connect(null);
    if (!connected.success) throw new Error(`${id}: ${connected.message}`);
    const has = {
      unattended: broker.traits.unattended,
      login: definition.login !== undefined,
      ordersByTag: broker.ordersByTag !== undefined,
      lastPrice: broker.lastPrice !== undefined,
      tradebook: broker.tradebook !== undefined,
      orderMargin: broker.orderMargin !== undefined,
      feed: (broker.feed ?? []).length > 0,
    };
    return { id, name, has, ...(await askOrders(venue, broker)) };
  } finally {
    await broker.close();
  }
}

async function askOrders(venue: PracticeExchange, broker: Broker): Promise<Pick<Capabilities, 'refused' | 'asked' | 'sent'>> {
  const requests = () => venue.exchange.ledger().placingRequests[broker.id] ?? 0;
  const refused: Refused[] = [];
  let asked = 0;
  for (const order of combinations(venue, broker.id)) {
    const before = requests();
    const sent = await broker.placeOrder(order, `k${String(asked).padStart(15, '0')}`);
    asked += 1;
    if (requests() !== before) continue;
    if (sent.fate !== 'rejected' || !sent.message)
      throw new Error(`${broker.id}: not sent and not refused: ${JSON.stringify({ order, sent })}`);
    const { exchange, ordertype, producttype, variety } = order;
    refused.push({ exchange, ordertype, producttype, variety, message: sent.message });
  }
  return { refused, asked, sent: asked - refused.length };
}

function* combinations(venue: PracticeExchange, id: BrokerId): Generator<BrokerOrder> {
  const emulator = emulators.find((one) => one.id === id);
  for (const exchange of exchanges) {
    const instrument = findInstrument(exchange, traded[exchange]);
    if (!instrument || !emulator) throw new Error(`nothing to order on ${exchange}`);
    const { symbol, token } = emulator.named(instrument);
    const ask = Number(venue.exchange.quote(instrument).ask);
    const price = (share: number) => String(Math.round(ask * share));
    for (const ordertype of orderTypes)
      for (const producttype of productTypes)
        for (const variety of varieties)
          yield {
            symbol,
            token,
            exchange,
            transactiontype: 'BUY',
            ordertype,
            producttype,
            quantity: String(instrument.lotSize),
            price: ordertype === 'LIMIT' || ordertype === 'SL' ? price(ordertype === 'SL' ? 1.03 : 0.97) : '0',
            triggerprice: ordertype.startsWith('SL') ? price(1.02) : '0',
            variety,
            duration: 'DAY',
            tradingsymbol: symbol,
          };
  }
}
