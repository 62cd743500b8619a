import type { Refusal } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { productFact, refusalWords } from '../wire/refusals.ts';

/** Groww's envelopes, error codes and messages. */

export const productWord = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;
export const orderTypeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SL_M' } as const;

/** How a refusal of the exchange reads at this broker. */
const refusals = refusalWords<readonly ['GA001' | 'GA004' | 'GA006', string]>(
  {
    INSTRUMENT: ['GA001', 'Invalid trading symbol.'],
    QUANTITY: ['GA001', 'Invalid quantity.'],
    LOT: ['GA001', 'Quantity must be a multiple of the lot size {lotSize}.'],
    FREEZE: ['GA001', 'Quantity {quantity} is above the freeze quantity {freeze}.'],
    PRICE: ['GA001', 'Invalid price.'],
    TRIGGER: ['GA001', 'Invalid trigger price.'],
    STOP_SIDE: ['GA001', 'Trigger price {trigger} is not allowed while the last price is {last}.'],
    STOP_BAND: ['GA001', 'The difference between limit price and trigger price is beyond the permissible range.'],
    TICK: ['GA001', 'Price must be a multiple of the tick size {tick}.'],
    CIRCUIT: ['GA001', 'Price {price} is outside the circuit limits {lower} and {upper}.'],
    PRODUCT: ['GA001', 'Product {product} is not allowed in this segment.'],
    VALIDITY: ['GA001', 'Invalid validity.'],
    MARGIN: ['GA001', 'Insufficient balance: {required} needed, {available} available.'],
    HOLDING: ['GA001', 'Insufficient holdings: {available} can be sold.'],
    WITHDRAWN: ['GA001', 'Order type is not allowed by the exchange.'],
    RISK: ['GA001', 'Order blocked by risk management.'],
    NOT_FOUND: ['GA004', 'Requested entity does not exist'],
    FINISHED: ['GA006', 'Cannot process this request'],
    IN_TRANSIT: ['GA006', 'Cannot process this request'],
  },
  productFact(productWord),
);

const statusOf = { GA001: 400, GA004: 404, GA005: 403, GA006: 400, GA007: 400 } as const;

export function success(payload: unknown): WireReply {
  return json(200, { status: 'SUCCESS', payload });
}

export function failure(status: number, code: string, message: string): WireReply {
  return json(status, { status: 'FAILURE', error: { code, message, metadata: null } });
}

export function badRequest(message: string): WireReply {
  return failure(400, 'GA001', message);
}

export function notThere(): WireReply {
  return refused({ code: 'NOT_FOUND', facts: {} });
}

export function unauthorised(): WireReply {
  return failure(401, 'GA005', 'User not authorised to perform this operation');
}

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  const [code] = refusals.rowOf(refusal);
  return failure(statusOf[code], code, refusalText(refusal));
}
