import { exchanges } from '../../contract/words.ts';

/** How an order, a row or a record names an instrument: our exchange word, the symbol, and the broker's token where there is one. */
export interface InstrumentName {
  exchange: string;
  symbol: string;
  token: string | null;
}

/** A name of which parts may be unreadable: null. */
export type DoubtfulName = { [Part in keyof InstrumentName]: string | null };

/** BrokerTraits.tradedBy. */
export type TradedBy = (name: InstrumentName) => string | null;

/** Tokens that brokers take as a number, at most 15 digits: without leading zeros, so that 02885 and 2885 are one. Null when it is none. */
export function numberToken(token: string | null): string | null {
  return token !== null && /^\d{1,15}$/.test(token) && Number(token) > 0 ? String(Number(token)) : null;
}

/** Symbols as they are sent: exchanges write them in capitals, and no broker says that it tells letter cases apart. Null when there is none. */
export function plainText(symbol: string): string | null {
  return symbol.trim().toUpperCase() || null;
}

/** The text of every broker that trades by the symbol. */
export function tradedBySymbol({ symbol }: InstrumentName): string | null {
  return plainText(symbol);
}

/** The text of brokers that trade by a number, whatever the symbol says. */
export function tradedByNumber({ token }: InstrumentName): string | null {
  return numberToken(token);
}

/** Whether it is the token by which the broker trades this instrument, and not the symbol. */
export function goesByToken(tradedBy: TradedBy, name: InstrumentName): boolean {
  return tradedBy(name) !== tradedBy({ ...name, token: null });
}

/** What became of a key when its name's token was learned: both keys are one instrument from now on. */
export interface Merged {
  from: string;
  to: string;
}

/**
 * The names of one broker account's instruments. A key is the same text for every spelling that the broker trades as one instrument; exchanges
 * have keys of their own.
 */
export class InstrumentNames {
  readonly #tradedBy: TradedBy;
  /** What a symbol is traded by, as rows with a token taught; only where the broker goes by token. */
  readonly #taught = new Map<string, string>();
  /** Symbols seen with more than one token. */
  readonly #ambiguous = new Set<string>();
  /** Symbols whose key was given out before their token was known. */
  readonly #unlearned = new Set<string>();

  constructor(tradedBy: TradedBy) {
    this.#tradedBy = tradedBy;
  }

  /** The key of a name. Without a token, where the broker goes by that: the key of the first token taught for its symbol, else the symbol's own. */
  key(name: InstrumentName): string {
    const symbol = symbolKey(name);
    const text = this.#tradedBy(name) ?? this.#taught.get(symbol);
    if (text !== undefined) return tokenKey(name, text);
    this.#unlearned.add(symbol);
    return symbol;
  }

  /** Takes in a row of the broker's. When it tells the token of a symbol whose key was already given out without: that key, and what it is now. */
  learn(name: InstrumentName): Merged | null {
    const text = this.#tradedBy(name);
    if (text === null || !goesByToken(this.#tradedBy, name)) return null;
    const symbol = symbolKey(name);
    const known = this.#taught.get(symbol);
    if (known !== undefined) {
      if (known !== text) this.#ambiguous.add(symbol);
      return null;
    }
    this.#taught.set(symbol, text);
    return this.#unlearned.delete(symbol) ? { from: symbol, to: tokenKey(name, text) } : null;
  }

  /**
   * Whether two names may mean one instrument: true unless something proves that they do not. Two exchanges we know prove it; two tokens, where the
   * broker goes by them; else symbols that begin with other letters.
   */
  mayBeSame(a: DoubtfulName, b: DoubtfulName): boolean {
    if (a.exchange !== null && b.exchange !== null && a.exchange !== b.exchange && isKnown(a.exchange) && isKnown(b.exchange)) return false;
    const [ours, theirs] = [this.#proof(a), this.#proof(b)];
    if (ours !== null && theirs !== null) return ours === theirs;
    if (isWhole(a) && isWhole(b) && this.key(a) === this.key(b)) return true;
    const [first, second] = [leadingLetters(a.symbol), leadingLetters(b.symbol)];
    return first === '' || second === '' || first === second;
  }

  /**
   * Whether a holding is of the shares that a name means. Shares of the demat account are sold on NSE and BSE alike, and a holding names one of them or
   * neither: on another exchange the share's own symbol tells, without its series.
   */
  holds(holding: InstrumentName, name: InstrumentName): boolean {
    if (this.key(holding) === this.key(name)) return true;
    if (!cash.includes(name.exchange) || holding.exchange === name.exchange) return false;
    if (cash.includes(holding.exchange)) return shareOf(holding.symbol) === shareOf(name.symbol);
    const [theirs, ours] = [this.#tradedBy(holding), this.#tradedBy(name)];
    return !isKnown(holding.exchange) && (theirs === ours || shareOf(holding.symbol) === shareOf(name.symbol));
  }

  /** The token a name is traded by, as far as it proves anything; null where it does not, and where the broker goes by symbol. */
  #proof({ exchange, symbol, token }: DoubtfulName): string | null {
    // What the token alone says, and what the symbol alone does.
    const text = this.#tradedBy({ exchange: exchange ?? '', symbol: '', token });
    if (text !== null) return text;
    if (exchange === null || symbol === null) return null;
    const name = symbolKey({ exchange, symbol });
    return this.#ambiguous.has(name) ? null : (this.#taught.get(name) ?? null);
  }
}

function tokenKey({ exchange }: InstrumentName, text: string): string {
  return `${exchange}|${text}`;
}

/** No exchange holds a question mark or a bar, so that it is no token's key. */
function symbolKey({ exchange, symbol }: Pick<InstrumentName, 'exchange' | 'symbol'>): string {
  return `${exchange}?${symbol.trim().toUpperCase()}`;
}

const cash: readonly string[] = ['NSE', 'BSE'];

/** `NSE:SBIN-EQ`, `SBIN-EQ` and `BSE:SBIN-A` are SBIN; the groups and series are those of shares. */
function shareOf(symbol: string): string {
  return symbol
    .trim()
    .toUpperCase()
    .replace(/^[A-Z]+:/, '')
    .replace(/-(EQ|BE|BZ|SM|ST|XT|MT|[ABFMPRTXZ])$/, '');
}

function isKnown(exchange: string): boolean {
  return (exchanges as readonly string[]).includes(exchange);
}

function isWhole(name: DoubtfulName): name is InstrumentName {
  return name.exchange !== null && name.symbol !== null;
}

/** Symbols that a broker may well call by one token: they begin with the same letters. */
export function soundAlike(a: string, b: string): boolean {
  return leadingLetters(a) === leadingLetters(b);
}

/** In capitals, after an exchange such as `NSE:`. Empty where the symbol begins otherwise or is not known: that proves nothing. */
function leadingLetters(symbol: string | null): string {
  return /^(?:[A-Z]+:)?([A-Z]+)/.exec(symbol?.trim().toUpperCase() ?? '')?.[1] ?? '';
}
