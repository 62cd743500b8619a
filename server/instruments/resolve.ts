import { goesByToken, numberToken, type TradedBy } from '../brokers/instrument.ts';
import type { Directory, InstrumentRow } from './instruments.ts';

/** How a caller names an instrument: by its one name or the broker's symbol, with the broker's token or "". */
export interface Asked {
  exchange: string;
  symbol: string;
  token: string;
}

/** What an order is sent with. `row` is null where nobody knows the instrument, and then symbol and token are the caller's. */
export interface Resolved {
  symbol: string;
  token: string;
  row: InstrumentRow | null;
}

/** The same without asking the store: for an instrument that was looked up since the file was read, under a token that is none or its own. */
export function resolveSeen(directory: Directory, asked: Asked, tradedBy: TradedBy): Resolved | null {
  const row = directory.known(asked.exchange, asked.symbol);
  return row && (asked.token === '' || isSameToken(asked, row, tradedBy)) ? found(row) : null;
}

/** The instrument a caller means, or why nobody can tell: a symbol and a token that name two, a symbol that names several. Rejects where the store fails. */
export async function resolve(directory: Directory, asked: Asked, tradedBy: TradedBy): Promise<Resolved | { refused: string }> {
  const { exchange, symbol, token } = asked;
  const rows = await directory.named(exchange, symbol);
  const unknown = { symbol, token, row: null };
  if (token === '') return rows.length === 1 ? found(rows[0]) : rows.length === 0 ? unknown : { refused: several(asked, rows) };
  const same = rows.find((row) => isSameToken(asked, row, tradedBy));
  if (same) return found(same);
  const [other] = rows.length > 0 ? await directory.withToken(exchange, numberToken(token) ?? token.trim()) : [];
  if (other) return { refused: twoInstruments(asked, rows, other) };
  // Nobody has heard of the token. A broker that goes by symbol does not look at it either; to one that goes by it, it may be new since the file was made.
  const byToken = goesByToken(tradedBy, { exchange, symbol, token });
  return rows.length === 1 && !byToken ? found(rows[0]) : unknown;
}

/** Whether the broker takes both tokens for one. */
function isSameToken({ exchange, token }: Asked, row: InstrumentRow, tradedBy: TradedBy): boolean {
  const text = (one: string) => tradedBy({ exchange, symbol: '', token: one }) ?? one.trim();
  return text(row.token) === text(token);
}

function found(row: InstrumentRow | undefined): Resolved {
  if (!row) throw new Error('An instrument was found that is not there');
  return { symbol: row.brokerSymbol, token: row.token, row };
}

/** At most so many names of a list that a person is to choose from. */
const MOST_NAMES = 5;

function several({ exchange, symbol }: Asked, rows: readonly InstrumentRow[]): string {
  const names = rows.slice(0, MOST_NAMES).map((row) => row.symbol);
  const more = rows.length > MOST_NAMES ? ` and ${rows.length - MOST_NAMES} more` : '';
  return `symbol: ${symbol} names ${rows.length} instruments of ${exchange} (${names.join(', ')}${more}); give one of these names, or its token`;
}

function twoInstruments({ token }: Asked, rows: readonly InstrumentRow[], other: InstrumentRow): string {
  const named = rows.map((row) => `${row.instrument} with token ${row.token}`).join(' or ');
  return `token: ${token} is ${other.instrument} (${other.brokerSymbol}), but the symbol names ${named}; nothing was sent`;
}
