import { and, eq, inArray, or, sql } from 'drizzle-orm';
import type { InstrumentQuery } from '../../contract/instruments.ts';
import { instruments } from '../../drizzle/schema.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import { given } from '../db/rows.ts';
import { columnList, type InstrumentRow, rowOf, type Selected } from './row.ts';
import { type Found, search } from './search.ts';
import { readSearch } from './search-request.ts';
import { Seen } from './seen.ts';
import type { Current } from './store.ts';
import { rowsOf, selectRows } from './table.ts';

/** How a row of a broker's names an instrument. */
export interface BrokersName {
  exchange: string;
  symbol: string;
  token: string | null;
}

/** One broker's instruments, as of one file. Look-ups reject when the store fails; all of one directory see the same file. */
export interface Directory {
  /** The trading day of the file, `YYYY-MM-DD`, IST. */
  readonly asOf: string;
  /** Whether the file is of the trading day now. */
  isToday(): boolean;
  /** Why it is not of today; null when it is. */
  readonly message: string | null;
  /** The instrument of that one name (the case as it is, then upper case), before every other one that the broker calls so. */
  named(exchange: string, symbol: string): Promise<readonly InstrumentRow[]>;
  withToken(exchange: string, token: string): Promise<readonly InstrumentRow[]>;
  /** The instruments of the broker's own rows, in their order; null for what names none, or two. One statement for all that were not seen yet. */
  rowsOf(names: readonly BrokersName[]): Promise<(InstrumentRow | null)[]>;
  /** What `named` would find, from what was seen since the file came: no statement, and undefined where that does not tell. */
  known(exchange: string, symbol: string): InstrumentRow | undefined;
  /** A page. Throws, in words that name the member, on a query that cannot be read. */
  search(query: InstrumentQuery): Promise<Found>;
}

export interface DirectoryParts {
  db: Db;
  clock: Clock;
  current: Current;
  isToday(): boolean;
  message(): string | null;
}

/** The directory of one load in the table. */
export class StoredDirectory implements Directory {
  readonly #parts: DirectoryParts;
  readonly #seen: Seen<InstrumentRow>;

  constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#seen = new Seen(parts.clock);
  }

  get asOf(): string {
    return this.#parts.current.asOf;
  }

  get message(): string | null {
    return this.isToday() ? null : this.#parts.message();
  }

  isToday(): boolean {
    return this.#parts.isToday();
  }

  async named(exchange: string, symbol: string): Promise<readonly InstrumentRow[]> {
    return await this.#once(nameKey(exchange, symbol), async () => {
      const upper = symbol.toUpperCase();
      const rows = await this.#select(exchange, [inArray(instruments.symbol, [symbol, upper]), eq(instruments.broker_symbol, symbol)]);
      const one = rows.find((row) => row.symbol === symbol) ?? rows.find((row) => row.symbol === upper);
      // What the broker calls so may be another one: then both are meant.
      return one ? [one, ...rows.filter((row) => row !== one && row.brokerSymbol === symbol)] : rows;
    });
  }

  async withToken(exchange: string, token: string): Promise<readonly InstrumentRow[]> {
    return await this.#once(`token ${exchange} ${token}`, () => this.#select(exchange, [eq(instruments.token, token)]));
  }

  async rowsOf(names: readonly BrokersName[]): Promise<(InstrumentRow | null)[]> {
    const unseen = names.filter((name) => this.#seen.get(brokersKey(name)) === undefined);
    if (unseen.length > 0) await this.#readAll([...new Map(unseen.map((name) => [brokersKey(name), name])).values()]);
    return names.map((name) => this.#seen.get(brokersKey(name))?.[0] ?? null);
  }

  known(exchange: string, symbol: string): InstrumentRow | undefined {
    const rows = this.#seen.get(nameKey(exchange, symbol));
    return rows?.length === 1 ? rows[0] : undefined;
  }

  async search(query: InstrumentQuery): Promise<Found> {
    const found = await search(this.#parts.db, this.#parts.current, readSearch(query));
    for (const row of found.rows) this.#learn(row);
    return found;
  }

  async #once(key: string, read: () => Promise<readonly InstrumentRow[]>): Promise<readonly InstrumentRow[]> {
    const seen = this.#seen.get(key);
    if (seen) return seen;
    const rows = await read();
    for (const row of rows) this.#learn(row);
    this.#seen.set(key, rows);
    return rows;
  }

  /** Its one name is its own. */
  #learn(row: InstrumentRow): void {
    const key = nameKey(row.exchange, row.symbol);
    if (this.#seen.get(key)?.length !== 1) this.#seen.set(key, [row]);
  }

  async #select(exchange: string, which: Parameters<typeof or>): Promise<InstrumentRow[]> {
    const { current, db } = this.#parts;
    const where = and(eq(instruments.generation, current.generation), eq(instruments.exchange, exchange), or(...which));
    return await selectRows(db, current, sql`where ${where}`);
  }

  async #readAll(names: readonly BrokersName[]): Promise<void> {
    const { exchange, symbol, token, broker_symbol, generation } = instruments;
    const numbered = names.map((name, number) => ({ ...name, number }));
    const name = given('name', { number: 'integer', exchange, symbol, token }, numbered);
    const { current, db } = this.#parts;
    const ours = sql`${generation} = ${current.generation} and ${exchange} = ${name.exchange}`;
    const rows = await db.execute<Selected & { number: number } & Record<string, unknown>>(sql`
      select ${name.number} as number, found.* from ${name.table} cross join lateral (
        select ${columnList} from ${rowsOf(current)} where ${ours} and ${token} = ${name.token}
        union
        select ${columnList} from ${rowsOf(current)} where ${ours} and ${broker_symbol} = ${name.symbol}
      ) found`);
    const found = Map.groupBy(rows, ({ number }) => number);
    for (const [number, one] of names.entries()) {
      const candidates = (found.get(number) ?? []).map(({ number: _, ...selected }) => rowOf(selected));
      const row = meant(one, candidates);
      if (row) this.#learn(row);
      this.#seen.set(brokersKey(one), row ? [row] : []);
    }
  }
}

/** The one instrument that a broker's own row means: its token tells where it has one and the symbol does not speak against it, else its symbol. */
function meant({ symbol, token }: BrokersName, candidates: readonly InstrumentRow[]): InstrumentRow | null {
  const byToken = token === null || token === '' ? [] : candidates.filter((row) => row.token === token);
  const bySymbol = candidates.filter((row) => row.brokerSymbol === symbol);
  const both = byToken.filter((row) => row.brokerSymbol === symbol);
  const [only, ...others] =
    both.length > 0 ? both : byToken.length > 0 && bySymbol.length === 0 ? byToken : byToken.length > 0 ? [] : bySymbol;
  return only && others.length === 0 ? only : null;
}

const nameKey = (exchange: string, symbol: string) => `name ${exchange} ${symbol}`;
const brokersKey = ({ exchange, symbol, token }: BrokersName) => JSON.stringify([exchange, symbol, token]);
