import { quoted } from '../instruments.ts';
import type { Instrument, Refusal, RefusalCode } from '../types.ts';
import { json, type WireReply } from '../wire/message.ts';
import { refusalWords } from '../wire/refusals.ts';
import { dateParts } from '../wire/times.ts';

/** DhanHQ v2's error body and words. There is no envelope: an answer that succeeds is the bare object or list. */

/** Exchange and segment as the instrument files and the order updates write them. */
export const segmentLetters = {
  NSE: ['NSE', 'E'],
  BSE: ['BSE', 'E'],
  NFO: ['NSE', 'D'],
  BFO: ['BSE', 'D'],
  MCX: ['MCX', 'M'],
  CDS: ['NSE', 'C'],
} as const;

const errorTypes = {
  'DH-901': 'Invalid_Authentication',
  'DH-904': 'Rate_Limit',
  'DH-905': 'Input_Exception',
  'DH-906': 'Order_Error',
  'DH-908': 'Internal_Server_Error',
  'DH-909': 'Network_Error',
  'DH-1111': 'HOLDING_ERROR',
} as const;
export type ErrorCode = keyof typeof errorTypes;

const badInputText = 'Missing required fields, bad values for parameters etc.';
const cannotText = 'Incorrect request for order and cannot be processed';

/** How a refusal reads here. RMS texts show in the order book; the others answer the request. */
const refusals = refusalWords<readonly [ErrorCode, string]>({
  INSTRUMENT: ['DH-905', 'Invalid SecurityId'],
  QUANTITY: ['DH-905', badInputText],
  LOT: ['DH-906', 'Order quantity should be in multiples of the lot size {lotSize}'],
  FREEZE: ['DH-906', 'RMS:{id}:Order quantity {quantity} exceeds the freeze quantity {freeze}'],
  PRICE: ['DH-905', badInputText],
  TRIGGER: ['DH-905', badInputText],
  STOP_SIDE: ['DH-906', 'Trigger Price should be greater than Price'],
  STOP_BAND: ['DH-906', 'EXCH:16448:The difference between limit price and trigger price is beyond the permissible range'],
  TICK: ['DH-906', 'Price should be in multiples of the tick size {tick}'],
  CIRCUIT: ['DH-906', 'RMS:{id}:Order Price needs to be Circuit Limits of {lower} to {upper}'],
  PRODUCT: ['DH-905', 'Invalid productType for the exchangeSegment'],
  VALIDITY: ['DH-905', badInputText],
  MARGIN: ['DH-906', 'RMS:{id}:Margin Exceeds, Required:{required}, Available:{available}'],
  HOLDING: ['DH-906', 'RMS:{id}:You are trying to sell more than the quantity you currently hold.'],
  WITHDRAWN: ['DH-906', 'EXCH:16052:Function not available'],
  RISK: ['DH-906', 'RMS:{id}:Blocked by the risk management system'],
  NOT_FOUND: ['DH-906', cannotText],
  FINISHED: ['DH-906', cannotText],
  IN_TRANSIT: ['DH-906', 'Order is in Transit state'],
});

/** Refusals of the broker's risk system, which come after the order was taken. */
export const refusedInBook: readonly RefusalCode[] = ['MARGIN', 'HOLDING', 'FREEZE', 'CIRCUIT'];

export const segmentOf = { NSE: 'NSE_EQ', BSE: 'BSE_EQ', NFO: 'NSE_FNO', BFO: 'BSE_FNO', MCX: 'MCX_COMM', CDS: 'NSE_CURRENCY' } as const;
export const productWord = { INTRADAY: 'INTRADAY', DELIVERY: 'CNC', CARRYFORWARD: 'MARGIN' } as const;
export const typeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'STOP_LOSS', 'SL-M': 'STOP_LOSS_MARKET' } as const;

export function failure(status: number, errorCode: ErrorCode, errorMessage: string): WireReply {
  return json(status, { errorType: errorTypes[errorCode], errorCode, errorMessage });
}

export function badInput(): WireReply {
  return failure(400, 'DH-905', badInputText);
}

export function cannot(status: number): WireReply {
  return failure(status, 'DH-906', cannotText);
}

/** Texts of the risk system name the order. */
export function refusalText(refusal: Refusal, id: string): string {
  return refusals.textOf(refusal, { id });
}

export function refused(refusal: Refusal): WireReply {
  return failure(400, refusals.rowOf(refusal)[0], refusalText(refusal, ''));
}

/** SBIN, NIFTY-Dec2026-FUT, NIFTY-Dec2026-26000-CE: contracts of one month are called alike, those of commodities by their day, CRUDEOIL-18Dec2026-FUT. */
export function tradingSymbol({ exchange, kind, symbol, underlying, expiry, strike }: Instrument): string {
  if (expiry === null) return symbol;
  const { year, monthName, day } = dateParts(expiry);
  const contract = `${underlying}-${exchange === 'MCX' ? day : ''}${monthName}${year}`;
  return kind === 'FUT' ? `${contract}-FUT` : `${contract}-${strike}-${kind}`;
}

/** Dhan's own numbers of the indices. */
const indexIds: Readonly<Record<string, number>> = {
  NIFTY: 13,
  BANKNIFTY: 25,
  FINNIFTY: 27,
  MIDCPNIFTY: 442,
  INDIAVIX: 21,
  SENSEX: 51,
  BANKEX: 69,
};

/** The exchange's token, except of indices. */
export function securityId({ kind, symbol, exchangeToken }: Instrument): number {
  return kind === 'INDEX' ? (indexIds[symbol] ?? exchangeToken) : exchangeToken;
}

/** Indices have a segment of their own. */
export function wireSegment({ kind, exchange }: Instrument): string {
  return kind === 'INDEX' ? 'IDX_I' : segmentOf[exchange];
}

const bySecurity = new Map(quoted.map((one) => [`${wireSegment(one)}:${securityId(one)}`, one]));

/** By segment and security id, indices too: they have prices alone. */
export function quotedAs(segment: string, id: string): Instrument | undefined {
  return bySecurity.get(`${segment}:${id}`);
}
