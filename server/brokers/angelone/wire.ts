import { z } from 'zod';
import type { Exchange, OrderType, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import type { OrderState } from '../broker.ts';
import { note, word } from '../parse.ts';

/** SmartAPI's words for ours. */
export const exchanges = { NSE: 'NSE', BSE: 'BSE', NFO: 'NFO', BFO: 'BFO', MCX: 'MCX', CDS: 'CDS' } as const satisfies Record<
  Exchange,
  string
>;
export const sides = { BUY: 'BUY', SELL: 'SELL' } as const satisfies Record<TransactionType, string>;
export const orderTypes = {
  MARKET: 'MARKET',
  LIMIT: 'LIMIT',
  SL: 'STOPLOSS_LIMIT',
  'SL-M': 'STOPLOSS_MARKET',
} as const satisfies Record<OrderType, string>;
export const products = {
  INTRADAY: 'INTRADAY',
  DELIVERY: 'DELIVERY',
  CARRYFORWARD: 'CARRYFORWARD',
} as const satisfies Record<ProductType, string>;
/** A stop must be in a variety of its own, which follows from the order type; what comes after hours becomes AMO by itself. */
export const varieties = { NORMAL: 'NORMAL', STOPLOSS: 'STOPLOSS', AMO: 'NORMAL' } as const satisfies Record<Variety, string>;

/** An order being changed or cancelled rests at the exchange; one only requested or validated has not reached it. */
const states: Readonly<Record<string, OrderState>> = {
  complete: 'FILLED',
  rejected: 'REJECTED',
  cancelled: 'CANCELLED',
  'cancelled after market order': 'CANCELLED',
  'amo cancelled': 'CANCELLED',
  open: 'OPEN',
  modified: 'OPEN',
  'not modified': 'OPEN',
  'not cancelled': 'OPEN',
  'modify pending': 'OPEN',
  'modify validation pending': 'OPEN',
  'cancel pending': 'OPEN',
  'trigger pending': 'TRIGGER_PENDING',
  'open pending': 'TRANSIT',
  'validation pending': 'TRANSIT',
  'put order req received': 'TRANSIT',
  // Held by the broker until the market opens: it rests, and polling on would learn nothing before then.
  'after market order req received': 'OPEN',
  'modify after market order req received': 'OPEN',
};

/** The state behind a status word, in either case. */
export function stateOf(status: string): OrderState {
  const text = status.trim().toLowerCase();
  return (Object.hasOwn(states, text) ? states[text] : undefined) ?? 'UNKNOWN';
}

/** A flag that the documents also print as text, where "false" would be truthy. */
const flag = z.union([z.boolean(), z.enum(['true', 'false'])]).transform((value) => String(value) === 'true');
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** The texts of a limit beyond what the exchange allows, told on the spot under a code that is not documented. */
const priceProtection = /limit price protection|difference between limit price and trigger price/i;

/** Success with an error code beside it is neither: `done` is false and no `code` vouches for a refusal. */
function outcome(said: boolean, code: string, message: string, data: unknown) {
  return {
    done: said && code === '',
    refused: !said,
    code: said ? '' : code,
    message: [message, code].filter(Boolean).join(', ') || 'no message',
    data,
  };
}

/** Body of every answer, in the shape of the services or in that of the gateway before them. */
export const envelope = z.union([
  z
    .looseObject({ status: flag, message: text, errorcode: text, data: z.unknown() })
    .transform((body) => outcome(body.status, body.errorcode, body.message, body.data)),
  z
    .looseObject({ success: flag, message: text, errorCode: text, data: z.unknown() })
    .transform((body) => outcome(body.success, body.errorCode, body.message, body.data)),
]);
export type Body = z.output<typeof envelope>;

/** The token is invalid, expired or missing, or the session behind it is gone. */
const deadLogin = ['AG8001', 'AG8002', 'AG8003', 'AB1010', 'AB1011'];
/** The scrip is under surveillance: the exchange wants a person to read its warnings and to consent to each order. */
const UNDER_SURVEILLANCE = 'AB4036';
/** Refusals after which nothing was done. AB1007 is a catch-all and AB1004, AB2000, AB2001 are internal: those leave it open. */
const definite = [
  ...deadLogin,
  'AG7002',
  'AB1005',
  'AB1006',
  'AB1008',
  'AB1009',
  'AB1012',
  'AB1018',
  'AB2002',
  'AB4008',
  UNDER_SURVEILLANCE,
];

export function isDefinite(code: string, message: string): boolean {
  return definite.includes(code) || priceProtection.test(message);
}

/** The message of a refusal, with what a person can do about it where Angel One does not say. */
export function refusalText(code: string, message: string): string {
  return code === UNDER_SURVEILLANCE
    ? `symbol: the scrip is under surveillance, and Angel One wants the consent of a person to its warnings, which the gateway does not give; place this order in Angel One's own app (${message})`
    : message;
}

export function isExpired(code: string): boolean {
  return deadLogin.includes(code);
}

/** The rate refusal is a plain text; HTTP 403 alone says nothing. */
export function isRateRefusal(status: number, body: string): boolean {
  return status === 403 && /^\s*access denied because of exceeding access rate/i.test(body);
}

/** Order ids are texts, digits or not; some samples print a number, which is an id only while it is exact. */
export const orderIdText = z.union([word, z.int().transform(String)]);

export const orderAnswer = z.looseObject({ orderid: orderIdText });
export const profile = z.looseObject({ clientcode: word });
export const session = z.looseObject({ jwtToken: word, feedToken: note });
export const allHoldings = z.looseObject({ holdings: z.array(z.unknown()).nullable() });
/** How later calls name an order. */
export const orderName = z.looseObject({ orderid: orderIdText, uniqueorderid: note, variety: word });
