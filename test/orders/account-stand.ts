import type { BrokerTraits, HoldingRow, Listing, OrderRow, PositionRow, Unreadable } from '../../server/brokers/broker.ts';
import { type TradedBy, tradedByNumber } from '../../server/brokers/instrument.ts';
import type { OpenOrderRecord } from '../../server/journal/journal.ts';
import { silentLog } from '../../server/log.ts';
import { AccountBook } from '../../server/orders/account-book.ts';
import { Endings } from '../../server/orders/endings.ts';
import { Entry } from '../../server/orders/entry.ts';
import { type LeftBehind, nothingLeft } from '../../server/orders/left-behind.ts';
import { accountOf } from '../support/account.ts';
import { MemoryJournal } from '../support/memory-journal.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { attempt } from './parts.ts';

export const money = { average_price: null, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
export const position = (symbol: string, token: string | null, net_quantity: number, exchange = 'NSE'): PositionRow => ({
  ...{ symbol, token, exchange, product_type: 'INTRADAY', net_quantity },
  ...money,
});
export const order = (exchange: string, symbol: string, token: string | null = null) => ({ exchange, symbol, token });
export const SBIN = order('NSE', 'SBIN', '3045');

/** The book of an account whose lists a test fills. */
export function stand({
  tradedBy = tradedByNumber as TradedBy,
  left = {} as Partial<LeftBehind>,
  start = '2026-11-20T10:00:00+05:30',
  traits = {} as Partial<BrokerTraits>,
} = {}) {
  const clock = new VirtualClock(start);
  const told = {
    positions: [] as PositionRow[],
    unreadable: [] as Unreadable[],
    orders: [] as OrderRow[],
    unreadableOrders: [] as Unreadable[],
    holdings: [] as HoldingRow[],
    /** Why no list can be read now. */
    failure: null as string | null,
  };
  const list = async <Row>(normalized: Row[], unreadable: Unreadable[] = []): Promise<Listing<Row>> =>
    told.failure === null
      ? { success: true, data: [], normalized, ...(unreadable.length > 0 && { unreadable }) }
      : { success: false, message: told.failure };
  const broker = standInBroker({
    traits: { tradedBy, orderLimits: [], readLimits: [], unattended: true, ...traits },
    positions: () => list(told.positions, told.unreadable),
    orders: () => list(told.orders, told.unreadableOrders),
    holdings: () => list(told.holdings),
  });
  const account = accountOf(broker, clock);
  const endings = new Endings({ clock, journal: new MemoryJournal(), log: silentLog(), stop: new AbortController().signal });
  const book = new AccountBook(clock, account, { ...nothingLeft(), ...left }, endings);
  const net = async (name: ReturnType<typeof order>) => {
    await clock.settle(account.positions.next('orders'));
    return book.instrument(name).situation({ product: 'INTRADAY', side: 'BUY' }, true).sum.low;
  };
  const readOrders = () => clock.settle(account.orderBook.next('orders'));
  return { clock, told, account, book, net, readOrders };
}

export function entryOf(change: Parameters<typeof attempt>[0] = {}): Entry {
  const entry = new Entry('k:one', 'hash', 0);
  entry.hold(attempt(change));
  return entry;
}

/** What records hold of an order of ours at rest: six of ten are left to be sold. */
export const record = (change: Partial<OpenOrderRecord> = {}): OpenOrderRecord => ({
  ...{ broker: 'dhan', account: 'TEST1', exchange: 'NSE', symbol: 'SBIN', token: '3045', product: 'INTRADAY', side: 'SELL' },
  ...{ orderId: '1001', orderType: 'LIMIT', quantity: 10, filledQuantity: 4, price: '100', external: false, tradingDay: '2026-11-20' },
  ...change,
});
