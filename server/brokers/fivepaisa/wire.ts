import { z } from 'zod';
import type { Exchange, ProductType, TransactionType, Variety } from '../../../contract/words.ts';
import { decimal, whole, word } from '../parse.ts';

/** 5paisa's words for ours. The order type is said by the prices alone. */
export const sides = { BUY: 'B', SELL: 'S' } as const satisfies Record<TransactionType, string>;
/** `Exchange` and `ExchangeType`, one letter each. */
export const segments = { NSE: 'NC', BSE: 'BC', NFO: 'ND', BFO: 'BD', MCX: 'MD', CDS: 'NU' } as const satisfies Record<Exchange, string>;
/** `DelvIntra`; a delivery of shares and a carried contract are one word. */
export const products = { INTRADAY: 'I', DELIVERY: 'D', CARRYFORWARD: 'D' } as const satisfies Record<ProductType, string>;
/** `AHPlaced`; a stop is said by its trigger. */
export const varieties = { NORMAL: 'N', STOPLOSS: 'N', AMO: 'Y' } as const satisfies Record<Variety, string>;

const code = z.union([z.int(), z.string()]).transform(String);
/** Head of every answer; the login writes its names with capitals. */
const head = z
  .union([
    z.looseObject({ status: code, statusDescription: z.string().nullish() }),
    z.looseObject({ Status: code, StatusDescription: z.string().nullish() }),
  ])
  .transform((given) =>
    'status' in given
      ? { status: String(given.status), reason: String(given.statusDescription ?? '') }
      : { status: String(given.Status), reason: String(given.StatusDescription ?? '') },
  );

/** Body of every answer but a few plain texts. */
export const envelope = z.looseObject({
  head,
  body: z.looseObject({ Status: whole.nullish(), Message: z.string().nullish() }).nullable(),
});
export type Envelope = z.infer<typeof envelope>;

export const INVALID_SESSION = 9;
/** `body.Status` of an answer that says for certain that nothing was done. */
const definite: readonly number[] = [1, 2, INVALID_SESSION];
/** Words of a failure inside 5paisa, which proves nothing whatever code stands beside them. */
const internal = /unable to process|something went wrong|try again|internal (server )?error/i;

export function isGood({ head, body }: Envelope): boolean {
  return head.status === '0' && body?.Status === 0;
}

/** Whether an answer to a placement, change or cancellation under HTTP 200 says for certain that nothing was done. */
export function isDefinite({ head, body }: Envelope): boolean {
  if (!['0', '1', '2', '9'].includes(head.status) || internal.test(`${body?.Message} ${head.reason}`)) return false;
  const status = body?.Status ?? null;
  return status === null ? head.status === '1' || head.status === '2' : definite.includes(status);
}

/** Whether the text of an answer, JSON or not, is about the token. */
export function isDeadToken(text: string, body: Envelope | undefined): boolean {
  return body ? body.body?.Status === INVALID_SESSION : /^\s*"?invalid token"?\s*$/i.test(text);
}

/** An answer without rows is a refusal with these words. */
export const nothingThere = /^no (order|trade|data|record)s? found/i;

/** An order id as text; as a number only while a number can hold it. */
export const id = z.union([word, z.int().min(0)], { error: 'must be an order id' }).transform(String);
/** What an answer to a placement, change or cancellation names. */
export const receipt = z.looseObject({
  BrokerOrderID: id.refine((text) => /^0*[1-9]\d*$/.test(text), 'must name an order'),
  RemoteOrderID: z.string().nullish(),
});

export const requestToken = z.looseObject({ RequestToken: word });
export const session = z.looseObject({ AccessToken: word, ClientCode: word });

/** A price that may be missing; 0 stands for one too. */
const price = decimal.nullish().transform((value) => value || null);
/**
 * What MarketSnapshot tells of one scrip, rupees. The official sample has LastRate and Token and no circuit limits; others have seen LastTradedPrice,
 * ScripCode and circuit limits.
 */
export const snapshot = z
  .looseObject({ Token: id.nullish(), ScripCode: id.nullish(), LastRate: decimal.nullish(), LastTradedPrice: decimal.nullish() })
  .extend({ UpperCircuitLimit: price, LowerCircuitLimit: price, Open: price, High: price, Low: price, PClose: price })
  .refine((row) => lastOf(row) !== null, { path: ['LastRate'], error: 'must be a number' })
  .transform((row) => ({
    codes: [row.Token, row.ScripCode].filter((code) => typeof code === 'string'),
    last: lastOf(row) ?? 0,
    upper: row.UpperCircuitLimit,
    lower: row.LowerCircuitLimit,
    others: [row.Open, row.High, row.Low, row.PClose].filter((each) => each !== null),
  }));
export type Snapshot = z.infer<typeof snapshot>;

function lastOf(row: { LastRate?: number | null | undefined; LastTradedPrice?: number | null | undefined }): number | null {
  return row.LastRate ?? row.LastTradedPrice ?? null;
}
