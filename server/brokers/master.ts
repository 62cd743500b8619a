import type { InstrumentKind } from '../../contract/words.ts';

/** Where an instrument of a master trades: our exchange words, and the venues of indices. */
export const masterExchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS', 'BCD', 'NCO', 'NSE_INDEX', 'BSE_INDEX', 'MCX_INDEX'] as const;
export type MasterExchange = (typeof masterExchanges)[number];

/** One row of a broker's instrument file in our words. Prices in rupees and strikes as plain decimal text. */
export interface Listed {
  exchange: MasterExchange;
  kind: InstrumentKind;
  /** A share's symbol without its series, an index's name as the file has it, a contract's underlying. */
  root: string;
  /** A share's series on NSE (EQ, BE, SM, ...); null elsewhere, and where the file has none. */
  series: string | null;
  /** The company's or contract's name for people. */
  name: string | null;
  /** The calendar day in IST, `YYYY-MM-DD`; null without one. */
  expiry: string | null;
  strike: string | null;
  /** What order quantities are multiples of, in the unit this broker's orders count in. */
  lotSize: number;
  /** Null where the file does not say. */
  tickSize: string | null;
  /** The most one order may have, in the same unit; null where the file does not say, or says it in another. */
  freezeQuantity: number | null;
  isin: string | null;
  /** What orders name it by. */
  brokerSymbol: string;
  token: string;
}

/** One file of a broker's master. */
export interface MasterFile {
  /** Below the broker's master address (`urls.master`), or a whole address. */
  path: string;
  pack: 'plain' | 'gzip' | 'zip';
  /** `json`: one array of objects. */
  form: 'csv' | 'json';
  /** The columns of a CSV whose first line is no header. */
  columns?: readonly string[];
  /** Of an exchange that no order goes to here: it may be missing or empty. */
  optional?: boolean;
}

/** A row as the file has it: each member or column as trimmed text, empty where it has none; names of columns trimmed too. */
export type MasterFields = Readonly<Record<string, string>>;

/** Why rows are left out; they are counted by these words. */
export const skipReasons = [
  ...(['no symbol', 'no series', 'dummy', 'other exchange', 'other kind', 'bond', 'spread', 'expired'] as const),
  /** The file has it a second time, in the row or the file that counts. */
  'told elsewhere',
  /** Orders by its symbol would go into another instrument. */
  'symbol of another',
  ...(['unreadable token', 'unreadable series', 'unreadable expiry', 'unreadable strike', 'unreadable lot', 'unreadable tick'] as const),
] as const;
export type SkipReason = (typeof skipReasons)[number];

export interface Skipped {
  skipped: SkipReason;
}

/**
 * How a broker's instrument master reads: `brokers/<id>/master.ts` exports it as `master`. Runs in a worker of its own, so that file imports nothing
 * that opens a connection.
 */
export interface Master {
  /** Null where the broker names its files itself (`Broker.masterFiles`). */
  files: readonly MasterFile[] | null;
  /** Never throws. `today` (`YYYY-MM-DD`, IST) tells what has expired. */
  read(row: MasterFields, file: MasterFile, today: string): Listed | Skipped;
  /** Of rows with one name the one with the highest rank counts; null, and without ranks: none of them does. */
  rank?(row: Listed): number | null;
}
