import { seededRandom } from '../clock.ts';
import { Big } from '../money.ts';
import { complete, findInstrument, firstDay, indices, type Row, shareTick } from './instruments.ts';
import { type ContractExchange, monthsOn, weeksOn, weekText } from './months.ts';
import type { Instrument, Listed } from './types.ts';

/** Made-up rows for large instrument files: shares of companies that do not exist with their futures and options, and long chains of options on what the exchange knows. */

interface Chain {
  exchange: ContractExchange;
  underlying: string;
  base: Instrument | null;
  /** What all its options share. */
  option: Instrument;
  /** The strike at the money, rupees, and the distance to the next. */
  middle: string;
  step: string;
}

/** A contract's expiry, and how it stands in the symbol. */
interface Term {
  text: string;
  expiry: string;
  weekly: boolean;
}

const MONTHS = 3;
const WEEKS = 4;
/** So many companies, the last of which has contracts, and then so many rows of the known chains. */
const COMPANIES = 4;
const ROWS_BETWEEN = 20;
/** Strikes on either side of the middle. */
const REACH = 300;
const COMPANY_REACH = 6;
const OPTION_PRICE = '100';

/** exchange, underlying, lot, multiplier, tick, middle, step. */
const known: readonly (readonly [ContractExchange, string, number, number, string, string, string])[] = [
  ['NFO', 'NIFTY', 65, 1, '0.05', '26000', '50'],
  ['NFO', 'BANKNIFTY', 30, 1, '0.05', '58800', '100'],
  ['NFO', 'FINNIFTY', 60, 1, '0.05', '27500', '50'],
  ['NFO', 'MIDCPNIFTY', 120, 1, '0.05', '13900', '25'],
  ['BFO', 'SENSEX', 20, 1, '0.05', '85000', '100'],
  ['BFO', 'BANKEX', 30, 1, '0.05', '65900', '100'],
  ['MCX', 'CRUDEOIL', 1, 100, '0.1', '5300', '50'],
  ['CDS', 'USDINR', 1, 1_000, '0.0025', '89.25', '0.25'],
];

/** Of ten companies in a row; those with contracts are in EQ whatever stands here. */
const seriesInTurn = ['EQ', 'EQ', 'BE', 'EQ', 'EQ', 'EQ', 'SM', 'EQ', 'EQ', 'BZ'] as const;
/** First tokens: beyond all that the exchange really has. */
const firstTokens = { NSE: 100_001, BSE: 600_001, NFO: 100_001, BFO: 1_100_001, MCX: 600_001, CDS: 100_001 } as const;

/** Gives a row the next token of its exchange. */
type Make = (one: Omit<Instrument, 'exchangeToken'>, about?: Partial<Pick<Listed, 'series' | 'weekly' | 'base'>>) => Listed;

/** So many made-up instruments, the same for the same seed and day (YYYY-MM-DD, India; the process's first unless given): names and tokens are unique in their exchange. */
export function* generatedInstruments(count: number, seed: number, today: string = firstDay): Generator<Listed> {
  const next: Record<Instrument['exchange'], number> = { ...firstTokens };
  const make: Make = (one, about) => {
    const exchangeToken = next[one.exchange];
    next[one.exchange] += 1;
    return { ...one, exchangeToken, series: null, weekly: false, base: null, oddity: null, ...about };
  };
  let left = count;
  if (left === 0) return;
  for (const one of rows(make, seed, today)) {
    yield one;
    left -= 1;
    if (left === 0) return;
  }
}

/** Without end. */
function* rows(make: Make, seed: number, today: string): Generator<Listed> {
  const chains = knownChains(make, today);
  for (let number = 0; ; number += 1) {
    yield* company(make, number, seed, today);
    if (number % COMPANIES !== COMPANIES - 1) continue;
    for (let taken = 0; taken < ROWS_BETWEEN; taken += 1) {
      const made = chains.next();
      if (made.done) break;
      yield made.value;
    }
  }
}

/** The options of every known chain, those at the money first; what the exchange trades itself is left out. */
function* knownChains(make: Make, today: string): Generator<Listed> {
  const chains = known.map(([exchange, underlying, lotSize, multiplier, tick, middle, step]): Chain => {
    const base = indices.find((index) => index.symbol === underlying) ?? null;
    return chainOf({ exchange, underlying, lotSize, multiplier, tick }, base, middle, step);
  });
  const termed = chains.map((chain) => ({ chain, terms: termsOf(chain, today) }));
  for (let away = 0; away <= REACH; away += 1) {
    for (const { chain, terms } of termed) {
      for (const strike of strikesAt(chain, away)) yield* optionsOf(make, chain, terms, strike);
    }
  }
}

/** Months, and for the two indices that have them weeks. */
function termsOf({ exchange, underlying }: Pick<Chain, 'exchange' | 'underlying'>, today: string): Term[] {
  const months = monthsOn(today, exchange, MONTHS).map(({ text, expiry }): Term => ({ text, expiry, weekly: false }));
  if ((exchange !== 'NFO' && exchange !== 'BFO') || !(underlying === 'NIFTY' || underlying === 'SENSEX')) return months;
  const weeks = weeksOn(today, exchange, WEEKS).map((expiry): Term => ({ text: weekText(expiry), expiry, weekly: true }));
  return [...weeks, ...months];
}

/** The strikes so many steps from the middle: two, or the middle itself; none at or below nothing. */
function strikesAt({ middle, step }: Chain, away: number): string[] {
  const distance = new Big(step).times(away);
  const both = away === 0 ? [new Big(middle)] : [new Big(middle).minus(distance), new Big(middle).plus(distance)];
  return both.filter((strike) => strike.gt(0)).map((strike) => strike.toFixed());
}

function* optionsOf(make: Make, { exchange, underlying, base, option }: Chain, terms: readonly Term[], strike: string): Generator<Listed> {
  for (const { text, expiry, weekly } of terms) {
    for (const kind of ['CE', 'PE'] as const) {
      const symbol = `${underlying}${text}${strike}${kind}`;
      if (!findInstrument(exchange, symbol)) yield make({ ...option, symbol, kind, expiry, strike }, { weekly, base });
    }
  }
}

type Terms = Pick<Row, 'underlying' | 'lotSize' | 'multiplier' | 'tick'> & { exchange: ContractExchange };

function chainOf(terms: Terms, base: Instrument | null, middle: string, step: string): Chain {
  const { exchange, underlying } = terms;
  const option = complete({
    ...terms,
    symbol: '',
    name: underlying,
    kind: 'CE',
    strike: middle,
    basePrice: OPTION_PRICE,
    exchangeToken: 0,
  });
  return { exchange, underlying, base, option, middle, step };
}

/** A share on NSE, of each second company on BSE too, and of each fourth futures and options. */
function* company(make: Make, number: number, seed: number, today: string): Generator<Listed> {
  const symbol = symbolOf(number, seed);
  if (findInstrument('NSE', symbol)) return;
  const { next } = seededRandom(seed ^ Math.imul(number + 1, 0x9e37_79b1));
  const basePrice = String(20 + Math.floor(next() * 4_000));
  // Some names have a comma in them, as in the real files.
  const name = number % 7 === 0 ? `${symbol} INDUSTRIES, LTD` : `${symbol} LIMITED`;
  const isin = `INE${number.toString(36).toUpperCase().padStart(4, '0')}Z0101`;
  const listing = { symbol, name, underlying: symbol, kind: 'EQ', isin, basePrice, tick: shareTick(basePrice), exchangeToken: 0 } as const;
  const share = complete({ ...listing, exchange: 'NSE' });
  const hasContracts = number % COMPANIES === COMPANIES - 1;
  const onNse = make(share, { series: hasContracts ? 'EQ' : (seriesInTurn[number % 10] ?? 'EQ') });
  yield onNse;
  if (number % 2 === 0) yield make({ ...share, exchange: 'BSE' }, { series: number % 4 === 0 ? 'B' : 'A' });
  if (hasContracts) yield* contractsOn(make, onNse, today);
}

function* contractsOn(make: Make, base: Instrument, today: string): Generator<Listed> {
  const { symbol: underlying, basePrice } = base;
  const lotSize = 25 * (1 + (base.exchangeToken % 60));
  const step = [0.5, 1, 2.5, 5, 10, 20, 50].find((each) => each >= Number(basePrice) / 80) ?? 100;
  const middle = new Big(basePrice).div(step).round(0).times(step).toFixed();
  const common = { exchange: 'NFO', underlying, lotSize, tick: '0.05' } as const;
  const terms = termsOf(common, today);
  const future = complete({ ...common, symbol: '', name: underlying, kind: 'FUT', basePrice, exchangeToken: 0 });
  for (const { text, expiry } of terms) yield make({ ...future, symbol: `${underlying}${text}FUT`, expiry }, { base });
  const chain = chainOf(common, base, middle, String(step));
  for (let away = 0; away < COMPANY_REACH; away += 1) {
    for (const strike of strikesAt(chain, away)) yield* optionsOf(make, chain, terms, strike);
  }
}

const syllables = [...'AEIOU'].flatMap((vowel) => [...'BDGHJKLMNPRSTVZ'].map((consonant) => consonant + vowel));

/** Three syllables or more, which number the company; some names have an ampersand, a hyphen or digits in them, as real ones do. */
function symbolOf(number: number, seed: number): string {
  let [text, rest] = ['', number];
  for (let place = 0; place < 3 || rest > 0; place += 1) {
    text += syllables[(rest + Math.abs(seed)) % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  if (number % 11 === 3) return `${text.slice(0, 2)}&${text.slice(2)}`;
  if (number % 11 === 5) return `${text}-AUTO`;
  return number % 11 === 7 ? `360${text}` : text;
}
