import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import type { OrderState } from '../broker.ts';
import { decimal, note, word } from '../parse.ts';

/** The order system's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<
  Exchange,
  string
>;
export const sides = { BUY: 'B', SELL: 'S' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL-LMT', 'SL-M': 'SL-MKT' } as const satisfies Record<OrderType, string>;
export const products = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const satisfies Record<ProductType, string>;
/** There is no variety: a stop is said by the order type, an after-market order by a flag. */
export const varieties = { NORMAL: '', STOPLOSS: '', AMO: 'Yes' } as const satisfies Record<Variety, string>;

/** Rows may show a product by its display name. */
export const productAliases: Readonly<Record<string, ProductType>> = { MIS: 'INTRADAY', CNC: 'DELIVERY', NRML: 'CARRYFORWARD' };

/** The calls that name the account beside the user. */
export const accountCalls: readonly string[] = [
  'Limits',
  'Holdings',
  'PositionBook',
  'TradeBook',
  'PlaceOrder',
  'ModifyOrder',
  'GetOrderMargin',
];

/** The calls documented to want the symbol percent-encoded. */
export const encodedCalls: readonly string[] = ['PlaceOrder', 'ModifyOrder', 'GetOrderMargin'];

/** The calls that say they come over the API, as in Shoonya's own client. */
export const sourcedCalls: readonly string[] = ['PlaceOrder', 'ModifyOrder', 'CancelOrder', 'OrderBook', 'TradeBook'];

/** An order being changed or cancelled rests until the book says otherwise. */
const states: Readonly<Record<string, OrderState>> = {
  COMPLETE: 'FILLED',
  OPEN: 'OPEN',
  NEW: 'OPEN',
  REPLACED: 'OPEN',
  'MODIFY PENDING': 'OPEN',
  'CANCEL PENDING': 'OPEN',
  'AFTER MARKET ORDER REQ RECEIVED': 'OPEN',
  'TRIGGER PENDING': 'TRIGGER_PENDING',
  REJECT: 'REJECTED',
  REJECTED: 'REJECTED',
  CANCEL: 'CANCELLED',
  CANCELED: 'CANCELLED',
  CANCELLED: 'CANCELLED',
};

/** The state behind a status word, written in either case and with any separator. `arrived`: the exchange knows the order, or it is kept for the next session. */
export function stateOf(status: string, arrived: boolean): OrderState {
  const text = status.trim().toUpperCase().replaceAll('_', ' ');
  if (text === 'PENDING' || text === 'OPEN PENDING') return arrived ? 'OPEN' : 'TRANSIT';
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** The answer to anything that went wrong, of lists too. */
export const refusal = z.looseObject({ stat: z.string().regex(/^not_ok$/i), emsg: note });
/** The answer to all that is no list. */
export const success = z.looseObject({ stat: z.string().regex(/^ok$/i) });

/** The only text that means an empty list. */
export function isEmpty(emsg: string): boolean {
  return /^error occurr?ed\s*:\s*5\b.*no data/is.test(emsg);
}

/** Whether the login is dead: by its text, or by the status documented for that unless the text speaks of addresses. */
export function isExpired(status: number, emsg: string): boolean {
  if (/^session expired/i.test(emsg)) return true;
  return (status === 401 || status === 403) && !/\bip\b|address/i.test(emsg);
}

/** Whether a refusal of a placement, change or cancellation says for certain that nothing was done. */
export function isDefinite(status: number, emsg: string): boolean {
  if ([400, 403, 404, 405].includes(status)) return true;
  return [200, 401].includes(status) && /^(session expired|invalid input|rejected)\s*:|^error occurr?ed\s*:\s*2\b/i.test(emsg);
}

/** A symbol is escaped in orders, and might come back so. */
export function plainSymbol(text: string): string {
  return text.replaceAll('%26', '&');
}
export const symbol = word.transform(plainSymbol);

/** Answers to a placement, and to a change or cancellation. */
export const placedAnswer = z.looseObject({ norenordno: word }).transform(({ norenordno }) => norenordno);
export const changedAnswer = z.looseObject({ result: word }).transform(({ result }) => result);
export const profile = z.looseObject({ actid: word });
export const session = z.looseObject({ access_token: word, expires_in: z.union([z.string(), z.number()]).nullish() });

/** What a price is made of. Rupees; `uc` and `lc` are the circuit limits, `ti` the tick. */
export const quote = z.looseObject({
  exch: word,
  tsym: symbol,
  lp: decimal,
  ti: decimal.nullish(),
  uc: decimal.nullish(),
  lc: decimal.nullish(),
});
export type QuoteRow = z.infer<typeof quote>;
