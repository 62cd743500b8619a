import type { Broker, BrokerDefinition, Listing } from '../../server/brokers/broker.ts';
import { tradedBySymbol } from '../../server/brokers/instrument.ts';

const rows = <Row>(data: unknown[] = []): Promise<Listing<Row>> => Promise.resolve({ success: true, data, normalized: [] });

/** A broker of the test's own, signed in at once and empty unless told otherwise; `change` replaces or removes members. */
export function standInBroker(change: Partial<Broker> = {}): Broker {
  return {
    id: 'dhan',
    traits: { tradedBy: tradedBySymbol, orderLimits: [], readLimits: [], unattended: false },
    connect: async () => ({
      success: true,
      account: 'TEST1',
      login: { values: { token: 'planted-secret' }, expiresAt: '2099-01-01T00:00:00.000Z' },
    }),
    logout: async () => ({ success: true, data: null }),
    close: async () => undefined,
    profile: async () => ({ success: true, data: { name: 'Test' } }),
    funds: async () => ({ success: true, data: { cash: 1 } }),
    holdings: () => rows(),
    positions: () => rows(),
    orders: () => rows(),
    placeOrder: async () => ({ fate: 'rejected', order_id: '', message: 'no orders here' }),
    modifyOrder: async () => ({ fate: 'accepted', order_id: '1', data: { done: true } }),
    cancelOrder: async () => ({ fate: 'accepted', order_id: '1', data: { done: true } }),
    ...change,
  };
}

/** The definition of a stand-in under the id `dhan`. */
export function standIn(change: Partial<Broker> = {}): { dhan: BrokerDefinition } {
  const urls = { api: 'http://127.0.0.1:9', login: 'http://127.0.0.1:9', feed: 'ws://127.0.0.1:9', master: '' };
  return { dhan: { id: 'dhan', name: 'Stand-in', settings: [], urls, create: () => standInBroker(change) } };
}
