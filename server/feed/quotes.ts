import type { Quote, QuoteList } from '../../contract/quotes.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { BrokerQuote, Failure } from '../brokers/broker.ts';
import type { FeedInstrument } from '../brokers/feed.ts';
import { quoteKey, type SeenQuote } from '../brokers/quote-read.ts';
import type { Clock } from '../clock.ts';
import type { ByName, FindByName } from '../instruments/by-name.ts';
import type { Feed } from './feed.ts';
import type { FeedQuote } from './prices.ts';

/** A price of the feed older than this is asked for again. */
const FRESH_MS = 2_000;
const NOT_CONNECTED: Failure = { success: false, message: 'Broker Not Connected' };

export interface QuoteParts {
  accounts: Pick<Accounts, 'active'>;
  feed: Pick<Feed, 'quote'>;
  clock: Clock;
  find: FindByName;
}

export interface QuoteOperations {
  /** Quotes of `EXCHANGE:SYMBOL` names, each once, in the order asked for. Prices in rupees. */
  quotes(names: readonly string[]): Promise<QuoteList | Failure>;
}

/** Quotes of the active broker: from the live feed where it is fresh, else from one read. */
export function quoteOperations({ accounts, feed, clock, find }: QuoteParts): QuoteOperations {
  /** What the feed has told just now. */
  function fresh({ exchange, symbol }: FeedInstrument): FeedQuote | null {
    const told = feed.quote(exchange, symbol);
    return told && clock.now() - told.at < FRESH_MS ? told : null;
  }

  /** Whether the broker must be asked for what the feed has not told of an instrument. */
  function lacks(account: Account, instrument: ByName): boolean {
    const told = fresh(instrument);
    return !told || (!isWhole(told) && account.quotes.newest(instrument) === null);
  }

  return {
    async quotes(names) {
      const account = accounts.active();
      if (!account) return NOT_CONNECTED;
      const asked = await Promise.all([...new Set(names)].map(async (name) => ({ name, found: await find(name) })));
      const known = asked.flatMap(({ found }) => ('refused' in found ? [] : [found]));
      const instruments = [...new Map(known.map((found) => [found.instrument, found])).values()];
      const { quotes, failure } = await read(
        account,
        instruments.filter((instrument) => lacks(account, instrument)),
      );
      const now = clock.now();
      const list: QuoteList = { success: true, quotes: [], missing: [] };
      const told = new Set<string>();
      for (const { name, found } of asked) {
        if ('refused' in found) {
          list.missing?.push({ instrument: name, message: found.refused });
          continue;
        }
        const seen = quotes.get(quoteKey(found)) ?? account.quotes.newest(found);
        const quote = quoteOf(found, fresh(found), seen, now);
        if (!quote) list.missing?.push({ instrument: name, message: whyNot(account, name, found, seen ? null : failure) });
        else if (!told.has(found.instrument)) list.quotes.push(quote);
        told.add(found.instrument);
      }
      if (list.missing?.length === 0) delete list.missing;
      return failure && list.quotes.length === 0 ? failure : list;
    },
  };
}

async function read(account: Account, instruments: readonly ByName[]): ReturnType<Account['quotes']['read']> {
  return instruments.length > 0 ? await account.quotes.read(instruments) : { quotes: new Map(), failure: null };
}

const members = ['bid', 'ask', 'open', 'high', 'low', 'close', 'volume'] as const;

function isWhole(told: FeedQuote): boolean {
  return members.every((member) => told[member] !== undefined);
}

/** The last price is the feed's where it is fresh; each other member the feed's, else the newest read's. Null where nothing tells of the instrument. */
function quoteOf({ instrument }: ByName, told: FeedQuote | null, seen: SeenQuote | null | undefined, now: number): Quote | null {
  const from = seen?.quote ?? null;
  if (!told && !from) return null;
  const at = told?.at ?? from?.at ?? seen?.at ?? now;
  const rest = members.map((member) => [member, told?.[member] === undefined ? numberOf(from, member) : shown(member, told[member])]);
  return {
    instrument,
    last_price: told?.lastPrice ?? numberOf(from, 'lastPrice'),
    ...(Object.fromEntries(rest) as Record<(typeof members)[number], number | null>),
    at: new Date(at).toISOString(),
    age_ms: Math.max(0, Math.round(now - at)),
  };
}

/** A price of 0 is none. */
function shown(member: (typeof members)[number], value: number): number | null {
  return value === 0 && member !== 'volume' ? null : value;
}

function numberOf(quote: BrokerQuote | null, member: Exclude<keyof BrokerQuote, 'at'>): number | null {
  const value = quote?.[member] ?? null;
  return value === null ? null : Number(value);
}

/** Why there is no quote of a name, in words. */
function whyNot({ broker }: Account, name: string, { token }: ByName, failure: Failure | null): string {
  if (failure) return failure.message;
  if (token === '') return `${broker.id} has no quote of ${name} by that name alone: its token is not known`;
  return `${broker.id} has no quote of ${name}`;
}
