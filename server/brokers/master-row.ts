import type { InstrumentKind } from '../../contract/words.ts';
import type { Listed, MasterExchange, Skipped, SkipReason } from './master.ts';
import { months, priceOf, said, wholeNumber } from './master-values.ts';

/** A row of an instrument file with its texts in their places, none of them checked. Empty or not there: the file does not say. */
export interface MasterRow {
  exchange: MasterExchange | undefined;
  kind: InstrumentKind | undefined;
  /** Of a share on NSE also with its series behind it. */
  root: string;
  /** Counts for shares on NSE alone. */
  series?: string | undefined;
  name?: string | undefined;
  /** Of a contract, `YYYY-MM-DD`; null where it cannot be read. */
  expiry?: string | null;
  strike?: string | undefined;
  /** How many decimal places the file moved its strikes up by: 2 for paise. */
  strikePlaces?: number;
  tick: string | undefined;
  tickPlaces?: number;
  lot: string | undefined;
  /** Quantities of orders count lots, or contracts: a multiple of 1 whatever the file's lot holds. */
  countsLots?: boolean;
  /** In the unit of the broker's orders. */
  freeze?: string | undefined;
  isin?: string | undefined;
  symbol: string;
  /** Empty where it cannot be read. */
  token: string;
}

/** A row in our words, or why it is left out. `today`: `YYYY-MM-DD`, IST. Never throws. */
export function listed(row: MasterRow, today: string): Listed | Skipped {
  const { exchange, kind } = row;
  if (exchange === undefined) return { skipped: 'other exchange' };
  if (kind === undefined || !kindsOn(exchange).includes(kind)) return { skipped: 'other kind' };
  const series = exchange === 'NSE' && kind === 'EQ' ? said(row.series ?? '') : '';
  const named = { root: withoutSeries(said(row.root), series), brokerSymbol: said(row.symbol), token: said(row.token) };
  const reason = unnamed(named);
  if (reason !== null) return { skipped: reason };
  if (named.token === '') return { skipped: 'unreadable token' };
  if (!/^([A-Z0-9]{2})?$/.test(series)) return { skipped: 'unreadable series' };
  if (bondSeries.test(series)) return { skipped: 'bond' };
  const terms = termsOf(row, today);
  if ('skipped' in terms) return terms;
  const sizes = sizesOf(row);
  if ('skipped' in sizes) return sizes;
  const isin = /^[A-Z]{2}[A-Z0-9]{9}\d$/.exec(row.isin ?? '')?.[0] ?? null;
  return { exchange, kind, ...named, series: series || null, name: said(row.name ?? '') || null, ...terms, ...sizes, isin };
}

/** `BAJAJ-AUTO-EQ` of the series EQ is BAJAJ-AUTO. */
function withoutSeries(symbol: string, series: string): string {
  return series !== '' && symbol.endsWith(`-${series}`) ? symbol.slice(0, -series.length - 1) : symbol;
}

/** Exchanges list instruments of their own to try out systems with. */
const dummy = /(NSE|BSE|MCX)TEST/i;

function unnamed({ root, brokerSymbol }: Pick<Listed, 'root' | 'brokerSymbol'>): SkipReason | null {
  if (root === '' || brokerSymbol === '') return 'no symbol';
  return dummy.test(root) || dummy.test(brokerSymbol) ? 'dummy' : null;
}

function kindsOn(exchange: MasterExchange): readonly InstrumentKind[] {
  if (exchange.endsWith('_INDEX')) return ['INDEX'];
  return exchange === 'NSE' || exchange === 'BSE' ? ['EQ'] : ['FUT', 'CE', 'PE'];
}

/**
 * Bonds of states and the Union, gold bonds, debentures of companies, and the windows for blocks and for institutions, which list shares a second time.
 */
const bondSeries = /^(SG|GS|GB|GC|TB|BL|IL|IQ|RL|[NYZ][A-Z0-9])$/;

/** A pair of contracts traded as one: it says so, or two months stand in one symbol once its blanks and hyphens are gone. */
const spread = /SPREAD|\bSPD\b/i;
const twoMonths = new RegExp(`\\d(${months})(\\d{0,4}|\\d\\d.*\\d\\d)(${months})`, 'i');

function termsOf({ kind, symbol, expiry = null, ...row }: MasterRow, today: string): Pick<Listed, 'expiry' | 'strike'> | Skipped {
  if (kind === 'EQ' || kind === 'INDEX') return { expiry: null, strike: null };
  if (spread.test(symbol) || twoMonths.test(symbol.replace(/[\s-]+/g, ''))) return { skipped: 'spread' };
  if (expiry === null) return { skipped: 'unreadable expiry' };
  if (expiry < today) return { skipped: 'expired' };
  const strike = priceOf(row.strike ?? '', row.strikePlaces);
  if (strike === undefined || (strike === null && kind !== 'FUT')) return { skipped: 'unreadable strike' };
  return { expiry, strike: kind === 'FUT' ? null : strike };
}

/** Nobody orders an index: what a file says of its lot and tick means nothing. */
function sizesOf(row: MasterRow): Pick<Listed, 'lotSize' | 'tickSize' | 'freezeQuantity'> | Skipped {
  if (row.kind === 'INDEX') return { lotSize: 1, tickSize: null, freezeQuantity: null };
  const lot = wholeNumber(row.lot ?? '');
  if (lot === null) return { skipped: 'unreadable lot' };
  const tick = priceOf(row.tick ?? '', row.tickPlaces);
  if (tick === undefined) return { skipped: 'unreadable tick' };
  if (row.countsLots) return { lotSize: 1, tickSize: tick, freezeQuantity: null };
  return { lotSize: lot, tickSize: tick, freezeQuantity: freezeOf(row.freeze ?? '', lot) };
}

const NO_FREEZE = 99_999_999;

/** Null where there is none, and where it is below the lot: it counts something else. */
function freezeOf(text: string, lot: number): number | null {
  const most = wholeNumber(text);
  return most === null || most >= NO_FREEZE || most < lot ? null : most;
}
