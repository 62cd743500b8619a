import { istText } from '../../clock.ts';
import { isIndex, quoted } from '../instruments.ts';
import { seriesOf } from '../listed.ts';
import type { ExchangeOrder, Instrument, Listed } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import { orderSystemWords } from '../wire/state-words.ts';
import { dateParts, monthTime, receivedAt, shortDay } from '../wire/times.ts';
import { refusalText } from './words.ts';

/** SmartAPI rows of orders and trades, and its names of instruments: field names, types and times (IST) as the broker sends them. Prices in rupees. */

export const clientCode = 'PR0001';

const typeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'STOPLOSS_LIMIT', 'SL-M': 'STOPLOSS_MARKET' } as const;
/** What the indices are called where it is not their name. */
const indexSymbols: Readonly<Record<string, string>> = { MIDCPNIFTY: 'NIFTY MID SELECT' };
/** The tokens of NSE's indices are the exchange's beyond this; those of BSE's stand here. */
const INDEX_TOKENS = 99_900_000;
const bseIndexTokens: Readonly<Record<string, number>> = { SENSEX: 99_919_000, BANKEX: 99_919_012 };

/** Shares carry their series on NSE; a contract is its underlying, its expiry and what it is: NIFTY29DEC26FUT, NIFTY29DEC2626000CE. BFO has the exchange's names. */
export function tradingSymbol(instrument: Instrument & Partial<Pick<Listed, 'series'>>): string {
  const { exchange, symbol, underlying, expiry, strike, kind } = instrument;
  if (kind === 'INDEX') return indexSymbols[symbol] ?? instrument.name;
  if (expiry === null) return exchange === 'NSE' ? `${symbol}-${seriesOf(instrument)}` : symbol;
  if (exchange === 'BFO') return symbol;
  return `${underlying}${dateWord(expiry)}${kind === 'FUT' ? 'FUT' : `${strike}${kind}`}`;
}

/** The exchange's token; indices have a range of their own. */
export function tokenOf({ symbol, kind, exchangeToken }: Instrument): string {
  return String(kind === 'INDEX' ? (bseIndexTokens[symbol] ?? INDEX_TOKENS + exchangeToken) : exchangeToken);
}

const byToken = new Map(quoted.map((instrument) => [`${instrument.exchange}:${tokenOf(instrument)}`, instrument]));

/** By exchange and token, indices too. */
export function quotedAs(exchange: string, token: string): Instrument | undefined {
  return byToken.get(`${exchange}:${token}`);
}

/** YYYY-MM-DD -> 29DEC26. */
function dateWord(date: string): string {
  const { year, monthName, day } = dateParts(date);
  return `${day}${monthName.toUpperCase()}${year.slice(2)}`;
}

/** The day and a count: 15 digits, ascending, as the broker's ids are. A serial holds the time above its lowest 20 bits. */
export function orderId(serial: string): string {
  const count = BigInt(serial) & 0xf_ffffn;
  return shortDay(receivedAt(serial)) + String(count).padStart(9, '0');
}

export function uniqueOrderId(order: Pick<ExchangeOrder, 'serial'>): string {
  return BigInt(order.serial).toString(36);
}

export function varietyOf(order: ExchangeOrder): string {
  if (order.variety === 'AMO') return 'AMO';
  return order.details.variety ?? (order.askedType.startsWith('SL') ? 'STOPLOSS' : 'NORMAL');
}

/** YYYY-MM-DD -> 29DEC2026; empty for a share. */
export function longDate(date: string | null): string {
  return date === null ? '' : `${dateWord(date).slice(0, 5)}${date.slice(0, 4)}`;
}

/** One order. The book prints prices as texts or as numbers, in turn here; `details` as numbers. A rejected row may have no `orderstatus`. */
export function orderRow(order: OrderView, form: 'book' | 'details') {
  const { instrument, odd } = order;
  const shown = (value: string) => (form === 'details' || odd ? Number(value) : value);
  const word = orderSystemWords[order.state];
  const time = monthTime(order.updatedAt);
  const exchangeTime = order.exchangeOrderId === null ? '' : time;
  return {
    variety: varietyOf(order),
    ordertype: typeWord[order.orderType],
    producttype: order.product,
    duration: order.validity,
    price: shown(order.price),
    triggerprice: shown(order.triggerPrice),
    quantity: String(order.quantity),
    disclosedquantity: '0',
    squareoff: shown('0'),
    stoploss: shown('0'),
    trailingstoploss: shown('0'),
    tradingsymbol: tradingSymbol(instrument),
    transactiontype: order.side,
    exchange: order.exchange,
    symboltoken: String(instrument.exchangeToken),
    ordertag: order.tag ?? '',
    ...contract(instrument, shown),
    cancelsize: String(order.cancelled),
    averageprice: shown(order.average),
    filledshares: String(order.filled),
    unfilledshares: String(order.unfilled),
    orderid: order.orderId,
    text: order.refusal ? refusalText(order.refusal) : '',
    status: order.modifications > 0 && order.state === 'TRIGGER_PENDING' ? 'modified' : word,
    orderstatus: order.state === 'REJECTED' && odd ? '' : word,
    updatetime: time,
    exchtime: exchangeTime,
    exchorderupdatetime: exchangeTime,
    fillid: '',
    filltime: '',
    parentorderid: '',
    uniqueorderid: uniqueOrderId(order),
    exchangeorderid: order.exchangeOrderId ?? '',
    algoID: '99999',
  };
}

export function tradeRow(trade: TradeView) {
  const { instrument } = trade;
  const { lotsize, ...about } = contract(instrument, (value) => value);
  return {
    exchange: trade.exchange,
    producttype: trade.product,
    tradingsymbol: tradingSymbol(instrument),
    ...about,
    symbolgroup: instrument.expiry === null ? 'EQ' : 'XX',
    marketlot: lotsize,
    precision: '2',
    multiplier: multiplierWord(instrument),
    tradevalue: trade.amount.toFixed(2),
    transactiontype: trade.side,
    fillprice: trade.price,
    fillsize: String(trade.quantity),
    orderid: trade.orderId,
    fillid: trade.tradeId,
    filltime: istText(trade.at).slice(11),
  };
}

/** What it is that is traded; prices as `shown` writes them. */
export function contract(instrument: Instrument, shown: (value: string) => string | number) {
  const { exchange, kind, strike, expiry, lotSize, underlying } = instrument;
  const segment = exchange === 'MCX' ? 'COM' : exchange === 'CDS' ? 'CUR' : isIndex(underlying) ? 'IDX' : 'STK';
  const form = kind === 'FUT' ? 'FUT' : 'OPT';
  return {
    // An option on a commodity is one on its future.
    instrumenttype: expiry === null ? '' : form === 'OPT' && segment === 'COM' ? 'OPTFUT' : `${form}${segment}`,
    strikeprice: shown(strike ?? '-1'),
    optiontype: kind === 'CE' || kind === 'PE' ? kind : '',
    expirydate: longDate(expiry),
    lotsize: String(lotSize),
  };
}

export function multiplierWord({ multiplier }: Instrument): string {
  return multiplier === 1 ? '-1' : String(multiplier);
}
