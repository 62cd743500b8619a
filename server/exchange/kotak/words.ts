import { instruments, quoted } from '../instruments.ts';
import type { Instrument, Refusal } from '../types.ts';
import { physicalLot } from '../wire/listing.ts';
import { json, type WireReply } from '../wire/message.ts';
import { refusalWords } from '../wire/refusals.ts';
import { dateParts } from '../wire/times.ts';

/** Kotak Neo's envelopes, segments, codes and messages. */

export const ucc = 'PRAC1';

export const segmentOf = { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', BFO: 'bse_fo', MCX: 'mcx_fo', CDS: 'cde_fo' } as const;
export const exchangeOf = { nse_cm: 'NSE', bse_cm: 'BSE', nse_fo: 'NFO', bse_fo: 'BFO', mcx_fo: 'MCX', cde_fo: 'CDS' } as const;
export const productWord = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;
export const typeWord = { MARKET: 'MKT', LIMIT: 'L', SL: 'SL', 'SL-M': 'SL-M' } as const;

/** What Kotak is known to do in two ways. */
export interface Ways {
  /** Positions lie where they did before the client 3.0.9. */
  oldPositions: boolean;
  /** One of them is left out for a while. */
  positionsIncomplete: boolean;
  /** A market order is booked as a limit that does not reach the market. */
  marketOrdersFar: boolean;
}

/** `Nifty 50`. Shares of the NSE carry their series, contracts of MCX the day they end: CRUDEOIL18DEC26FUT, CRUDEOIL16DEC265400CE. */
export function tradingSymbol(instrument: Instrument & { series?: string | null }): string {
  const { exchange, symbol, kind, name, underlying, strike, series } = instrument;
  if (kind === 'INDEX') return name;
  if (exchange === 'NSE' && kind === 'EQ') return `${symbol}-${series ?? 'EQ'}`;
  if (exchange !== 'MCX') return symbol;
  return `${underlying}${dayText(instrument)}${kind === 'FUT' ? '' : strike}${kind}`;
}

/** The day a contract ends: 18DEC26. */
export function dayText({ expiry }: Instrument): string {
  const { year, monthName, day } = dateParts(expiry ?? '');
  return `${day}${monthName.toUpperCase()}${year.slice(2)}`;
}

const byName = new Map(instruments.map((instrument) => [`${segmentOf[instrument.exchange]} ${tradingSymbol(instrument)}`, instrument]));

/** What an order calls `ts` in a segment. */
export function instrumentNamed(segment: string, symbol: string): Instrument | undefined {
  return byName.get(`${segment} ${symbol}`);
}

/** What quotes and prices ask for: the exchange's token, of an index the name. */
function quoteToken(instrument: Instrument): string {
  return instrument.kind === 'INDEX' ? instrument.name : String(instrument.exchangeToken);
}

const byToken = new Map(quoted.map((instrument) => [`${segmentOf[instrument.exchange]}|${quoteToken(instrument)}`, instrument]));

/** By segment and that token, indices too. */
export function quotedAs(segment: string, token: string): Instrument | undefined {
  return byToken.get(`${segment}|${token}`);
}

/**
 * How Kotak counts a contract. Commodities are counted in units of weight or volume: `units` of them are one of the engine's lots. Rupees are quantity
 * x price x `multiplier` / `quoted`.
 */
export function countOf(instrument: Instrument) {
  const { size, quoted } = physicalLot(instrument);
  if (instrument.exchange !== 'MCX') return { units: 1, lot: size, multiplier: instrument.multiplier, quoted };
  return { units: size / instrument.lotSize, lot: size, multiplier: 1, quoted };
}

const refusals = refusalWords<readonly [number, string]>({
  INSTRUMENT: [1007, 'Invalid Symbol'],
  QUANTITY: [1009, 'Invalid Quantity'],
  LOT: [1009, 'Invalid Quantity: it is no multiple of the lot size {lotSize}'],
  FREEZE: [1009, 'RMS: quantity {quantity} is above the freeze quantity {freeze}'],
  PRICE: [1009, 'Price must be greater than zero'],
  TRIGGER: [1009, 'Trigger price must be greater than zero'],
  STOP_SIDE: [1009, 'Trigger price {trigger} does not suit the last traded price {last}'],
  STOP_BAND: [1009, 'The difference between limit price and trigger price is beyond the permissible range'],
  TICK: [1009, 'Price is no multiple of the tick size {tick}'],
  CIRCUIT: [1009, 'Price {price} is outside the day range {lower} - {upper}'],
  PRODUCT: [1006, 'Product type is not allowed in this segment'],
  VALIDITY: [1009, 'Validity is not allowed in this segment'],
  MARGIN: [1004, 'Insufficient balance.'],
  HOLDING: [1009, 'RMS: no sufficient holdings, {available} can be sold'],
  WITHDRAWN: [1009, 'Function not available'],
  RISK: [1009, 'RMS: blocked by risk management'],
  NOT_FOUND: [1006, 'Order already cancelled or not found.'],
  FINISHED: [1021, 'order is completed'],
  IN_TRANSIT: [1006, 'Order cannot be modified as it is being processed.'],
});

export const refusalText = refusals.textOf;

export function refused(refusal: Refusal): WireReply {
  if (refusal.code === 'FINISHED')
    return json(200, { stCode: 1021, errMsg: 'order is completed', stat: 'please provide valid order number' });
  return notOk(200, refusals.rowOf(refusal)[0], refusalText(refusal));
}

export function notOk(status: number, stCode: number, emsg: string): WireReply {
  return json(status, { stat: 'Not_Ok', emsg, stCode });
}

/** Answer to an order call. */
export function orderTaken(nOrdNo: string): WireReply {
  return json(200, { nOrdNo, stat: 'Ok', stCode: 200 });
}

/** A report; without rows Kotak answers an error of its own. */
export function report(stat: 'Ok' | 'ok', rows: readonly unknown[]): WireReply {
  if (rows.length === 0) return json(200, { stat: 'Not_Ok', stCode: 5203, errMsg: 'No Data', desc: 'data not found', tid: 'server2_1' });
  return json(200, { stat, stCode: 200, data: rows });
}

/** Sign-in refusals have a form of their own. */
export function loginRefused(status: number, message: string): WireReply {
  return json(status, { status: 'error', message, errorCode: String(status) });
}

export function missingField(name: string): WireReply {
  return json(400, { error: [{ code: '400', message: `Missing required field '${name}'` }] });
}
