import type { OrderRow, TradeRow } from '../brokers/broker.ts';
import { averagePrice, Big } from '../money.ts';
import type { Check } from './check.ts';
import { failed, judged, notTold, ok, type Said } from './findings.ts';

/** Brokers round average prices to two places, rupees. */
const ROUNDING = 0.0101;
/** A clock of ours may be this far behind the broker's. */
const AHEAD_MS = 300_000;

const orderName = ({ order_id }: OrderRow) => order_id;
const tradeName = ({ trade_id, order_id }: TradeRow) => `${trade_id} of order ${order_id}`;

/** The rows of which an earlier one has the same name. */
export function repeated<Row>(rows: readonly Row[], name: (row: Row) => string): Row[] {
  const seen = new Set<string>();
  return rows.filter((row) => seen.size === seen.add(name(row)).size);
}

function byOrder(trades: readonly TradeRow[]): Map<string, TradeRow[]> {
  return Map.groupBy(trades, ({ order_id }) => order_id);
}

function filledOf(trades: readonly TradeRow[]): number {
  return trades.reduce((sum, { quantity }) => sum + quantity, 0);
}

function statusWords(orders: readonly OrderRow[], words: readonly string[]): Said {
  const unknown = orders.filter(({ state }) => state === 'UNKNOWN');
  if (words.length > 0 || unknown.length > 0)
    return failed(`${unknown.length} of ${orders.length} orders have a status word that the gateway does not know`, words.join(', '));
  return orders.length === 0 ? notTold('there are no orders') : ok(`all words of ${orders.length} orders are known`);
}

/** Rules on the order book and the trade book. */
export const bookChecks: readonly Check[] = [
  {
    name: 'order ids',
    needs: ['orders'],
    run: ({ orders }) => judged(orders, 'orders', repeated(orders, orderName), 'another row has the same order id', orderName),
  },
  {
    name: 'status words',
    needs: ['orders'],
    run: ({ orders }, { unknownWords }) => statusWords(orders, unknownWords),
  },
  {
    name: 'order quantities',
    needs: ['orders'],
    run({ orders }) {
      const bad = orders.filter(
        (row) => row.filled_quantity > row.quantity || (row.state === 'FILLED' && row.filled_quantity < row.quantity),
      );
      return judged(orders, 'orders', bad, 'the filled quantity does not fit the quantity and the status', orderName);
    },
  },
  {
    name: 'order times',
    needs: ['orders'],
    run({ orders }, { now }) {
      const bad = orders.filter(({ placed_at }) => placed_at === null || Date.parse(placed_at) > now + AHEAD_MS);
      return judged(orders, 'orders', bad, 'the time cannot be read, or lies in the future', orderName);
    },
  },
  {
    name: 'prices of filled orders',
    needs: ['orders'],
    run({ orders }) {
      const filled = orders.filter(({ filled_quantity }) => filled_quantity > 0);
      const bad = filled.filter(({ average_price }) => !((average_price ?? 0) > 0));
      return judged(filled, 'orders with fills', bad, 'the average price is not above 0', orderName);
    },
  },
  {
    name: 'trade ids',
    needs: ['trades'],
    run({ trades }) {
      const name = (row: TradeRow) => `${row.exchange} ${row.trade_id} ${row.order_id}`;
      return judged(trades, 'trades', repeated(trades, name), 'another row is the same trade', tradeName);
    },
  },
  {
    name: 'trades are worth something',
    needs: ['trades'],
    run({ trades }) {
      const bad = trades.filter(({ quantity, price }) => !(quantity > 0 && price > 0));
      return judged(trades, 'trades', bad, 'quantity or price is not above 0', tradeName);
    },
  },
  {
    name: 'trades belong to orders',
    needs: ['orders', 'trades'],
    run({ orders, trades }) {
      const known = new Map(orders.map((order) => [order.order_id, order]));
      const bad = trades.filter((trade) => known.get(trade.order_id)?.transaction_type !== trade.transaction_type);
      return judged(trades, 'trades', bad, 'the order book has no order of that id and side', tradeName);
    },
  },
  {
    name: 'fills agree with trades',
    needs: ['orders', 'trades'],
    run({ orders, trades }) {
      const traded = byOrder(trades);
      const some = orders.filter((order) => order.filled_quantity > 0 || traded.has(order.order_id));
      const bad = some.filter((order) => filledOf(traded.get(order.order_id) ?? []) !== order.filled_quantity);
      return judged(some, 'orders with fills', bad, 'the trade book has another quantity than the order', orderName);
    },
  },
  {
    name: 'average prices agree with trades',
    needs: ['orders', 'trades'],
    run({ orders, trades }) {
      const traded = byOrder(trades);
      const some = orders.filter((order) => traded.has(order.order_id) && order.average_price !== null);
      const bad = some.filter((order) => {
        const average = averagePrice(traded.get(order.order_id) ?? []);
        return new Big(average).minus(String(order.average_price)).abs().gt(ROUNDING);
      });
      return judged(some, 'orders with trades', bad, 'the average price is not that of the trades', orderName);
    },
  },
];
