import type { Refusal } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { productFact, refusalWords } from '../wire/refusals.ts';

/** FYERS' envelopes, codes and messages. */

export const userId = 'FP0001';

export const productWord = { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' } as const;

/** HTTP status, code, and how a refusal of the exchange reads. Margin and circuits are said by the risk system, in the form its logs show. */
const refusals = refusalWords<readonly [number, number, string]>(
  {
    INSTRUMENT: [400, -300, 'Invalid symbol'],
    QUANTITY: [400, -50, 'Please provide a valid qty'],
    LOT: [400, -50, 'Quantity should be multiples of the lot size {lotSize}'],
    FREEZE: [200, -99, `RED:RULE:{Check freeze quantity}Current:{quantity} Freeze:{freeze} for C-${userId} [RISK]`],
    PRICE: [400, -50, 'Please provide a valid limitPrice'],
    TRIGGER: [400, -50, 'Please provide a valid stopPrice'],
    STOP_SIDE: [400, -50, 'stopPrice {trigger} does not fit the side of the order, the last price is {last}'],
    STOP_BAND: [200, -99, '16448 : The difference between limit price and trigger price is beyond the permissible range'],
    TICK: [400, -50, 'Price not a multiple of tick size {tick}'],
    CIRCUIT: [
      200,
      -99,
      'RED:RULE:{Check circuit limit including square off order}Current:INR {price} LowerCircuit:INR {lower} UpperCircuit:INR {upper}',
    ],
    PRODUCT: [400, -50, 'productType {product} is not allowed in this segment'],
    VALIDITY: [400, -50, 'Please provide a valid validity'],
    MARGIN: [200, -99, `RED:Margin Shortfall:INR {required} Available:INR {available} for C-${userId} [RISK]`],
    HOLDING: [200, -99, `RED:Check Holdings:Available:{available} for C-${userId} [RISK]`],
    WITHDRAWN: [200, -99, 'Stop order without a limit is not allowed by the exchange'],
    RISK: [200, -99, `RED:RULE:{Blocked by the risk system} for C-${userId} [RISK]`],
    NOT_FOUND: [400, -51, 'Invalid order id {orderId}'],
    FINISHED: [400, -50, 'Order {orderId} is no longer pending: {state}'],
    IN_TRANSIT: [200, -99, 'Order {orderId} is in transit to the exchange'],
  },
  productFact(productWord),
);

export function success(payload: object, code = 200, message = ''): WireReply {
  return json(200, { s: 'ok', code, message, ...payload });
}

export function failure(status: number, code: number, message: string): WireReply {
  return json(status, { s: 'error', code, message });
}

export function badInput(message: string): WireReply {
  return failure(400, -50, message);
}

export function tokenExpired(): WireReply {
  return failure(401, -8, 'Your token has expired. Please generate a token');
}

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  const [status, code] = refusals.rowOf(refusal);
  return failure(status, code, refusalText(refusal));
}
