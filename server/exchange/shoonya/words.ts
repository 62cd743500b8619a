import { istText } from '../../clock.ts';
import type { Instrument, OrderState, Refusal } from '../types.ts';
import { json, readJson, type WireReply, type WireRequest } from '../wire/message.ts';
import { missingMoney, refusalWords } from '../wire/refusals.ts';
import { dateParts } from '../wire/times.ts';

/** The Noren order system's envelopes, words and names, as Shoonya speaks them. */

export const user = 'PRAC01';

export const typeOf = { MKT: 'MARKET', LMT: 'LIMIT', 'SL-LMT': 'SL', 'SL-MKT': 'SL-M' } as const;
export const typeWord = { MARKET: 'MKT', LIMIT: 'LMT', SL: 'SL-LMT', 'SL-M': 'SL-MKT' } as const;
export const productOf = { I: 'INTRADAY', C: 'DELIVERY', M: 'CARRYFORWARD' } as const;
export const productWord = { INTRADAY: 'I', DELIVERY: 'C', CARRYFORWARD: 'M' } as const;
export const productName = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;

/** Status words that Shoonya's rows show as well as the usual ones. */
export const otherWords: Readonly<Partial<Record<OrderState, string>>> = {
  AMO_RECEIVED: 'AFTER MARKET ORDER REQ RECEIVED',
  OPEN: 'NEW',
  MODIFY_PENDING: 'MODIFY PENDING',
  MODIFIED: 'REPLACED',
  CANCEL_PENDING: 'CANCEL PENDING',
};

/** Shoonya's trading symbols of indices; the others go by the exchange's. */
const indexNames: Readonly<Record<string, string>> = { NIFTY: 'NIFTY INDEX', BANKNIFTY: 'NIFTY BANK' };

/** `SBIN-EQ`, `SBIN` on BSE, `NIFTY INDEX`, `NIFTY29DEC26F`, `NIFTY29DEC26C26000`; futures of the commodity exchange end in their date, BFO has the exchange's names. */
export function tradingSymbol(instrument: Instrument & { series?: string | null }): string {
  const { exchange, symbol, kind, underlying, expiry, strike, series } = instrument;
  if (kind === 'EQ') return exchange === 'NSE' ? `${symbol}-${series ?? 'EQ'}` : symbol;
  if (kind === 'INDEX') return indexNames[symbol] ?? symbol;
  if (exchange === 'BFO') return symbol;
  const { year, monthName, day } = dateParts(expiry ?? '');
  const dated = `${underlying}${day}${monthName.toUpperCase()}${year.slice(2)}`;
  if (kind === 'FUT') return exchange === 'MCX' ? dated : `${dated}F`;
  return `${dated}${kind.slice(0, 1)}${strike}`;
}

/** Refusals, nearly all of them found in the book as the reason of a rejected order. */
export const { textOf: refusalText } = refusalWords(
  {
    INSTRUMENT: 'Invalid Input : Invalid Trading Symbol',
    QUANTITY: 'Invalid Input : Invalid Quantity',
    LOT: 'RED:Quantity is not a multiple of lot size {lotSize}',
    FREEZE: 'RED:Quantity {quantity} is above the freeze quantity {freeze}',
    PRICE: 'Invalid Input : Invalid Price',
    TRIGGER: 'Invalid Input : Invalid Trigger Price',
    STOP_SIDE: 'ORA:Trigger price {trigger} does not suit the last price {last}',
    STOP_BAND: 'EXC:16448 The difference between limit price and trigger price is beyond the permissible range',
    TICK: 'ORA:Price is not a multiple of tick size {tick}',
    CIRCUIT: 'RED:Price {price} is outside the circuit limits {lower} - {upper}',
    PRODUCT: 'RED:Product {product} is not allowed on {exchange}',
    VALIDITY: 'RED:Retention type is not allowed',
    MARGIN: 'RED:Margin Shortfall:INR {missing} Available:INR {available}',
    HOLDING: 'RED:Holdings not sufficient, {available} can be sold',
    WITHDRAWN: 'EXC:16052 Function not available',
    RISK: 'RED:Blocked by risk management',
    NOT_FOUND: 'Rejected : ORA:Order not found',
    FINISHED: 'Rejected : ORA:Order is {state}',
    IN_TRANSIT: 'Rejected : ORA:Order is being processed',
  },
  missingMoney,
);

export function refused(refusal: Refusal, now: number): WireReply {
  const text = refusalText(refusal);
  return notOk(200, /^(Invalid Input|Rejected) :/.test(text) ? text : `Rejected : ${text}`, now);
}

/** `request_time` is left out where there is no clock at hand, as in many of the documented samples. */
export function notOk(status: number, emsg: string, now?: number): WireReply {
  return json(status, { stat: 'Not_Ok', emsg, ...(now === undefined ? {} : { request_time: norenTime(now) }) });
}

export function ok(now: number, members: Record<string, unknown> = {}): WireReply {
  return json(200, { request_time: norenTime(now), stat: 'Ok', ...members });
}

/** A bare list; an empty one is an error of its own. */
export function list(rows: readonly unknown[], now: number): WireReply {
  return rows.length > 0 ? json(200, rows) : notOk(200, 'Error Occurred : 5 "no data"', now);
}

export function invalid(now: number): WireReply {
  return notOk(200, 'Error Occurred : 2 "invalid input"', now);
}

/** `10:48:03 20-05-2020`, IST. */
export function norenTime(at: number): string {
  const [date = '', time = ''] = istText(at).split(' ');
  return `${time} ${date.split('-').reverse().join('-')}`;
}

/** `20-05-2020 10:48:03`, IST. */
export function exchangeTime(at: number): string {
  return norenTime(at).split(' ').reverse().join(' ');
}

/** The parts of a body: it is cut at every `&`, and not decoded unless the whole of a part is encoded. */
function partOf({ body }: WireRequest, name: string): string {
  const part = body.split('&').find((each) => each.startsWith(`${name}=`)) ?? '';
  const value = part.slice(name.length + 1);
  try {
    return value.startsWith('%7B') ? decodeURIComponent(value.replaceAll('+', ' ')) : value;
  } catch {
    return '';
  }
}

/** The JSON all bodies carry; undefined when there is none to read. */
export function jData(request: WireRequest): unknown {
  return readJson(partOf(request, 'jData'));
}

export function jKey(request: WireRequest): string {
  return partOf(request, 'jKey');
}
