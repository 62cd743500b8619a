import type { Refusal } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { missingMoney, refusalWords } from '../wire/refusals.ts';

/** Upstox's envelopes, error codes and messages. */

/** How a refusal of the exchange reads here: HTTP status, code, text. Those found in the book show the text as the order's message. */
const refusals = refusalWords<readonly [number, string, string]>(
  {
    INSTRUMENT: [400, 'UDAPI100011', 'Invalid Instrument key'],
    QUANTITY: [400, 'UDAPI1052', 'The quantity cannot be zero'],
    LOT: [400, 'UDAPI100036', 'Quantity should be in multiples of the lot size {lotSize}.'],
    FREEZE: [400, 'UDAPI100036', 'The order quantity is above the freeze quantity of the contract.'],
    PRICE: [400, 'UDAPI1029', 'The price is required.'],
    TRIGGER: [400, 'UDAPI1036', 'The trigger price is required.'],
    STOP_SIDE: [400, 'UDAPI100036', 'The trigger price {trigger} does not fit the last traded price {last}.'],
    STOP_BAND: [400, 'UDAPI100036', '16448: The difference between limit price and trigger price is beyond the permissible range'],
    TICK: [400, 'UDAPI100036', 'Order price is not a multiple of the tick size {tick}.'],
    CIRCUIT: [400, 'UDAPI100036', 'The price {price} is outside the circuit limits {lower} - {upper}.'],
    PRODUCT: [400, 'UDAPI1054', 'The product is invalid'],
    VALIDITY: [400, 'UDAPI1055', 'The validity is invalid'],
    MARGIN: [400, 'UDAPI100036', 'You need to add Rs. {missing} in your account to place this trade.'],
    HOLDING: [400, 'UDAPI100036', 'You hold {available} shares that can be sold.'],
    WITHDRAWN: [400, 'UDAPI100036', '16052: Function not available'],
    RISK: [400, 'UDAPI100036', 'RMS: Blocked by the risk desk'],
    NOT_FOUND: [404, 'UDAPI100010', 'Order not found'],
    FINISHED: [400, 'UDAPI100041', 'The order is already {state} and cannot be changed.'],
    IN_TRANSIT: [400, 'UDAPI100041', 'The order is being processed and cannot be changed now.'],
  },
  (refusal) => ({ ...missingMoney(refusal), state: (refusal.facts.state ?? '').toLowerCase() }),
);

export function success(data: unknown, metadata?: { latency: number }): WireReply {
  return json(200, { status: 'success', data, ...(metadata ? { metadata } : {}) });
}

/** Both spellings of every member, as the broker sends them. */
export function failure(status: number, code: string, message: string): WireReply {
  const camel = { errorCode: code, message, propertyPath: null, invalidValue: null };
  return json(status, { status: 'error', errors: [{ ...camel, error_code: code, property_path: null, invalid_value: null }] });
}

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  const [status, code] = refusals.rowOf(refusal);
  return failure(status, code, refusalText(refusal));
}
