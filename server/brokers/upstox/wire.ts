import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import type { OrderState } from '../broker.ts';
import { numberToken } from '../instrument.ts';
import { note, word } from '../parse.ts';

/** Upstox's words for ours. An exchange is the first part of an instrument key, `NSE_EQ|INE062A01020`. */
export const segments = {
  NSE: 'NSE_EQ',
  BSE: 'BSE_EQ',
  NFO: 'NSE_FO',
  BFO: 'BSE_FO',
  MCX: 'MCX_FO',
  CDS: 'NCD_FO',
} as const satisfies Record<Exchange, string>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL-M' } as const satisfies Record<OrderType, string>;
/** D is delivery on the cash exchanges and carried forward elsewhere. */
export const products = { INTRADAY: 'I', DELIVERY: 'D', CARRYFORWARD: 'D' } as const satisfies Record<ProductType, string>;
/** There is no variety: a stop is said by the order type, an after-market order by `is_amo`. */
export const varieties = { NORMAL: 'SIMPLE', STOPLOSS: 'SIMPLE', AMO: 'AMO' } as const satisfies Record<Variety, string>;

/** An instrument key as Upstox writes it: segment and id in capitals, a number without leading zeros. Null when it is none. */
export function instrumentKey(token: string | null): string | null {
  const [segment, id, ...rest] = token?.trim().toUpperCase().split('|') ?? [];
  return segment && id && rest.length === 0 ? `${segment}|${numberToken(id) ?? id}` : null;
}

export const cashExchanges: readonly string[] = ['NSE', 'BSE'];

/** An order being changed or cancelled rests at the exchange; one only requested or validated has not reached it. */
const states: Readonly<Record<string, OrderState>> = {
  complete: 'FILLED',
  rejected: 'REJECTED',
  cancelled: 'CANCELLED',
  'cancelled after market order': 'CANCELLED',
  open: 'OPEN',
  modified: 'OPEN',
  'not modified': 'OPEN',
  'modify pending': 'OPEN',
  'modify validation pending': 'OPEN',
  'cancel pending': 'OPEN',
  'not cancelled': 'OPEN',
  'trigger pending': 'TRIGGER_PENDING',
  'put order req received': 'TRANSIT',
  'validation pending': 'TRANSIT',
  'open pending': 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'after market order req received': 'OPEN',
  'modify after market order req received': 'OPEN',
};

/** The state behind a status word. */
export function stateOf(status: string): OrderState {
  const text = status.trim().toLowerCase();
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** One of the errors of an answer; the camel-case twin of the code is the older spelling. */
const fault = z
  .looseObject({ error_code: note, errorCode: note, message: note })
  .transform(({ error_code, errorCode, message }) => ({ code: error_code ?? errorCode ?? '', message: message ?? '' }));

/** Body of every answer but that of the token call. */
export const envelope = z.discriminatedUnion('status', [
  z.looseObject({ status: z.literal('success'), data: z.unknown() }),
  z.looseObject({ status: z.literal('error'), errors: z.array(fault).min(1) }),
]);
export type UpstoxError = Extract<z.infer<typeof envelope>, { status: 'error' }>;

export function textOf({ errors }: UpstoxError): string {
  return errors.map(({ code, message }) => [message, code && `(${code})`].filter(Boolean).join(' ')).join('; ');
}

/** Whether an error answer to a placement, change or cancellation says for certain that nothing was done: a 4xx with codes that all name a reason. */
export function isDefinite(status: number, { errors }: UpstoxError): boolean {
  const named = errors.every(({ code }) => /^UDAPI\d+$/.test(code) && code !== 'UDAPI100500');
  return status >= 400 && status < 500 && status !== 408 && named;
}

export function isExpired(status: number, error: UpstoxError): boolean {
  return status === 401 || has(error, 'UDAPI100050');
}

/** The answer to a question about an order, or a tag, that Upstox does not know (yet). */
export function isNotFound(error: UpstoxError): boolean {
  return has(error, 'UDAPI100010');
}

function has({ errors }: UpstoxError, code: string): boolean {
  return errors.some((each) => each.code === code);
}

/** A sliced order would answer with several ids; one alone is our order. */
export const placedAnswer = z.looseObject({ order_ids: z.tuple([word]) }).transform(({ order_ids: [id] }) => id);
export const changedAnswer = z.looseObject({ order_id: word }).transform(({ order_id }) => order_id);
export const profile = z.looseObject({ user_id: word });
export const session = z.looseObject({ user_id: word, access_token: word });
