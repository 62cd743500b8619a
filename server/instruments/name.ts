import type { InstrumentKind } from '../../contract/words.ts';
import type { Listed } from '../brokers/master.ts';

export const monthWords: readonly string[] = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Names of indices that brokers write in several ways, without blanks and hyphens, and ours. */
const indexNames: Readonly<Record<string, string>> = {
  NIFTY50: 'NIFTY',
  NIFTYBANK: 'BANKNIFTY',
  NIFTYFINSERVICE: 'FINNIFTY',
  NIFTYFINANCIALSERVICES: 'FINNIFTY',
  NIFTYMIDSELECT: 'MIDCPNIFTY',
  NIFTYMIDCAPSELECT: 'MIDCPNIFTY',
  MIDCAPNIFTY: 'MIDCPNIFTY',
  NIFTYNEXT50: 'NIFTYNXT50',
  NIFTYJR: 'NIFTYNXT50',
  VIX: 'INDIAVIX',
  SNSX50: 'SENSEX50',
  BSESENSEX: 'SENSEX',
  BSEBANKEX: 'BANKEX',
};

/** Series of NSE shares of which the only one listed goes by the bare symbol, when there is no EQ. */
export const bareSeries: readonly string[] = ['BE', 'BZ', 'SM', 'ST'];

/**
 * The one name of an instrument, whatever its broker calls it: `SBIN`, `NIFTY`, `NIFTY29DEC26FUT`, `NIFTY29DEC2626000CE`. A share of another series than
 * EQ is told with it (`SYMBOL-BE`); whether the bare symbol is free for it, only the whole file tells. Null when a contract lacks what its name is made of.
 */
export function canonicalSymbol({ kind, root, series, expiry, strike }: Omit<Listed, 'exchange'> | ContractFacts): string | null {
  const plain = root.trim().toUpperCase();
  if (plain === '') return null;
  if (kind === 'EQ') return series === null || series === 'EQ' ? plain : `${plain}-${series}`;
  if (kind === 'INDEX') return indexName(plain);
  const day = dayText(expiry);
  if (day === null) return null;
  if (kind === 'FUT') return `${plain}${day}FUT`;
  return strike === null ? null : `${plain}${day}${strike}${kind}`;
}

/** What a contract's name is made of. */
export type ContractFacts = Pick<Listed, 'kind' | 'root' | 'series' | 'expiry' | 'strike'>;

/** An index by our name for it: upper case without blanks and hyphens. */
export function indexName(text: string): string {
  const plain = text.toUpperCase().replace(/[\s-]+/g, '');
  return indexNames[plain] ?? plain;
}

/** `2026-12-29` as `29DEC26`; null for what is no day. */
export function dayText(expiry: string | null): string | null {
  const [, year, month, day] = /^\d\d(\d\d)-(\d\d)-(\d\d)$/.exec(expiry ?? '') ?? [];
  const word = monthWords[Number(month) - 1];
  return year && day && word ? `${day}${word}${year}` : null;
}

export interface ContractName {
  kind: Exclude<InstrumentKind, 'EQ' | 'INDEX'>;
  underlying: string;
  /** `YYYY-MM-DD`. */
  expiry: string;
  strike: string | null;
}

const contract = new RegExp(`^(.+?)(\\d{2})(${monthWords.join('|')})(\\d{2})(?:(FUT)|(\\d+(?:\\.\\d+)?)(CE|PE))$`);

/** What a contract's name says; null for any other name. Read from the right: an underlying may hold digits. */
export function contractOf(symbol: string): ContractName | null {
  const [, underlying, day, month, year, future, strike, side] = contract.exec(symbol) ?? [];
  if (!underlying || !month) return null;
  const number = String(monthWords.indexOf(month) + 1).padStart(2, '0');
  const expiry = `20${year}-${number}-${day}`;
  if (future) return { kind: 'FUT', underlying, expiry, strike: null };
  return { kind: side === 'PE' ? 'PE' : 'CE', underlying, expiry, strike: strike ?? null };
}
