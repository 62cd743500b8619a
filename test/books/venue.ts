import type { HoldingRow, OrderRow, OrderState, PositionRow, TradeRow } from '../../contract/rows.ts';
import type { Account } from '../../server/brokers/account.ts';
import { type Broker, type Listing, statusOf } from '../../server/brokers/broker.ts';
import type { Exchange } from '../../server/exchange/exchange.ts';
import { averageOf } from '../../server/exchange/matching.ts';
import type { ExchangeOrder } from '../../server/exchange/types.ts';
import type { ManualClock } from '../exchange/manual-clock.ts';
import { accountOf } from '../support/account.ts';
import { standInBroker } from '../support/stand-in-broker.ts';
import type { DailyIds } from './daily-ids.ts';

/** How the reads of a day misbehave. */
export interface Weather {
  /** Places the order book's averages are rounded to. */
  averagePlaces: number;
  /** An average appears this long after the fill, ms. */
  averageLateMs: number;
  /** The trade book shows a trade this long after it, ms. */
  tradesLateMs: number;
  /** Positions show a state this old, ms. */
  positionsLagMs: number;
  /** A read takes so long, ms; what it shows is from its end. */
  readMs: number;
  failing: ReadonlySet<'orders' | 'positions' | 'trades' | 'holdings' | 'funds'>;
}

export const fair: Weather = { averagePlaces: 4, averageLateMs: 0, tradesLateMs: 0, positionsLagMs: 0, readMs: 20, failing: new Set() };

const states: Partial<Record<ExchangeOrder['state'], OrderState>> = {
  OPEN: 'OPEN',
  AMO_RECEIVED: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  FILLED: 'FILLED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
};

/** The practice exchange's engine as one broker account, in plain rows; the account's books go by `name`. */
export function venueAccount(exchange: Exchange, ids: DailyIds, clock: ManualClock, name: string, weather: () => Weather): Account {
  const engine = () => exchange.account('zerodha', { lagMs: weather().positionsLagMs });
  function read<Row>(what: 'orders' | 'positions' | 'trades' | 'holdings', rows: () => Row[]): Promise<Listing<Row>> {
    clock.pass(weather().readMs);
    if (weather().failing.has(what)) return Promise.resolve({ success: false, message: `${what} cannot be read` });
    return Promise.resolve({ success: true, data: [], normalized: rows() });
  }
  const broker: Broker = {
    ...standInBroker(),
    orders: () =>
      read('orders', () =>
        engine()
          .orders()
          .map((order) => orderRow(order, { exchange, ids, clock, weather: weather() })),
      ),
    positions: () => read('positions', () => engine().positions().map(positionRow)),
    holdings: () => read('holdings', () => engine().holdings().map(holdingRow)),
    tradebook: () =>
      read('trades', () =>
        engine()
          .trades()
          .filter((trade) => trade.at <= clock.now() - weather().tradesLateMs)
          .map((trade) => tradeRow(trade, ids)),
      ),
    funds: async () =>
      weather().failing.has('funds') ? { success: false, message: 'no' } : { success: true, data: engine().funds().available },
  };
  const named = { ...broker, traits: { ...broker.traits, availableFunds: (data: unknown) => String(data) } };
  return accountOf(named, clock, { id: name });
}

interface Venue {
  exchange: Exchange;
  ids: DailyIds;
  clock: ManualClock;
  weather: Weather;
}

export function orderRow(order: ExchangeOrder, { exchange, ids, clock, weather }: Venue): OrderRow {
  const state = states[order.state] ?? 'TRANSIT';
  const trades = exchange
    .account('zerodha')
    .trades()
    .filter((trade) => trade.orderId === order.orderId);
  const told = (trades.at(-1)?.at ?? 0) <= clock.now() - weather.averageLateMs;
  return {
    order_id: ids.order(order.orderId).id,
    symbol: order.symbol,
    token: `T-${order.symbol}`,
    exchange: order.exchange,
    transaction_type: order.side,
    order_type: order.orderType,
    product_type: order.product,
    quantity: order.quantity,
    filled_quantity: order.filled,
    price: Number(order.price),
    trigger_price: Number(order.triggerPrice),
    average_price: order.filled > 0 && told ? Number(Number(averageOf(order)).toFixed(weather.averagePlaces)) : null,
    status: statusOf(state, order.filled),
    state,
    status_message: null,
    tag: order.tag,
    variety: null,
    placed_at: new Date(order.receivedAt).toISOString(),
  };
}

function positionRow(position: ReturnType<ReturnType<Exchange['account']>['positions']>[number]): PositionRow {
  const { symbol, exchange, product, net, openValue, multiplier, realised } = position;
  return {
    symbol,
    token: `T-${symbol}`,
    exchange,
    product_type: product,
    net_quantity: net,
    average_price: net === 0 ? 0 : Number(openValue) / Math.abs(net),
    last_price: null,
    realized_pnl: Number(realised),
    unrealized_pnl: null,
    multiplier,
  };
}

function holdingRow(holding: ReturnType<ReturnType<Exchange['account']>['holdings']>[number]): HoldingRow {
  const { symbol, exchange, quantity, averagePrice } = holding;
  const money = { average_price: Number(averagePrice), last_price: null, pnl: null };
  return { symbol, token: null, exchange, isin: null, quantity, sellable_quantity: quantity - holding.used, ...money };
}

function tradeRow(trade: ReturnType<ReturnType<Exchange['account']>['trades']>[number], ids: DailyIds): TradeRow {
  const { orderId, symbol, exchange, side, product, quantity, price, at } = trade;
  const named = {
    trade_id: ids.trade(trade),
    order_id: ids.order(orderId).id,
    symbol,
    token: `T-${symbol}`,
    exchange,
    transaction_type: side,
    product_type: product,
  };
  return { ...named, quantity, price: Number(price), traded_at: new Date(at).toISOString() };
}
