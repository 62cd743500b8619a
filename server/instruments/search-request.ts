import { z } from 'zod';
import type { InstrumentQuery } from '../../contract/instruments.ts';
import { type InstrumentKind, instrumentKinds } from '../../contract/words.ts';
import { masterExchanges } from '../brokers/master.ts';
import { type Big, exact } from '../money.ts';

/** Rows of a page unless the caller says. */
const PAGE = 50;

/** Where a page ended: the part of the list and the last row's own place in it. */
const Cursor = z.tuple([z.int().min(0).max(9), z.string().nullable(), z.string().regex(/^-?\d+(\.\d+)?$/), z.string(), z.string()]);
/** `[part, expiry, strike or -1, symbol, exchange]`. */
export type Cursor = z.infer<typeof Cursor>;

/** What is searched for, read. */
export interface SearchRequest {
  /** Upper case. */
  words: readonly string[];
  exchange: string | null;
  underlying: string | null;
  kind: InstrumentKind | null;
  /** `YYYY-MM-DD`. */
  expiry: string | null;
  strikeFrom: Big | null;
  strikeTo: Big | null;
  after: Cursor | null;
  limit: number;
}

/** A query as it travels. Throws, in words that name the member, on a value that cannot be meant. */
export function readSearch(query: InstrumentQuery): SearchRequest {
  const upper = (text: string | undefined) => text?.trim().toUpperCase() || null;
  return {
    words: upper(query.q)?.split(/\s+/) ?? [],
    exchange: oneOf('exchange', upper(query.exchange), masterExchanges),
    underlying: upper(query.underlying),
    kind: oneOf('kind', upper(query.kind), instrumentKinds),
    expiry: day(query.expiry),
    strikeFrom: strike('strike_from', query.strike_from),
    strikeTo: strike('strike_to', query.strike_to),
    after: query.after === undefined ? null : readCursor(query.after),
    limit: query.limit === undefined ? PAGE : Number(query.limit),
  };
}

function oneOf<Word extends string>(member: string, text: string | null, words: readonly Word[]): Word | null {
  if (text === null) return null;
  const found = words.find((word) => word === text);
  if (!found) throw new Error(`${member}: "${text}" is not one of ${words.join(', ')}`);
  return found;
}

function day(text: string | undefined): string | null {
  if (text === undefined) return null;
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== text) throw new Error(`expiry: "${text}" is not a day as YYYY-MM-DD`);
  return text;
}

function strike(member: string, text: string | undefined): Big | null {
  if (text === undefined) return null;
  const value = exact(text);
  if (!value || value.lt(0)) throw new Error(`${member}: "${text}" is not a strike in rupees`);
  return value;
}

/** Where a page ended, as `next` carries it. */
export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function readCursor(text: string): Cursor {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
  } catch {
    throw new Error('after: is not what a page before gave as next');
  }
}
