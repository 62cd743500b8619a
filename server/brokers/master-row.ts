import type { Listed, MasterExchange, Skipped } from './master.ts';
import { isNone, months, positive, wholeNumber } from './master-values.ts';

/** A row of an instrument file with its texts in their places, none of them checked. Empty: the file does not say. */
export interface MasterRow {
  exchange: MasterExchange;
  kind: Listed['kind'];
  root: string;
  /** Of a share on NSE. */
  series?: string;
  name: string;
  /** Of a contract, `YYYY-MM-DD`; null where it cannot be read. */
  expiry: string | null;
  strike: string;
  /** How many decimal places the file moved its strikes up by: 2 for paise. */
  strikePlaces?: number;
  tick: string;
  tickPlaces?: number;
  lot: string;
  /** Quantities of orders count lots, or contracts: a multiple of 1 whatever the file's lot holds. */
  countsLots?: boolean;
  /** In the unit of the broker's orders. */
  freeze: string;
  isin: string;
  symbol: string;
  /** Empty where it cannot be read. */
  token: string;
}

/** Bonds of states, the Union and companies, and the windows for institutions. */
const bondSeries = /^(SG|GS|GB|GC|TB|BL|IL|IQ|RL|[NYZ][A-Z0-9])$/;
/** Exchanges list instruments of their own to try out systems with. */
const dummy = /(NSE|BSE|MCX)TEST\b/i;
/** A pair of contracts traded as one: it says so, or two months stand in one symbol once its blanks and hyphens are gone. */
const spreadWord = /\b(SPREAD|SPD)\b/i;
const twoMonths = new RegExp(`\\d(${months})\\d{0,4}(${months})`, 'i');

/** A row in our words, or why it is left out. `today`: `YYYY-MM-DD`, IST. Never throws. */
export function listed(row: MasterRow, today: string): Listed | Skipped {
  const { exchange, kind, root, symbol, token, series = '' } = row;
  const reason = unlisted(row);
  if (reason !== null) return { skipped: reason };
  const contract = contractOf(row, today);
  if ('skipped' in contract) return contract;
  const index = kind === 'INDEX';
  const lot = index ? 1 : wholeNumber(row.lot);
  if (lot === null) return { skipped: 'unreadable lot' };
  const tick = index || isNone(row.tick) ? null : positive(row.tick, row.tickPlaces);
  if (tick === null && !index && !isNone(row.tick)) return { skipped: 'unreadable tick' };
  return {
    exchange,
    kind,
    root,
    series: exchange === 'NSE' && kind === 'EQ' && series !== '' ? series : null,
    name: row.name || null,
    ...contract,
    lotSize: row.countsLots ? 1 : lot,
    tickSize: tick,
    freezeQuantity: index || row.countsLots ? null : freezeOf(row.freeze),
    isin: /^[A-Z]{2}[A-Z0-9]{9}\d$/.test(row.isin) ? row.isin : null,
    brokerSymbol: symbol,
    token,
  };
}

/** Why nobody trades a row, or nobody can name it; null for all others. */
function unlisted({ kind, exchange, root, symbol, token, series = '' }: MasterRow): string | null {
  if (root === '' || symbol === '') return 'no symbol';
  if (dummy.test(symbol) || dummy.test(root)) return 'dummy';
  if (token === '') return 'unreadable token';
  if (kind === 'EQ' && exchange === 'NSE') {
    if (!/^([A-Z0-9]{2})?$/.test(series)) return 'unreadable series';
    if (bondSeries.test(series)) return 'bond';
  }
  return null;
}

function contractOf(row: MasterRow, today: string): Pick<Listed, 'expiry' | 'strike'> | Skipped {
  if (row.kind === 'EQ' || row.kind === 'INDEX') return { expiry: null, strike: null };
  if (spreadWord.test(row.symbol) || twoMonths.test(row.symbol.replace(/[\s-]+/g, ''))) return { skipped: 'spread' };
  if (row.expiry === null) return { skipped: 'unreadable expiry' };
  if (row.expiry < today) return { skipped: 'expired' };
  if (row.kind === 'FUT') return { expiry: row.expiry, strike: null };
  const strike = positive(row.strike, row.strikePlaces);
  return strike === null ? { skipped: 'unreadable strike' } : { expiry: row.expiry, strike };
}

const NO_FREEZE = 99_999_999;

function freezeOf(text: string): number | null {
  const most = wholeNumber(text);
  return most === null || most >= NO_FREEZE ? null : most;
}
