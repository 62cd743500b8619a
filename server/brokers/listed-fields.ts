import type { InstrumentKind } from '../../contract/words.ts';
import { tradingDay } from '../clock.ts';
import { Big } from '../money.ts';
import type { Listed, MasterExchange, Skipped } from './master.ts';

/**
 * How the fields of an instrument file read. A reader gives null where the file says none, and undefined where it says what cannot be read: that row
 * is left out, never guessed.
 */

/** What files print for no price: blank, NaN, 0, -1, -0.01. */
const noPrice = /^(|nan|na|-1(\.0+)?|-0\.010*|0+(\.0+)?)$/i;
const price = /^\d{1,15}(\.\d{1,8})?$/;
/** More rupees than any price has. */
const MOST_RUPEES = new Big('1e10');

/** A price as exact decimal text, rupees, without trailing zeros. `unit`: rupees of 1 in the file, such as `0.01` for paise. */
export function priceOf(text: string, unit = '1'): string | null | undefined {
  if (noPrice.test(text)) return null;
  if (!price.test(text)) return undefined;
  const value = new Big(text).times(unit);
  return value.lt(MOST_RUPEES) ? value.toFixed() : undefined;
}

/** A whole number of at least 0, also as `65.0`. */
export function countOf(text: string): number | undefined {
  return /^\d{1,9}(\.0+)?$/.test(text) ? Number(text) : undefined;
}

/** A calendar day printed as `2026-09-29`, also with a time behind it. */
export function dayOf(text: string): string | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})(?:[ T]\d{2}:\d{2}(?::\d{2})?)?$/.exec(text)?.[1];
  return day !== undefined && isDay(day) ? day : undefined;
}

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A calendar day printed as `29SEP2026`. */
export function wordedDayOf(text: string): string | undefined {
  const [, day, month = '', year] = /^(\d{2})([A-Z]{3})(\d{4})$/.exec(text.toUpperCase()) ?? [];
  return dayOf(`${year}-${String(months.indexOf(month) + 1).padStart(2, '0')}-${day}`);
}

/** The day in IST of an instant in epoch seconds. */
export function epochDayOf(text: string): string | undefined {
  return /^[1-9]\d{8,9}$/.test(text) ? tradingDay(Number(text) * 1000) : undefined;
}

function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** What a contract is by the exchanges' words for instruments (FUTIDX, OPTSTK, BSE's IF and SO) and by its side: CE, PE, or another word for none. */
export function contractKind(type: string, side: string): InstrumentKind | undefined {
  const option = side === 'CE' || side === 'PE' ? side : undefined;
  if (/^(OPT[A-Z]{3}|IO|SO)$/.test(type)) return option;
  return /^(FUT[A-Z]{3}|IF|SF)$/.test(type) && option === undefined ? 'FUT' : undefined;
}

/** `BAJAJ-AUTO-EQ` of the series EQ is BAJAJ-AUTO. */
function withoutSeries(symbol: string, series: string | null): string {
  return series !== null && symbol.endsWith(`-${series}`) ? symbol.slice(0, -series.length - 1) : symbol;
}

/** A row in our words, each field as the readers above give it. */
export interface Told {
  exchange: MasterExchange | undefined;
  kind: InstrumentKind | undefined;
  /** Of a share on NSE also with its series behind it. */
  root: string;
  /** Counts on NSE alone. */
  series?: string;
  name: string;
  expiry?: string | null | undefined;
  strike?: string | null | undefined;
  lotSize: number | undefined;
  tickSize: string | null | undefined;
  freezeQuantity?: number | undefined;
  isin?: string;
  brokerSymbol: string;
  token: string;
}

/** Listings of the exchanges' own tests. */
const dummy = /NSETEST/i;
const date = `\\d{2}(?:${months.join('|')})\\d{2}`;
/** Two contracts traded as one. */
const spread = new RegExp(`SPREAD|${date}.*${date}`, 'i');
/** Government paper, and the windows for blocks and for institutions, which list shares a second time. */
const bondSeries: readonly string[] = ['SG', 'GS', 'TB', 'BL', 'IL', 'IQ', 'RL'];
const kindsOf = (exchange: MasterExchange): readonly InstrumentKind[] => {
  if (exchange.endsWith('_INDEX')) return ['INDEX'];
  return exchange === 'NSE' || exchange === 'BSE' ? ['EQ'] : ['FUT', 'CE', 'PE'];
};

/** A told row as it is listed, or why it is not. `today`: `YYYY-MM-DD`, IST. */
export function listed(told: Told, today: string): Listed | Skipped {
  const { exchange, kind, expiry, strike, lotSize, tickSize, token } = told;
  const series = exchange === 'NSE' ? said(told.series ?? '') || null : null;
  const [root, brokerSymbol] = [said(withoutSeries(told.root, series)), said(told.brokerSymbol)];
  if (root === '' || brokerSymbol === '') return { skipped: 'no symbol' };
  if (dummy.test(root) || dummy.test(brokerSymbol)) return { skipped: 'dummy' };
  if (exchange === undefined) return { skipped: 'another exchange' };
  if (kind === undefined || !kindsOf(exchange).includes(kind)) return { skipped: 'another kind' };
  if (series !== null && bondSeries.includes(series)) return { skipped: 'bond' };
  if (!(kind === 'INDEX' ? /^[\w&-]{1,40}$/ : /^[1-9]\d{0,19}$/).test(token)) return { skipped: 'token not read' };
  const contract = kind !== 'EQ' && kind !== 'INDEX';
  if (contract) {
    const fault = contractFault({ kind, brokerSymbol, expiry, strike }, today);
    if (fault !== null) return { skipped: fault };
  }
  if (kind !== 'INDEX' && (lotSize === undefined || lotSize < 1)) return { skipped: 'lot not read' };
  if (kind !== 'INDEX' && tickSize === undefined) return { skipped: 'tick not read' };
  return {
    exchange,
    kind,
    root,
    series,
    name: said(told.name) || null,
    expiry: (contract && expiry) || null,
    strike: (contract && kind !== 'FUT' && strike) || null,
    // Nobody orders an index.
    lotSize: kind === 'INDEX' ? 1 : (lotSize ?? 1),
    tickSize: tickSize ?? null,
    freezeQuantity: freezeOf(told),
    isin: /^[A-Z]{2}[A-Z0-9]{9}\d$/.exec(told.isin ?? '')?.[0] ?? null,
    brokerSymbol,
    token,
  };
}

function contractFault({ kind, brokerSymbol, expiry, strike }: Pick<Told, 'kind' | 'brokerSymbol' | 'expiry' | 'strike'>, today: string) {
  if (spread.test(brokerSymbol)) return 'spread';
  if (!expiry) return 'expiry not read';
  if (expiry < today) return 'expired';
  return strike === undefined || (strike === null && kind !== 'FUT') ? 'strike not read' : null;
}

/** 0 says that there is none, and one below the lot counts something else. */
function freezeOf({ freezeQuantity = 0, lotSize = 0 }: Told): number | null {
  return freezeQuantity > 0 && freezeQuantity >= lotSize ? freezeQuantity : null;
}

/** Blank where the file prints NaN for nothing, or what is no name: signs alone, and control characters. */
function said(text: string): string {
  return /[\p{L}\p{N}]/u.test(text) && !/^nan$|\p{Cc}/iu.test(text) ? text.trim() : '';
}
