import type { InstrumentKind } from '../../contract/words.ts';
import { type Big, exact } from '../money.ts';
import { dayText, monthWords } from './name.ts';

/** What is left to ask of the contracts of a chain after its words were held against it. */
export interface Asked {
  /** 0: a word names its underlying, or no word is a name; 1: a word begins like it. */
  rank: 0 | 1;
  kind: InstrumentKind | null;
  strike: Big | null;
  /** What the whole symbol begins with. */
  prefix: string | null;
}

/** A word, and what it would be as a day and as a strike. */
export interface Word {
  text: string;
  day: RegExpExecArray | null;
  strike: Big | null;
}

const dayWord = new RegExp(`^(\\d{2})?(${monthWords.join('|')})(?:20)?(\\d{2})?$`);

/** Once for all chains that it is held against. */
export function readWord(text: string): Word {
  return { text, day: dayWord.exec(text), strike: exact(text) };
}

type Reading = (asked: Asked, word: Word, underlying: string, expiry: string) => boolean;

/** What a word may be to a contract; the first that fits counts. Each says what it asks for, or that it does not fit. */
const readings: readonly Reading[] = [namesUnderlying, namesContract, namesDay, namesKind, namesStrike];

/** What words ask of the contracts on an underlying with an expiry (`YYYY-MM-DD`); null when one of them fits none of those. */
export function askOf(words: readonly Word[], underlying: string, expiry: string): Asked | null {
  const asked: Asked = { rank: 0, kind: null, strike: null, prefix: null };
  let [named, begun] = [false, false];
  for (const word of words) {
    if (!readings.some((fits) => fits(asked, word, underlying, expiry))) return null;
    named ||= word.text === underlying || asked.prefix === word.text;
    begun ||= underlying.startsWith(word.text);
  }
  return { ...asked, rank: begun && !named ? 1 : 0 };
}

function namesUnderlying(_: Asked, { text }: Word, underlying: string): boolean {
  return underlying.startsWith(text);
}

/** The symbol itself, or more of it than the underlying. */
function namesContract(asked: Asked, { text: word }: Word, underlying: string, expiry: string): boolean {
  const begin = `${underlying}${dayText(expiry)}`;
  if (!word.startsWith(underlying) || !(word.startsWith(begin) || begin.startsWith(word))) return false;
  if (asked.prefix !== null && !word.startsWith(asked.prefix)) return asked.prefix.startsWith(word);
  asked.prefix = word;
  return true;
}

/** `DEC`, `DEC26`, `29DEC`, `29DEC26`, `29DEC2026`, `2026-12-29`. */
function namesDay(_: Asked, { text, day: found }: Word, _underlying: string, expiry: string): boolean {
  if (text === expiry) return true;
  const [, day, month = '', year] = found ?? [];
  return (
    monthWords.indexOf(month) + 1 === Number(expiry.slice(5, 7)) &&
    (day === undefined || day === expiry.slice(8)) &&
    (year === undefined || year === expiry.slice(2, 4))
  );
}

function namesKind(asked: Asked, { text: word }: Word): boolean {
  if (word !== 'FUT' && word !== 'CE' && word !== 'PE') return false;
  asked.kind ??= word;
  return asked.kind === word;
}

function namesStrike(asked: Asked, { strike }: Word): boolean {
  if (!strike) return false;
  asked.strike ??= strike;
  return asked.strike.eq(strike);
}
