import type { ExchangeOrder, Refusal } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { missingMoney, refusalWords } from '../wire/refusals.ts';

/** Alice Blue's envelopes, error codes and messages. The texts beside the codes are our own where the documents give none. */

export const clientId = '912444';
/** Before the path of nearly every call. */
export const PREFIX = '/open-api/od/v1';

/** How a refusal of the exchange reads here: code and text. Those of the risk system and the exchange stand in the book, without a code. */
const refusals = refusalWords<readonly [string, string]>(
  {
    INSTRUMENT: ['EC946', 'Invalid instrumentId'],
    QUANTITY: ['EC948', 'Invalid quantity'],
    LOT: ['EC954', 'Quantity should be a multiple of the lot size {lotSize}'],
    FREEZE: ['', `RED:RULE:{Check freeze quantity}: {quantity} is more than {freeze} for C-${clientId}`],
    PRICE: ['EC950', 'Price is required'],
    TRIGGER: ['EC951', 'Trigger price is required'],
    STOP_SIDE: ['EC848', 'Trigger price {trigger} does not fit the order'],
    STOP_BAND: ['', '16448: The difference between limit price and trigger price is beyond the permissible range'],
    TICK: ['', 'ORA:Price {price} is not a multiple of tick size {tick} '],
    CIRCUIT: ['', 'ORA:Price {price} is outside the circuit limits {lower} - {upper}'],
    PRODUCT: ['EC837', 'The product is not allowed for the segment'],
    VALIDITY: ['EC094', 'Invalid validity'],
    MARGIN: ['', `RED:Margin Shortfall:INR {missing} Available:INR {available} for C-${clientId} [NSE_CASH]`],
    HOLDING: ['', `RED:RULE:{Check holdings including BTST}: {available} available for C-${clientId}`],
    WITHDRAWN: ['', '16052: Function not available'],
    RISK: ['', `RED:Blocked by the risk desk for C-${clientId}`],
    NOT_FOUND: ['EC997', 'The order is not among the open orders'],
    FINISHED: ['EC992', 'The order cannot be modified or cancelled: {state}'],
    IN_TRANSIT: ['EC994', 'The order is being processed'],
  },
  missingMoney,
);

export function success(...result: unknown[]): WireReply {
  return json(200, { status: 'Ok', message: 'Success', result });
}

/** The code stands in `status`. */
export function failure(code: string, message: string, status = 200): WireReply {
  return json(status, { status: code, message });
}

export function refusalText(refusal: Refusal, order?: ExchangeOrder): string {
  return refusals.textOf(refusal, { price: order?.price ?? '' });
}

export interface Problem {
  code: string;
  message: string;
}

export function problemOf(refusal: Refusal): Problem {
  return { code: refusals.rowOf(refusal)[0] || 'EC912', message: refusalText(refusal) };
}
