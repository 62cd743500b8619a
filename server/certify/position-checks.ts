import { exchanges, productTypes } from '../../contract/words.ts';
import type { HoldingRow, PositionRow, TradeRow } from '../brokers/broker.ts';
import type { InstrumentName, TradedBy } from '../brokers/instrument.ts';
import { exact } from '../money.ts';
import { repeated } from './book-checks.ts';
import type { Check, Lists } from './check.ts';
import { failed, judged, notTold, ok, type Said } from './findings.ts';
import { netParts } from './net-parts.ts';

const nameOf = ({ exchange, symbol }: InstrumentName) => `${exchange} ${symbol}`;
const positionName = (row: PositionRow) => `${nameOf(row)} ${row.product_type}`;

/** Whether a trade moved a position: the same instrument, by token or by symbol, and the same product. */
function moved(trade: TradeRow, row: PositionRow, tradedBy: TradedBy): boolean {
  if (trade.exchange !== row.exchange || trade.product_type !== row.product_type) return false;
  return trade.symbol === row.symbol || (tradedBy(trade) !== null && tradedBy(trade) === tradedBy(row));
}

function netOf(trades: readonly TradeRow[]): number {
  return trades.reduce((sum, { quantity, transaction_type }) => sum + (transaction_type === 'BUY' ? quantity : -quantity), 0);
}

/** By what was carried in, bought and sold, where the row tells it. */
function byParts({ positions }: Lists): Said {
  const told = positions.map(({ raw, row }) => ({ row, sums: netParts(raw) })).filter(({ sums }) => sums.length > 0);
  if (positions.length > 0 && told.length === 0) return notTold('the rows do not tell what was carried, bought and sold');
  const bad = told.filter(({ row, sums }) => sums.every(({ net }) => net !== row.net_quantity));
  const wrong = 'the net quantity is not carried + bought - sold';
  return judged(told, 'positions', bad, wrong, ({ row }) => positionName(row));
}

/** By the day's trades, where nothing was carried in. */
function byTrades({ positions, trades }: Lists, tradedBy: TradedBy): Said {
  const fresh = positions.filter(({ raw, row }) => {
    const sums = netParts(raw);
    return row.product_type === 'INTRADAY' || (sums.length > 0 && sums.every(({ carried }) => carried === 0));
  });
  if (positions.length > 0 && fresh.length === 0) return notTold('every position was carried in, or may have been');
  const bad = fresh.filter(({ row }) => netOf(trades.filter((trade) => moved(trade, row, tradedBy))) !== row.net_quantity);
  const wrong = 'the net quantity is not what the trade book makes of it (a position converted to another product today explains it)';
  return judged(fresh, 'positions of the day', bad, wrong, ({ row }) => positionName(row));
}

function holdingPrices(holdings: readonly HoldingRow[]): Said {
  const some = holdings.filter(({ quantity }) => quantity !== 0);
  const bad = some.filter(({ average_price }) => !((average_price ?? 0) > 0));
  const said = judged(some, 'holdings', bad, 'the average price is not above 0', nameOf);
  // Shares that were given or moved here have none at some brokers; where no row has one it is not read.
  if (said.result === 'failed' && bad.length < some.length)
    return notTold(`${bad.length} of ${some.length} holdings have no average price: true of shares that were given or moved here`);
  return said;
}

function knownWords({ orders, positions, holdings, trades }: Lists): Said {
  const known: readonly string[] = [...exchanges, 'BFO', 'BCD', ''];
  const named = [...orders, ...positions.map(({ row }) => row), ...holdings, ...trades];
  const products = named.flatMap((row) => ('product_type' in row ? [row.product_type] : []));
  const others = [
    ...named.map(({ exchange }) => exchange).filter((word) => !known.includes(word)),
    ...products.filter((word) => !(productTypes as readonly string[]).includes(word)),
  ];
  if (named.length === 0) return notTold('there are no rows');
  if (others.length === 0) return ok(`all words of ${named.length} rows are ours`);
  return notTold(`${others.length} words are passed on as the broker has them`, [...new Set(others)].join(', '));
}

/** Rules on positions, holdings, funds and the names of instruments. */
export const positionChecks: readonly Check[] = [
  {
    name: 'position rows',
    needs: ['positions'],
    run({ positions }) {
      const rows = positions.map(({ row }) => row);
      const name = (row: PositionRow) => `${positionName(row)} ${row.token}`;
      return judged(rows, 'positions', repeated(rows, name), 'another row is of the same instrument and product', positionName);
    },
  },
  { name: 'net quantities by their parts', needs: ['positions'], run: byParts },
  {
    name: 'net quantities by the trades',
    needs: ['positions', 'trades'],
    run: (lists, { traits }) => byTrades(lists, traits.tradedBy),
  },
  {
    name: 'prices of positions',
    needs: ['positions'],
    run({ positions }) {
      const open = positions.map(({ row }) => row).filter(({ net_quantity }) => net_quantity !== 0);
      const bad = open.filter(({ average_price }) => !((average_price ?? 0) > 0));
      return judged(open, 'open positions', bad, 'the average price is not above 0', positionName);
    },
  },
  { name: 'prices of holdings', needs: ['holdings'], run: ({ holdings }) => holdingPrices(holdings) },
  {
    name: 'sellable holdings',
    needs: ['holdings'],
    run({ holdings }) {
      const bad = holdings.filter((row) => row.sellable_quantity < 0 || row.sellable_quantity > row.quantity);
      return judged(holdings, 'holdings', bad, 'the sellable quantity does not fit the quantity', nameOf);
    },
  },
  {
    name: 'instruments can be told apart',
    needs: ['orders', 'positions', 'holdings'],
    run({ orders, positions, holdings }, { traits }) {
      const rows: InstrumentName[] = [...orders, ...positions.map(({ row }) => row), ...holdings];
      const bad = rows.filter((row) => traits.tradedBy(row) === null);
      return judged(rows, 'rows', bad, 'what the broker trades the instrument by is missing', nameOf);
    },
  },
  { name: 'words of rows', needs: ['orders', 'positions', 'holdings'], run: knownWords },
  {
    name: 'available funds',
    needs: ['funds'],
    run({ funds }, { traits }) {
      if (!traits.availableFunds) return notTold('the adapter does not read them');
      const amount = traits.availableFunds(funds);
      return exact(amount) ? ok('they can be read', `₹${amount}`) : failed('they cannot be read from the answer');
    },
  },
];
