import type { Refusal } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { productFact, refusalWords } from '../wire/refusals.ts';

/** Kite's envelopes, error types and messages. */

type ErrorType = 'InputException' | 'OrderException' | 'MarginException' | 'HoldingException' | 'TokenException' | 'GeneralException';

export const productWord = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;

/** How a refusal of the exchange reads at this broker. The raw text is what its risk system writes. */
const refusals = refusalWords<readonly [ErrorType, string]>(
  {
    INSTRUMENT: ['InputException', 'The instrument you are placing an order for has either expired or does not exist.'],
    QUANTITY: ['InputException', 'Invalid `quantity`.'],
    LOT: ['InputException', 'Order quantity should be a multiple of the lot size, {lotSize}.'],
    FREEZE: ['InputException', 'RMS:Rule: Check freeze quantity: {quantity} is above {freeze}.'],
    PRICE: ['InputException', 'Invalid `price`.'],
    TRIGGER: ['InputException', 'Invalid `trigger_price`.'],
    STOP_SIDE: ['InputException', 'Trigger price {trigger} does not fit the order: the last price is {last}.'],
    STOP_BAND: ['OrderException', '16448: The difference between limit price and trigger price is beyond the permissible range'],
    TICK: ['InputException', 'Tick size for this script is {tick}. Kindly enter price in the multiple of tick size for this script.'],
    CIRCUIT: ['InputException', 'Price {price} is outside the circuit limits {lower} to {upper}.'],
    PRODUCT: ['InputException', 'Trading in {exchange} is not allowed using {product} product type.'],
    VALIDITY: ['InputException', 'Invalid `validity`.'],
    MARGIN: ['MarginException', 'Insufficient funds. Required margin is {required} but available margin is {available}.'],
    HOLDING: ['HoldingException', 'Insufficient stock holding. You can sell {available} of this stock.'],
    WITHDRAWN: ['OrderException', '16052: Function not available'],
    RISK: ['OrderException', 'RMS:Blocked by the risk management system'],
    NOT_FOUND: ['OrderException', 'The order for ID ({orderId}) does not exist.'],
    FINISHED: ['OrderException', 'Order cannot be changed: its status is {state}.'],
    IN_TRANSIT: ['InputException', 'Order cannot be modified as it is being processed. Try later.'],
  },
  productFact(productWord),
);

export function success(data: unknown): WireReply {
  return json(200, { status: 'success', data });
}

export function failure(status: number, errorType: string, message: string): WireReply {
  return json(status, { status: 'error', message, data: null, error_type: errorType });
}

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  return failure(400, refusals.rowOf(refusal)[0], refusalText(refusal));
}

export function badInput(message: string): WireReply {
  return failure(400, 'InputException', message);
}
