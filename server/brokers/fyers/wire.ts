import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { decimal, fundsAt, rupees, whole, word } from '../parse.ts';

/** FYERS' codes for our words, as text. */
export const sides = { BUY: '1', SELL: '-1' } as const satisfies Record<TransactionType, string>;
/** SL-M goes out as a stop with a protected limit (4): what FYERS does with type 3 since April 2026 is not said anywhere. */
export const orderTypes = { LIMIT: '1', MARKET: '2', 'SL-M': '4', SL: '4' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' } as const satisfies Record<ProductType, string>;
/** Our words for the codes of the books. */
export const typeWords: Readonly<Record<string, string>> = { 1: 'LIMIT', 2: 'MARKET', 3: 'SL-M', 4: 'SL' };
/** `offlineOrder`; a stop is said by the order type. */
export const varieties = { NORMAL: 'false', STOPLOSS: 'false', AMO: 'true' } as const satisfies Record<Variety, string>;
/** How the symbols of an exchange begin. */
export const prefixes = { NSE: 'NSE:', BSE: 'BSE:', NFO: 'NSE:', BFO: 'BSE:', MCX: 'MCX:', CDS: 'NSE:' } as const satisfies Record<
  Exchange,
  string
>;
/** How its fyTokens begin: exchange and segment, two digits each. */
export const tokenHeads = { NSE: '1010', BSE: '1210', NFO: '1011', BFO: '1211', MCX: '1120', CDS: '1012' } as const satisfies Record<
  Exchange,
  string
>;

/** Body of every answer; what it brings stands beside these under a name of its own. */
export const envelope = z.looseObject({ s: z.enum(['ok', 'error']), code: whole.optional(), message: z.string().nullish() });
export type Envelope = z.infer<typeof envelope>;

/** Code of an order that was sent on and never acknowledged. */
export const UNACKNOWLEDGED = 201;

const sessionCodes = [-8, -15, -16, -17];
const definiteCodes = [-50, -51, -300, -352];
const generic = /something went wrong|try again|unable to process|internal (server )?error|unknown error/i;
const aboutAddress = /\bIPs?\b/;

/** Whether an error answer to a placement, change or cancellation says for certain that nothing was done. */
export function isDefinite(status: number, { code = 0, message }: Envelope): boolean {
  if ([401, 403, 429].includes(status) || code === -429 || sessionCodes.includes(code)) return true;
  if (aboutAddress.test(message ?? '')) return true;
  if (status !== 200 && status !== 400) return false;
  // -99 is also FYERS' code for "something failed": only with a reason is it a refusal.
  return definiteCodes.includes(code) || (code === -99 && Boolean(message?.trim()) && !generic.test(message ?? ''));
}

/** Whether an error answer is about the token. One about addresses is not, and so HTTP 403 alone is not. */
export function isExpired(status: number, { s, code = 0, message }: Envelope): boolean {
  if (s === 'ok' || status >= 500 || aboutAddress.test(message ?? '')) return false;
  return status === 401 || sessionCodes.includes(code);
}

/** An order id, also as a number while a number can hold it. */
export const orderId = z.union([word, z.int().positive()], { error: 'must be an order id' }).transform(String);
export const identified = z.looseObject({ id: orderId });
export const profile = z.looseObject({ fy_id: word });
export const session = z.looseObject({ access_token: word });
/** What a change must know of the order it means. */
export const bookedOrder = z.looseObject({
  id: orderId,
  type: z.union([z.int(), word]).transform(String),
  symbol: word,
  side: whole,
  limitPrice: rupees,
  stopPrice: rupees,
});
/** Tick and circuit limits of the market depth, rupees. */
export const depth = z.looseObject({ tick_Size: decimal, lower_ckt: decimal, upper_ckt: decimal });

/** What the row of the available balance (id 10) holds for equity and commodity. */
export function availableFunds(funds: unknown): string | null {
  const row = Array.isArray(funds) ? funds.find((one) => one?.id === 10) : undefined;
  return fundsAt('equityAmount', 'commodityAmount')(row);
}
