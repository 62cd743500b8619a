import { and, eq, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { instruments } from '../../drizzle/schema.ts';
import type { Db } from '../db/handle.ts';
import { given } from '../db/rows.ts';
import { Big } from '../money.ts';
import type { Chain } from './chains.ts';
import { askOf, readWord } from './contract-words.ts';
import { columnList, type InstrumentRow, rowOf, type Selected } from './row.ts';
import { type Cursor, cursorText, type SearchRequest } from './search-request.ts';
import type { Current } from './store.ts';
import { rowsOf, selectRows } from './table.ts';
import { lexeme } from './words.ts';

/** As the index has it. */
const symbolOf = sql`(${instruments.symbol} collate "C")`;
/** As the index has it: futures, which have none, come first. */
const strikeOf = sql`coalesce(${instruments.strike}, -1)`;
/** Behind every letter. */
const LAST = '\u{10ffff}';
/** Strikes as the index has them: of a future, the lowest of options, above all. */
const [FUTURE, LEAST, NO_LIMIT] = [new Big(-1), new Big(0), new Big('1000000000000')];

/** How the words fit: exactly, as the beginning of a symbol, by the company's name. */
type Rank = 0 | 1 | 2;
type Part = (db: Db, current: Current, request: SearchRequest, after: Cursor | null, limit: number) => Promise<InstrumentRow[]>;

/** The parts of a list, in its order. */
const parts: readonly Part[] = [spots(0), contracts(0), spots(1), contracts(1), spots(2)];

export interface Found {
  rows: InstrumentRow[];
  /** Where the next page begins; null on the last one. */
  next: string | null;
}

/** A page of what fits, in one load: by how the words fit, then expiry, strike and symbol. */
export async function search(db: Db, current: Current, request: SearchRequest): Promise<Found> {
  const { limit, after } = request;
  const found: { part: number; row: InstrumentRow }[] = [];
  for (let part = after?.[0] ?? 0; part < parts.length && found.length <= limit; part += 1) {
    const from = after?.[0] === part ? after : null;
    const rows = await parts[part]?.(db, current, request, from, limit + 1 - found.length);
    found.push(...(rows ?? []).map((row) => ({ part, row })));
  }
  const last = found.length > limit ? found[limit - 1] : undefined;
  const next = last ? cursorText([last.part, last.row.expiry, last.row.strike ?? '-1', last.row.symbol, last.row.exchange]) : null;
  return { rows: found.slice(0, limit).map(({ row }) => row), next };
}

/** Shares and indices, found by their words. */
function spots(rank: Rank): Part {
  return async (db, current, request, after, limit) => {
    const { generation } = current;
    const { words, exchange, kind } = request;
    if (request.underlying ?? request.expiry ?? request.strikeFrom ?? request.strikeTo) return [];
    const names = words.filter((word) => !isSpotKind(word));
    if (rank > 0 && names.length === 0) return [];
    // A symbol that begins with the only word has it: without the words the index of symbols gives the page in its order, however many there are.
    const fit = rank === 1 && words.length === 1 ? [] : words.map((word) => fits(generation, word));
    const where = and(
      eq(instruments.generation, generation),
      isNull(instruments.underlying),
      kind === null ? undefined : eq(instruments.kind, kind),
      exchange === null ? undefined : eq(instruments.exchange, exchange),
      ...fit,
      names.length === 0 ? undefined : rankIs(rank, names),
      after === null ? undefined : sql`(${symbolOf}, ${instruments.exchange}) > (${after[3]}, ${after[4]})`,
    );
    return await selectRows(db, current, sql`where ${where} order by ${symbolOf}, ${instruments.exchange} limit ${limit}::int`);
  };
}

function isSpotKind(word: string): word is 'EQ' | 'INDEX' {
  return word === 'EQ' || word === 'INDEX';
}

function fits(generation: number, word: string): SQL {
  const begins = sql`${instruments.words} @@ ${`${lexeme(generation, word)}:*`}::tsquery`;
  return isSpotKind(word) ? sql`(${eq(instruments.kind, word)} or ${begins})` : begins;
}

function rankIs(rank: Rank, names: readonly string[]): SQL {
  const exact = inArray(symbolOf, [...names]);
  if (rank === 0) return exact;
  const begins = sql.join(
    names.map((name) => sql`(${symbolOf} >= ${name} and ${symbolOf} < ${`${name}${LAST}`})`),
    sql` or `,
  );
  return rank === 1 ? sql`not ${exact} and (${begins})` : sql`not (${begins})`;
}

/** Chains that are read first, four times as many each time, until the page is full. Where one strike is asked for each has a row or two. */
const CHAINS = 4;

/** Contracts: the chains that fit are found in memory, and read in the order of the list as far as the page needs them. */
function contracts(rank: 0 | 1): Part {
  return async (db, current, request, after, limit) => {
    const fit = chainsOf(current, request, after, rank);
    if (fit.length === 0) return [];
    const begun = beginnings(fit);
    if (begun.length >= limit) {
      const rows = await readChains(db, current, begun, after, limit);
      if (rows.length >= limit) return rows;
    }
    const chains = fit.toSorted(byBeginning);
    const narrow = chains.every(({ low, high }) => low.eq(high));
    for (let many = narrow ? limit : CHAINS; ; many *= 4) {
      const rows = await readChains(db, current, chains.slice(0, many), after, limit);
      const last = rows[limit - 1];
      const more = last ? upTo(chains.slice(many), last) : chains.slice(many);
      if (more.length === 0) return rows;
      if (last) return await readChains(db, current, upTo(chains, last), after, limit);
    }
  };
}

/** The order of the list, by expiry and strike. */
function byBeginning(a: AskedChain, b: AskedChain): number {
  return a.expiry === b.expiry ? a.low.cmp(b.low) : a.expiry < b.expiry ? -1 : 1;
}

/** What a list that is not empty begins with: the chains of the first expiry and strike, at that strike alone. All others come behind. */
function beginnings(chains: readonly AskedChain[]): AskedChain[] {
  const first = chains.reduce((first, chain) => (byBeginning(chain, first) < 0 ? chain : first));
  return chains.filter((chain) => byBeginning(chain, first) === 0).map((chain) => ({ ...chain, high: chain.low }));
}

/** What of the chains may come before the row, or lie at its strike. */
function upTo(chains: readonly AskedChain[], { expiry, strike }: InstrumentRow): AskedChain[] {
  const last = strike === null ? FUTURE : new Big(strike);
  return chains.flatMap((chain) => {
    if (chain.expiry !== expiry) return chain.expiry < (expiry ?? '') ? [chain] : [];
    return chain.low.gt(last) ? [] : [{ ...chain, high: last.lt(chain.high) ? last : chain.high }];
  });
}

interface AskedChain {
  exchange: string;
  underlying: string;
  expiry: string;
  kind: string | null;
  prefix: string | null;
  /** Strikes, -1 for futures. */
  low: Big;
  high: Big;
  /** The page before ended within this expiry. */
  cut: boolean;
}

function chainsOf(current: Current, request: SearchRequest, after: Cursor | null, rank: 0 | 1): AskedChain[] {
  const { words, kind: given, strikeFrom, strikeTo } = request;
  if (given === 'EQ' || given === 'INDEX') return [];
  const asks = words.map(readWord);
  const last = after === null ? null : new Big(after[2]);
  return current.chains.flatMap((chain) => {
    const [exchange, underlying, expiry] = chain;
    if (exchange !== (request.exchange ?? exchange) || underlying !== (request.underlying ?? underlying)) return [];
    if (expiry !== (request.expiry ?? expiry) || expiry < (after?.[1] ?? expiry)) return [];
    const asked = askOf(asks, underlying, expiry);
    if (asked?.rank !== rank || (given !== null && asked.kind !== null && asked.kind !== given)) return [];
    const kind = given ?? asked.kind;
    const cut = after?.[1] === expiry;
    const onlyOptions = kind === 'CE' || kind === 'PE' || strikeTo !== null;
    const from = greatest(asked.strike, strikeFrom, onlyOptions ? LEAST : null, cut ? last : null);
    const to = least(asked.strike, strikeTo);
    const bounds = from.lt(LEAST) ? null : strikesOf(chain);
    const [low, high] = bounds ? [greatest(from, bounds.lowest), least(to, bounds.highest)] : [from, to];
    return low.gt(high) ? [] : [{ exchange, underlying, expiry, kind, prefix: asked.prefix, low, high, cut }];
  });
}

interface Strikes {
  lowest: Big;
  highest: Big;
}

const known = new WeakMap<Chain, Strikes>();

/** Between which its strikes lie. Made once: a search asks some thousand chains, and whatever each left behind would be collected while orders wait. */
function strikesOf(chain: Chain): Strikes {
  const [, , , , lowest, highest] = chain;
  const strikes = known.get(chain) ?? { lowest: lowest ? new Big(lowest) : LEAST, highest: highest ? new Big(highest) : NO_LIMIT };
  known.set(chain, strikes);
  return strikes;
}

function greatest(...strikes: (Big | null)[]): Big {
  return strikes.reduce<Big>((most, one) => (one?.gt(most) ? one : most), FUTURE);
}

function least(...strikes: (Big | null)[]): Big {
  return strikes.reduce<Big>((lowest, one) => (one?.lt(lowest) ? one : lowest), NO_LIMIT);
}

async function readChains(db: Db, current: Current, chains: AskedChain[], after: Cursor | null, limit: number): Promise<InstrumentRow[]> {
  const { exchange, underlying, expiry, kind, symbol, strike } = instruments;
  const asked = chains.map(({ low, high, ...chain }) => ({ ...chain, low: low.toFixed(), high: high.toFixed() }));
  const chain = given('chain', { exchange, underlying, expiry, kind, prefix: 'text', low: strike, high: strike, cut: 'text' }, asked);
  const [, , lastStrike, lastSymbol, lastExchange] = after ?? [0, null, '-1', '', ''];
  const rows = await db.execute<Selected & Record<string, unknown>>(sql`
    select found.* from ${chain.table} cross join lateral (
      select ${columnList} from ${rowsOf(current)}
      where ${instruments.generation} = ${current.generation} and ${underlying} = ${chain.underlying} and ${expiry} = ${chain.expiry}
        and ${exchange} = ${chain.exchange} and ${strikeOf} between ${chain.low} and ${chain.high}
        and (${chain.kind} is null or ${kind} = ${chain.kind}) and (${chain.prefix} is null or starts_with(${symbol}, ${chain.prefix}))
        and (${chain.cut} = 'false' or (${strikeOf}, ${symbol}, ${exchange}) > (${lastStrike}::numeric, ${lastSymbol}::text, ${lastExchange}::text))
      order by ${strikeOf}, ${symbol} limit ${limit}::int
    ) found order by found.expiry, coalesce(found.strike, -1), found.symbol, found.exchange limit ${limit}::int`);
  return rows.map(rowOf);
}
