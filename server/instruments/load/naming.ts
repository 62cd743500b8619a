import type { Listed } from '../../brokers/master.ts';
import { tradingDay } from '../../clock.ts';
import { exact } from '../../money.ts';
import { bareSeries, canonicalSymbol } from '../name.ts';

/** A row under its one name. */
export interface Named extends Listed {
  symbol: string;
}

/** Names rows as they come, but for shares of which only the whole file tells whether the bare symbol is theirs. */
export class Naming {
  /** Shares of NSE that have an EQ series. */
  readonly #plain = new Set<string>();
  /** Shares of a series that may go by the bare symbol, by that. */
  readonly #waiting = new Map<string, Named[]>();
  /** Rows that have a rank, the best of each name. */
  readonly #best = new Map<string, { row: Named; rank: number }>();
  readonly #rank: (row: Listed) => number | null;

  constructor(rank: (row: Listed) => number | null = () => null) {
    this.#rank = rank;
  }

  /** The row with its name; null while that waits for the end of the file. What cannot be named, or holds what no row may hold, is told by a reason. */
  name(given: Listed): Named | { skipped: string } | null {
    const listed = checked(given);
    if (!listed) return { skipped: 'unreadable' };
    const symbol = canonicalSymbol(listed);
    if (symbol === null) return { skipped: 'no name' };
    const named = { ...listed, symbol };
    const rank = this.#rank(listed);
    if (rank !== null) return this.#ranked(named, rank);
    if (listed.kind !== 'EQ' || listed.exchange !== 'NSE') return named;
    const root = listed.root.trim().toUpperCase();
    if (symbol === root) this.#plain.add(root);
    if (listed.series === null || !bareSeries.includes(listed.series)) return named;
    this.#waiting.set(root, [...(this.#waiting.get(root) ?? []), named]);
    return null;
  }

  #ranked(row: Named, rank: number): { skipped: string } | null {
    const name = `${row.exchange} ${row.symbol}`;
    const best = this.#best.get(name);
    if (!best || best.rank < rank) this.#best.set(name, { row, rank });
    return best ? { skipped: 'told elsewhere' } : null;
  }

  /** The rows that waited: the best of each name, and of shares the only one of its share goes by the bare symbol, unless an EQ has it. */
  *rest(): Generator<Named> {
    for (const { row } of this.#best.values()) yield row;
    for (const [root, rows] of this.#waiting) {
      const bare = rows.length === 1 && !this.#plain.has(root);
      for (const row of rows) yield bare ? { ...row, symbol: root } : row;
    }
  }
}

/** The row with its numbers as plain decimals; null where it holds what is none, so that one odd row never stops a load. */
function checked(listed: Listed): Listed | null {
  const { lotSize, freezeQuantity, expiry, brokerSymbol, token } = listed;
  const strike = decimal(listed.strike);
  const tickSize = decimal(listed.tickSize);
  if (strike === undefined || tickSize === undefined) return null;
  if (!isQuantity(lotSize) || (freezeQuantity !== null && !isQuantity(freezeQuantity))) return null;
  if (expiry !== null && !isDay(expiry)) return null;
  if (brokerSymbol === '' || Object.values(listed).some((value) => typeof value === 'string' && !isPlain(value))) return null;
  return { ...listed, strike, tickSize, token: token.trim() };
}

/** Undefined where it is no number. */
function decimal(text: string | null): string | null | undefined {
  return text === null ? null : exact(text)?.toFixed();
}

function isQuantity(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && tradingDay(Date.parse(`${text}T00:00:00+05:30`) || 0) === text;
}

/** Neither a database nor an order takes the others. */
function isPlain(text: string): boolean {
  return text.length <= 400 && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
