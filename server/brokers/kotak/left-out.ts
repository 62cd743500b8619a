import { unitExchanges } from '../../../contract/words.ts';
import { tradingDay } from '../../clock.ts';
import { Big } from '../../money.ts';
import type { BrokerEnv, Listing, OrderRow, PositionRow, TradeRow, Unreadable } from '../broker.ts';
import { pairs } from '../listing.ts';
import type { Rows } from './positions.ts';
import { expiryOf } from './wire.ts';

/** A fill may be in the orders so long before it is in the positions. */
const LAG_MS = 5_000;

type Named = Pick<PositionRow, 'exchange' | 'symbol' | 'token' | 'product_type'>;

/** A position that must have a row: it had one, or it was traded. */
interface Expected extends Named {
  day: string;
  /** A row is due from then on, monotonic ms. */
  dueAt: number;
  /** The net last shown. */
  net: number;
  /** When its contract ends, epoch ms; null where no row told. */
  expiresAt: number | null;
}

export interface LeftOut {
  /** Positions with what Kotak has left out. */
  within(list: Rows<PositionRow>): Promise<Rows<PositionRow>>;
  /** An order book that was read, for what has been traded today. */
  heardOrders(list: Listing<OrderRow>): void;
}

const keyOf = ({ exchange, symbol, product_type }: Named) => `${exchange} ${symbol} ${product_type}`;

/**
 * Kotak's positions lack rows: its documents list those traded today alone, and of these one or another was met missing for a while. A row that
 * must be there and is not is made of the day's trades where they tell all of it. What may have been carried besides cannot be known: that
 * instrument is unreadable until its row is back.
 */
export function createLeftOut({ clock, log }: BrokerEnv, readTrades: () => Promise<Listing<TradeRow>>): LeftOut {
  const expected = new Map<string, Expected>();
  const said = new Set<string>();

  /** Once a position and day. */
  function say(one: Named): void {
    const text = `${tradingDay(clock.now())} ${keyOf(one)}`;
    if (said.has(text)) return;
    said.add(text);
    log.warn({ position: keyOf(one) }, 'Kotak leaves a position out of its list');
  }

  function expect(row: Named, { dueAt, net, expiresAt }: Pick<Expected, 'dueAt' | 'net' | 'expiresAt'>): void {
    const { exchange, symbol, product_type, token } = row;
    const day = tradingDay(clock.now());
    expected.set(keyOf(row), { exchange, symbol, product_type, token, day, dueAt, net, expiresAt });
  }

  /** Lets go of what need not have a row any more: of earlier days only an open contract that was carried must. */
  function sweep(): void {
    const day = tradingDay(clock.now());
    for (const [key, { day: seen, product_type, net, expiresAt }] of expected) {
      const carried = product_type === 'CARRYFORWARD' && net !== 0 && clock.now() < (expiresAt ?? 0);
      if (seen !== day && !carried) expected.delete(key);
    }
  }

  function missing({ normalized, unreadable = [] }: Rows<PositionRow>): Expected[] {
    const shown = new Set(normalized.map(keyOf));
    const mayBe = (one: Expected) =>
      unreadable.some(({ exchange, symbol }) => (exchange ?? one.exchange) === one.exchange && (symbol ?? one.symbol) === one.symbol);
    return [...expected.values()].filter((one) => clock.mono() >= one.dueAt && !shown.has(keyOf(one)) && !mayBe(one));
  }

  return {
    async within(list) {
      sweep();
      const lacking = missing(list);
      const trades = lacking.length > 0 ? await readTrades() : null;
      for (const { raw, row } of pairs(list)) expect(row, { dueAt: 0, net: row.net_quantity, expiresAt: expiryOf(raw) });
      if (!trades) return list;
      for (const one of lacking) say(one);
      return lacking.map((one) => standIn(one, trades)).reduce(joined, list);
    },
    heardOrders(list) {
      if (!list.success) return;
      const dueAt = clock.mono() + LAG_MS;
      for (const row of list.normalized)
        if (row.filled_quantity > 0 && !expected.has(keyOf(row))) expect(row, { dueAt, net: 0, expiresAt: null });
    },
  };
}

type StandIn = { raw: unknown } & ({ row: PositionRow | null } | { unread: Unreadable });

/** What stands for a row that was left out: what its trades make of it, nothing where there are none, or that it cannot be told. */
function standIn(one: Expected, trades: Listing<TradeRow>): StandIn {
  const own = trades.success ? pairs(trades).filter(({ row }) => keyOf(row) === keyOf(one)) : [];
  const raw = { left_out: keyOf(one), trades: own.map((trade) => trade.raw) };
  const { exchange, symbol, token, product_type } = one;
  // The trades of a day tell the whole of these, in units.
  const told = ['INTRADAY', 'DELIVERY'].includes(product_type) && unitExchanges.includes(exchange);
  const unsure = !trades.success || (trades.unreadable ?? []).length > 0;
  if (!unsure && own.length === 0 && (told || one.net === 0)) return { raw, row: null };
  if (unsure || !told) {
    const why = unsure ? 'the trades of the day cannot be read' : 'it may have been carried';
    return { raw, unread: { row: raw, reason: `Kotak leaves this ${product_type} position out, and ${why}`, exchange, symbol, token } };
  }
  const legs = { BUY: { count: 0, cost: new Big(0) }, SELL: { count: 0, cost: new Big(0) } };
  for (const { row } of own) {
    const leg = row.transaction_type === 'BUY' ? legs.BUY : legs.SELL;
    leg.count += row.quantity;
    leg.cost = leg.cost.plus(new Big(row.price).times(row.quantity));
  }
  const net_quantity = legs.BUY.count - legs.SELL.count;
  const { count, cost } = net_quantity > 0 ? legs.BUY : legs.SELL;
  const average_price = net_quantity === 0 ? 0 : Number(cost.div(count).round(2, Big.roundHalfUp).toFixed());
  const money = { average_price, last_price: null, realized_pnl: null, unrealized_pnl: null, multiplier: 1 };
  return { raw, row: { exchange, symbol, token, product_type, net_quantity, ...money } };
}

function joined(list: Rows<PositionRow>, one: StandIn): Rows<PositionRow> {
  if ('unread' in one) return { ...list, data: [...list.data, one.raw], unreadable: [...(list.unreadable ?? []), one.unread] };
  return one.row ? { ...list, data: [...list.data, one.raw], normalized: [...list.normalized, one.row] } : list;
}
