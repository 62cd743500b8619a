import { type SQL, sql } from 'drizzle-orm';
import type { InstrumentKind } from '../../contract/words.ts';
import { instruments } from '../../drizzle/schema.ts';
import { exact } from '../money.ts';

/** One instrument of a broker. Prices in rupees, as plain decimal text. */
export interface InstrumentRow {
  exchange: string;
  /** The one name, without its exchange. */
  symbol: string;
  /** `NSE:SBIN`. */
  instrument: string;
  name: string | null;
  kind: InstrumentKind;
  underlying: string | null;
  /** `YYYY-MM-DD`, IST. */
  expiry: string | null;
  strike: string | null;
  /** What quantities are multiples of, in the unit the broker's orders count in. */
  lotSize: number;
  tickSize: string | null;
  freezeQuantity: number | null;
  isin: string | null;
  brokerSymbol: string;
  token: string;
}

/** The columns of a row, with the names they have there. */
export const columns = {
  exchange: instruments.exchange,
  symbol: instruments.symbol,
  name: instruments.name,
  kind: instruments.kind,
  underlying: instruments.underlying,
  expiry: instruments.expiry,
  strike: instruments.strike,
  lotSize: instruments.lot_size,
  tickSize: instruments.tick_size,
  freezeQuantity: instruments.freeze_quantity,
  isin: instruments.isin,
  brokerSymbol: instruments.broker_symbol,
  token: instruments.token,
};

/** The same columns for a statement that is written out. */
export const columnList: SQL = sql.join(
  Object.entries(columns).map(([name, column]) => sql`${column} as ${sql.identifier(name)}`),
  sql`, `,
);

/** What a select of `columns` brings. */
export type Selected = Omit<InstrumentRow, 'instrument'>;

/** A row as it is handed on; nobody may change it, many have it. */
export function rowOf(selected: Selected): InstrumentRow {
  const { exchange, symbol, strike, tickSize } = selected;
  return Object.freeze({
    ...selected,
    instrument: `${exchange}:${symbol}`,
    strike: plain(strike),
    tickSize: plain(tickSize),
    lotSize: Number(selected.lotSize),
    freezeQuantity: selected.freezeQuantity === null ? null : Number(selected.freezeQuantity),
  });
}

/** Numeric as it was written, without noughts at its end. */
function plain(text: string | null): string | null {
  return text === null ? null : (exact(text)?.toFixed() ?? text);
}
