import { systemClock } from '../../clock.ts';
import { copyText, type Writer } from '../../db/writer.ts';
import { type Chain, withContract } from '../chains.ts';
import { tableName } from '../table.ts';
import { lexeme, wordsOf } from '../words.ts';
import type { Named } from './naming.ts';

/** Rows of one transaction: some 5 ms. */
const BATCH = 250;
/** After each: whatever orders wrote meanwhile reaches the disk without more of ours before it. */
const PAUSE_MS = 7;

const COLUMNS = `(generation, exchange, symbol, name, kind, underlying, expiry, strike, lot_size, tick_size, freeze_quantity, isin,
  broker_symbol, token, words)`;

/** Once it is filled nothing of it changes until it goes whole. */
const CREATE = (table: string) => `create table ${table} (like instruments) with (autovacuum_enabled = off)`;

/** The indexes of `instruments`, for another table. */
const INDEXES = `select regexp_replace(pg_get_indexdef(indexrelid), ' INDEX instruments(\\w+) ON \\S+', ' INDEX ' || $1 || '\\1 ON ' || $1) as text
  from pg_index where indrelid = 'instruments'::regclass order by indexrelid`;

/** Names that several rows of a load have. */
const TWICE = (table: string) => `select exchange, symbol from ${table} group by exchange, symbol having count(*) > 1`;

const REMOVE = (table: string) => `with named as (select * from jsonb_to_recordset($1::text::jsonb) as t(exchange text, symbol text))
  delete from ${table} i using named n where i.exchange = n.exchange and i.symbol = n.symbol
  returning i.exchange, i.underlying, i.expiry::text as expiry`;

/** Writes the rows of one load into a table of their own, in short transactions, and counts its contracts. */
export class TableWriter {
  readonly #writer: Writer;
  readonly #generation: number;
  readonly #table: string;
  #lines: string[] = [];
  #rows = 0;
  readonly #chains = new Map<string, Chain>();

  constructor(writer: Writer, generation: number) {
    this.#writer = writer;
    this.#generation = generation;
    this.#table = tableName(generation);
  }

  /** Makes the table. */
  async begin(): Promise<void> {
    await this.#writer.run(CREATE(this.#table));
  }

  /** Resolves at once, or when a batch has been written. */
  async add(row: Named): Promise<void> {
    this.#lines.push(this.#line(row));
    this.#rows += 1;
    if (isContract(row))
      this.#count(row.exchange, row.root.trim().toUpperCase(), row.expiry ?? '', (chain) => withContract(chain, row.strike));
    if (this.#lines.length >= BATCH) await this.#flush();
  }

  /** Writes what is left, takes out rows that share a name, and makes the indexes. How many rows stand in the table, how many were taken out, and the contracts. */
  async end(): Promise<{ rows: number; twice: number; chains: Chain[] }> {
    await this.#flush();
    const names = await this.#writer.run(TWICE(this.#table));
    let twice = 0;
    for (let at = 0; at < names.length; at += BATCH) {
      const removed = await this.#writer.run(REMOVE(this.#table), [JSON.stringify(names.slice(at, at + BATCH))]);
      for (const { exchange, underlying, expiry } of removed) if (underlying !== null) this.#count(exchange, underlying, expiry, oneFewer);
      twice += removed.length;
    }
    for (const { text } of await this.#writer.run(INDEXES, [this.#table])) await this.#writer.run(text);
    await this.#writer.run(`analyze ${this.#table}`);
    return { rows: this.#rows - twice, twice, chains: [...this.#chains.values()].filter(([, , , contracts]) => contracts > 0) };
  }

  #count(exchange: string, underlying: string, expiry: string, change: (chain: Chain) => Chain): void {
    const key = `${exchange} ${expiry} ${underlying}`;
    this.#chains.set(key, change(this.#chains.get(key) ?? [exchange, underlying, expiry, 0]));
  }

  async #flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const text = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    await this.#writer.copy(`${this.#table} ${COLUMNS}`, text);
    await systemClock.sleep(PAUSE_MS);
  }

  #line(row: Named): string {
    const contract = isContract(row);
    const words = contract ? null : wordsOf(row.symbol, row.brokerSymbol, row.name).map((word) => lexeme(this.#generation, word));
    const cells = [
      ...[this.#generation, row.exchange, row.symbol, row.name || null, row.kind],
      ...[contract ? row.root.trim().toUpperCase() : null, row.expiry, row.strike],
      ...[row.lotSize, row.tickSize, row.freezeQuantity, row.isin || null, row.brokerSymbol, row.token, words?.join(' ') ?? null],
    ];
    return cells.map(copyText).join('\t');
  }
}

/** Its strikes stay: wider than what is there does no harm. */
function oneFewer([exchange, underlying, expiry, contracts, ...strikes]: Chain): Chain {
  return [exchange, underlying, expiry, contracts - 1, ...strikes];
}

function isContract({ kind }: Named): boolean {
  return kind !== 'EQ' && kind !== 'INDEX';
}
