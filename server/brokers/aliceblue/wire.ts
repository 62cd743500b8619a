import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import type { OrderState } from '../broker.ts';
import { decimal, note, word } from '../parse.ts';

/** Alice Blue's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<
  Exchange,
  string
>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SLM' } as const satisfies Record<OrderType, string>;
/** A stop is said by the order type, not by the complexity. */
export const complexities = { NORMAL: 'REGULAR', STOPLOSS: 'REGULAR', AMO: 'AMO' } as const satisfies Record<Variety, string>;

/** Words that have been seen for a carried contract. The error table and the official SDKs name the first; a wrong one is refused by its code. */
export const carriedWords = ['NORMAL', 'NRML', 'LONGTERM'] as const;
export const products = {
  INTRADAY: 'INTRADAY',
  DELIVERY: 'LONGTERM',
  CARRYFORWARD: carriedWords[0],
} as const satisfies Record<ProductType, string>;

export const cashExchanges: readonly string[] = ['NSE', 'BSE'];

const intradayWords = ['INTRADAY', 'MIS'];
const keptWords: readonly string[] = [...carriedWords, 'CNC', 'DELIVERY'];

/** Our product behind a word of the books, where positions and orders use different ones. */
export function productOf(product: string, exchange: string): string {
  const text = product.trim().toUpperCase();
  if (intradayWords.includes(text)) return 'INTRADAY';
  if (!keptWords.includes(text)) return product;
  return cashExchanges.includes(exchange) ? 'DELIVERY' : 'CARRYFORWARD';
}

const states: Readonly<Record<string, OrderState>> = {
  COMPLETE: 'FILLED',
  REJECTED: 'REJECTED',
  CANCELED: 'CANCELLED',
  CANCELLED: 'CANCELLED',
  OPEN: 'OPEN',
  'TRIGGER PENDING': 'TRIGGER_PENDING',
  // A history shows it before OPEN: taken by the broker, not yet by the exchange.
  PENDING: 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'AMO REQ RECEIVED': 'OPEN',
};

/** The state behind a status word; several spellings of one word are in use. */
export function stateOf(status: string): OrderState {
  const text = status.trim().toUpperCase().replaceAll('_', ' ');
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** Body of every answer but that of the token call. A refusal's code stands in `status` or in `message`. */
export const envelope = z.looseObject({ status: z.string(), message: note, emsg: note, result: z.unknown().optional() });
export type Body = z.infer<typeof envelope>;

/** An order id as text. A number beyond 2^53 has lost digits and is none. */
export const orderId = z.union([word, z.int().positive()]).transform(String);

const part = z.looseObject({ brokerOrderId: z.unknown().optional(), status: note, message: note });
const parts = z.array(part);

export function isOk(status: string | null): boolean {
  return status?.toLowerCase() === 'ok';
}

/** The one order id of a good answer; empty where there is none, several, or the part itself is not good. */
export function idOf(body: Body): string {
  const [only, ...more] = partsOf(body);
  if (!isOk(body.status) || !only || more.length > 0 || !(only.status === null || isOk(only.status))) return '';
  return orderId.safeParse(only.brokerOrderId).data ?? '';
}

/** Something in the answer looks like an order. */
export function namesOrder(body: Body): boolean {
  return partsOf(body).some(({ brokerOrderId }) => brokerOrderId !== undefined && brokerOrderId !== null && brokerOrderId !== '');
}

function partsOf(body: Body): z.infer<typeof parts> {
  return parts.safeParse(body.result).data ?? [];
}

function textsOf(body: Body): string[] {
  const inner = partsOf(body).flatMap(({ status, message }) => [message, status]);
  const all = [body.message, body.emsg, body.status, ...inner].flatMap((text) => text?.trim() || []);
  return [...new Set(all)].filter((text) => !/^(ok|not_ok|success)$/i.test(text));
}

/** What Alice Blue says, its code last. */
export function textOf(body: Body): string {
  const [first, ...rest] = textsOf(body);
  return first === undefined ? 'Alice Blue gave no reason' : [first, ...rest.map((text) => `(${text})`)].join(' ');
}

export function codesOf(body: Body): string[] {
  return textsOf(body).flatMap((text) => text.match(/\bEC\d{3}\b/g) ?? []);
}

/** Validation codes of the documents: the order was refused before it was one. Not among them are those that say that something failed: EC003, EC873, EC912, EC935. */
const definiteRanges: readonly (readonly [number, number])[] = [
  [80, 99],
  [800, 872],
  [874, 911],
  [929, 934],
  [936, 936],
  [941, 991],
];
/** The order is not one that can be changed or cancelled. */
const unchangeable = ['EC992', 'EC993', 'EC994', 'EC997', 'EC999'];

const addressRefused = /\bIP (whitelist|is not)|\bEC097\b/i;

/** Whether a refusal of an order call says for certain that nothing was done. `changes`: it asked for a change or a cancellation. */
export function isDefinite(status: number, body: Body, changes: boolean): boolean {
  if (status === 401 || status === 403 || status === 429 || isAddress(body)) return true;
  const codes = codesOf(body);
  const known = (code: string) => {
    const number = Number(code.slice(2));
    return definiteRanges.some(([from, to]) => number >= from && number <= to) || (changes && unchangeable.includes(code));
  };
  return codes.length > 0 && codes.every(known);
}

function isAddress(body: Body): boolean {
  return textsOf(body).some((text) => addressRefused.test(text));
}

/** The token is dead. An unregistered address may be told with the same HTTP status and says nothing about the token. */
export function isExpired(status: number, body: Body | undefined): boolean {
  if (body && isAddress(body)) return false;
  return status === 401 || status === 403 || (body !== undefined && codesOf(body).includes('EC087'));
}

export const profile = z.looseObject({ clientId: word });
/** The token call has an envelope of its own, which official SDKs read in either of two forms. */
export const session = z.union([
  z
    .looseObject({ stat: z.string(), emsg: note, userSession: note })
    .transform(({ stat, emsg, userSession }) => ({ status: stat, reason: emsg, token: userSession })),
  z
    .looseObject({ status: z.string(), message: note, emsg: note, result: z.array(z.looseObject({ accessToken: note })).nullish() })
    .transform(({ status, message, emsg, result }) => ({ status, reason: message ?? emsg, token: onlyToken(result ?? []) })),
]);

function onlyToken([only, ...more]: readonly { accessToken: string | null }[]): string | null {
  return more.length === 0 ? (only?.accessToken ?? null) : null;
}

/** A full depth frame of the market data socket, all text. `ti` is the tick, `lc` and `uc` the circuit limits. */
export const depthFrame = z.looseObject({
  t: z.literal('dk'),
  e: word,
  tk: word,
  lp: decimal.optional(),
  ti: decimal.optional(),
  lc: decimal.optional(),
  uc: decimal.optional(),
});
/** The acknowledgement of a socket, as documented or as seen. */
export const acknowledgement = z.discriminatedUnion('t', [
  z.looseObject({ t: z.literal('ck'), s: z.string() }).transform(({ s }) => ({ good: s === 'OK' })),
  z.looseObject({ t: z.literal('cf'), k: z.string() }).transform(({ k }) => ({ good: k === 'OK' })),
]);
