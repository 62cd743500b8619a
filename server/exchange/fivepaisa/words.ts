import { indices } from '../instruments.ts';
import type { Instrument } from '../types.ts';
import { json, type WireReply, type WireRequest } from '../wire/message.ts';
import { refusalWords } from '../wire/refusals.ts';
import { dateParts } from '../wire/times.ts';

/** 5paisa's envelope and words: HTTP 200 for nearly everything, `Success` in the head of refusals too. */

export const clientCode = '50000000';
/** Before the path of nearly every call. */
export const BASE = '/VendorsAPI/Service1.svc';

/** How a refusal of the exchange or of the risk desk reads, as a Message or as the Reason of a rejected row. */
export const { textOf: refusalText } = refusalWords({
  INSTRUMENT: 'Invalid Scrip Code',
  QUANTITY: 'Invalid Quantity',
  LOT: 'Quantity should be in multiples of the market lot {lotSize}',
  FREEZE: 'Quantity {quantity} exceeds the freeze quantity {freeze}',
  PRICE: 'Invalid Price',
  TRIGGER: 'Invalid Stop Loss Price',
  STOP_SIDE: 'Stop Loss Price {trigger} does not fit the last traded price {last}',
  STOP_BAND: '16448: The difference between limit price and trigger price is beyond the permissible range',
  TICK: 'Price should be in multiples of the tick size {tick}',
  CIRCUIT: 'Price {price} is beyond the circuit limits {lower} - {upper}',
  PRODUCT: 'This product is not allowed in this segment',
  VALIDITY: 'This validity is not allowed in this segment',
  MARGIN: 'Margin Shortfall. Required: {required} Available: {available}',
  HOLDING: 'Insufficient holding quantity. Available: {available}',
  WITHDRAWN: '16052: Function not available',
  RISK: 'Rejected by the risk management system',
  NOT_FOUND: 'Order does not exist',
  FINISHED: 'Order is already {state}',
  IN_TRANSIT: 'Order is being processed',
});
const INVALID_INPUT = 2;
export const marketRefused = 'Market order with Algo Id not allowed';

export const letters = { NSE: ['N', 'C'], BSE: ['B', 'C'], NFO: ['N', 'D'], BFO: ['B', 'D'], MCX: ['M', 'D'], CDS: ['N', 'U'] } as const;

/** What `head.responseCode` says, by the operation at the end of the path. */
const responseCodes: Readonly<Record<string, string>> = {
  'V1/PlaceOrderRequest': '5PPlaceOrdReqV1',
  'V1/ModifyOrderRequest': '5PModifyOrdReqV1',
  'V1/CancelOrderRequest': '5PCancelOrdReqV1',
  'V3/OrderBook': '5POrdBkV3',
  'V4/OrderBook': '5POrdBkV4',
  'V2/OrderStatus': '5POrdStatusV2',
  'V3/OrderStatus': '5POrdStatusV3',
  'V1/TradeBook': '5PTrdBkV1',
  'V3/Holding': '5PHoldingV3',
  'V2/NetPositionNetWise': '5PNPNWV2',
  'V4/Margin': '5PMarginV4',
  MultiOrderMargin: '5PMultiOrderMargin',
  MarketSnapshot: '5PMFV1',
};

function headOf(request: WireRequest | null, status = '0', statusDescription = 'Success') {
  const path = request?.path.split('/').slice(3).join('/') ?? '';
  return { responseCode: responseCodes[path] ?? '5P', status, statusDescription };
}

/** `Status` 0 unless the body brings its own. */
export function answer(request: WireRequest | null, body: object): WireReply {
  return json(200, { body: { Message: 'Success', Status: 0, ...body }, head: headOf(request) });
}

/** Status 1 is business and "no data", 2 input, 9 the session. */
export function failure(request: WireRequest | null, Status: number, Message: string, more: object = {}): WireReply {
  return json(200, { body: { ...more, Message, Status }, head: headOf(request, '0', Status === 9 ? 'Fail' : 'Success') });
}

export function badInput(request: WireRequest): WireReply {
  return failure(request, INVALID_INPUT, 'Invalid Input Parameters.');
}

export function badHead(request: WireRequest | null, status: string, text: string): WireReply {
  return json(200, { body: null, head: headOf(request, status, text) });
}

export function invalidSession(request: WireRequest | null): WireReply {
  return failure(request, 9, 'Invalid Session');
}

/** A refused placement, change or cancellation: the receipt with nothing in it. */
export function refused(request: WireRequest, Message: string, status = 1): WireReply {
  const blank = {
    BrokerOrderID: 0,
    ClientCode: clientCode,
    Exch: '?',
    ExchOrderID: '',
    ExchType: '?',
    LocalOrderID: 0,
    RMSResponseCode: -15,
  };
  return failure(request, status, Message, { ...blank, RemoteOrderID: '', ScripCode: 0, Time: '/Date(-62135596800000+0000)/' });
}

/** Codes of indices, which are nobody else's. */
const indexCodes: Readonly<Record<string, number>> = {
  NIFTY: 999_920_000,
  BANKNIFTY: 999_920_005,
  FINNIFTY: 999_920_041,
  MIDCPNIFTY: 999_920_043,
  INDIAVIX: 999_920_019,
  SENSEX: 999_901,
  BANKEX: 999_912,
};

/** The exchange's token, of an index a code above 999900. */
export function scripCode({ kind, symbol, exchangeToken }: Instrument): number {
  return kind === 'INDEX' ? (indexCodes[symbol] ?? exchangeToken) : exchangeToken;
}

const indexByCode = new Map(indices.map((index) => [`${letters[index.exchange].join('')}:${scripCode(index)}`, index]));

/** Indices have quotes alone. */
export function indexAs(exchange: string, type: string, code: number): Instrument | undefined {
  return indexByCode.get(`${exchange}${type}:${code}`);
}

/** The Name of the scrip master: ITC, NIFTY 29 Dec 2026, NIFTY 29 Dec 2026 CE 26000.00. */
export function scripName({ symbol, underlying, kind, expiry, strike }: Instrument): string {
  if (expiry === null) return symbol;
  const { year, monthName, day } = dateParts(expiry);
  const contract = `${underlying} ${day} ${monthName} ${year}`;
  return kind === 'FUT' ? contract : `${contract} ${kind} ${Number(strike).toFixed(2)}`;
}

/** The ScripData of the scrip master: ITC_EQ, NIFTY, NIFTY 29 Dec 2026_20261229, NIFTY 29 Dec 2026 CE 26000.00_20261229_CE_26000. */
export function scripData(instrument: Instrument, series = 'EQ'): string {
  const { kind, expiry, strike } = instrument;
  if (kind === 'INDEX') return instrument.symbol;
  if (expiry === null) return `${instrument.symbol}_${series}`;
  const dated = `${scripName(instrument)}_${expiry.replaceAll('-', '')}`;
  return kind === 'FUT' ? dated : `${dated}_${kind}_${Number(strike)}`;
}

/** `/Date(1707279047230+0530)/` */
export function dateText(at: number): string {
  return `/Date(${Math.floor(at)}+0530)/`;
}
