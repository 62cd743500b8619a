import { afterAll, afterEach, beforeAll } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import type { PracticeExchange } from '../../server/exchange/host.ts';
import { findInstrument } from '../../server/exchange/instruments.ts';
import type { LedgerOrder } from '../../server/exchange/summary.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { type Answer, startGateway, type TestGateway } from '../support/gateway.ts';

type Fields = Record<string, unknown>;

/** A gateway on one broker's emulator for a file of tests, and what they say to it. */
export interface Practice {
  gateway(): TestGateway;
  venue(): PracticeExchange;
  instrument(exchange: string, symbol: string): Instrument;
  /** MARKET, ten to buy, INTRADAY, named as the broker names it; `symbol` is the exchange's plain name. */
  order(symbol: string, changed?: Fields, exchange?: string): Fields;
  place(order: Fields): Promise<Answer>;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** One order as the broker's own row. */
  read(orderId: string): Promise<ReturnType<typeof JSON.parse>>;
  /** Orders at the venue in a symbol, oldest first. */
  venueOrders(symbol: string): LedgerOrder[];
  /** Best bid on NSE, rupees. */
  bid(symbol: string): number;
}

/** Starts it before the tests of the scope, with these prices of NSE pinned and, if told, with settings and the broker's instruments; takes planted faults away after each, stops it in the end. */
export function practice(
  id: BrokerId,
  pinned: Readonly<Record<string, string>> = {},
  more: { instruments?: boolean; env?: Record<string, string> } = {},
): Practice {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ ...more, env: { BROKERS: id, ...more.env } });
    for (const [symbol, price] of Object.entries(pinned)) venue().exchange.setPrice('NSE', symbol, price);
  });
  afterEach(() => venue().faults.clear());
  afterAll(() => gateway.stop());

  function venue(): PracticeExchange {
    const { exchange } = gateway.context;
    if (!exchange) throw new Error('no practice exchange');
    return exchange;
  }
  function instrument(exchange: string, symbol: string): Instrument {
    const found = findInstrument(exchange, symbol);
    if (!found) throw new Error(`no instrument ${exchange}:${symbol}`);
    return found;
  }
  const market = { transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY', quantity: 10 };
  return {
    gateway: () => gateway,
    venue,
    instrument,
    order: (symbol, changed = {}, exchange = 'NSE') => ({
      ...market,
      exchange,
      ...emulators.find((emulator) => emulator.id === id)?.named(instrument(exchange, symbol)),
      ...changed,
    }),
    place: (order) => gateway.place(order),
    call: (method, path, body) => gateway.call(method, path, body),
    read: async (orderId) => (await gateway.call('GET', `/broker/orders/${orderId}`)).body.data,
    venueOrders: (symbol) =>
      venue()
        .exchange.ledger()
        .orders.filter((order) => order.symbol === symbol),
    bid: (symbol) => Number(venue().exchange.quote(instrument('NSE', symbol)).bid),
  };
}
