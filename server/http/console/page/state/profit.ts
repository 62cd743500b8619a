import type { Quote } from '../../../../../contract/quotes.ts';
import type { RecordedPosition } from '../../../../../contract/records.ts';
import { quoteOf } from './stream.ts';

/** A position's figures at the newest price the page has: the tick where it is newer than the record. */
export interface Valued {
  price: number | null;
  /** When that price held, ISO, UTC. */
  at: string | null;
  today: number | null;
  sinceEntry: number | null;
}

/** Where one quantity is one unit of money. */
const unitExchanges: readonly string[] = ['NSE', 'BSE', 'NFO', 'BFO'];

/** Reads the instrument's newest quote: whoever calls it while drawing is drawn anew with each tick. */
export function valued(row: RecordedPosition): Valued {
  const quote = row.instrument === null ? null : quoteOf(row.instrument).value;
  const recorded = { price: row.last_price, at: row.price_at, today: row.profit_today, sinceEntry: row.profit_since_entry };
  if (quote?.last_price == null || !newer(quote, row)) return recorded;
  const per = rupeesPerRupee(row);
  if (per === null || row.last_price === null) return { ...recorded, price: quote.last_price, at: quote.at };
  const moved = (quote.last_price - row.last_price) * row.net_quantity * per;
  return { price: quote.last_price, at: quote.at, today: plus(row.profit_today, moved), sinceEntry: plus(row.profit_since_entry, moved) };
}

function newer(quote: Quote, row: RecordedPosition): boolean {
  return quote.at !== null && (row.price_at === null || quote.at > row.price_at);
}

/** What one quantity earns when the price moves by a rupee, by the record's own figures; null where they do not tell it. */
function rupeesPerRupee({ exchange, average_price, last_price, net_quantity, unrealised }: RecordedPosition): number | null {
  if (unitExchanges.includes(exchange)) return 1;
  if (average_price === null || last_price === null || unrealised === null) return null;
  const plainGain = (last_price - average_price) * net_quantity;
  return Math.abs(plainGain) < 1e-9 ? null : unrealised / plainGain;
}

function plus(profit: number | null, moved: number): number | null {
  return profit === null ? null : profit + moved;
}

/** A sum over positions, and of how many it does not know the profit. */
export interface Sum {
  total: number;
  unknown: number;
}

export function sumOf(rows: readonly RecordedPosition[], which: 'today' | 'sinceEntry'): Sum {
  let [total, unknown] = [0, 0];
  for (const row of rows) {
    const profit = valued(row)[which];
    if (profit === null) unknown += 1;
    else total += profit;
  }
  return { total, unknown };
}
