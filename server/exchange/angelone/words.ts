import { type Refusal, refusalCodes } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { refusalWords } from '../wire/refusals.ts';

/** SmartAPI's envelopes, error codes and messages. Bodies tell the outcome; the status is 200 unless said. */

/** Before the path of nearly every call. */
export const SECURE = '/rest/secure/angelbroking';

/** How a refusal reads: as an error code on the spot, or as the text of a rejected row where the code is empty. */
const refusals = refusalWords<readonly [string, string]>({
  INSTRUMENT: ['AB1009', 'Symbol Not Found'],
  QUANTITY: ['AB1007', 'Invalid quantity'],
  PRODUCT: ['AB1012', 'Invalid Product Type'],
  NOT_FOUND: ['AB1007', 'Order not found'],
  FINISHED: ['AB1007', 'Order cannot be changed: its status is {state}'],
  IN_TRANSIT: ['AB1007', 'Order is being processed'],
  LOT: ['', 'Order quantity must be a multiple of {lotSize}'],
  FREEZE: ['', 'Order quantity {quantity} is above the freeze quantity {freeze}'],
  PRICE: ['', 'Price must be above 0'],
  TRIGGER: ['', 'Trigger price must be above 0'],
  STOP_SIDE: ['', 'Trigger price {trigger} does not fit the last price {last}'],
  STOP_BAND: ['', 'The difference between limit price and trigger price is beyond the permissible range'],
  TICK: ['', 'Price is not a multiple of the tick size {tick}'],
  CIRCUIT: ['', 'Price {price} is outside the circuit limits {lower} to {upper}'],
  VALIDITY: ['', 'IOC is not allowed here'],
  MARGIN: [
    '',
    'Your order has been rejected due to Insufficient Funds. Available funds - Rs. {available} . You require Rs. {required} funds to execute this order.',
  ],
  HOLDING: ['', 'Your order has been rejected: {available} shares are in your holdings'],
  WITHDRAWN: ['', 'Stop loss market orders are not allowed for this scrip'],
  RISK: ['', 'Adapter is Logged Off'],
});

/** Refusals that come as an accepted order which then turns rejected. */
export const refusedInBook = refusalCodes.filter((code) => refusals.rowOf({ code, facts: {} })[0] === '');

export function success(data: unknown): WireReply {
  return json(200, { status: true, message: 'SUCCESS', errorcode: '', data });
}

/** A refusal of one of the services. */
export function failure(errorcode: string, message: string, status = 200): WireReply {
  return json(status, { status: false, message, errorcode, data: null });
}

/** A refusal of the gateway before the services: other names, no `status`. */
export function turnedAway(errorCode: string, message: string): WireReply {
  return json(200, { success: false, message, errorCode, data: '' });
}

export function tokenExpired(): WireReply {
  return turnedAway('AG8002', 'Token Expired');
}

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  return failure(refusals.rowOf(refusal)[0] || 'AB1007', refusalText(refusal));
}
