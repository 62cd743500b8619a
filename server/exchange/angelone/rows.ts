import { istText, tradingDay } from '../../clock.ts';
import { Big } from '../../money.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { refusalText } from './words.ts';

/** SmartAPI rows: field names, types and times (IST) as the broker sends them. Prices in rupees. */

export const clientCode = 'PR0001';

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'put order req received',
  VALIDATION: 'validation pending',
  OPEN_PENDING: 'open pending',
  AMO_RECEIVED: 'after market order req received',
  OPEN: 'open',
  TRIGGER_PENDING: 'trigger pending',
  MODIFY_VALIDATION: 'modify validation pending',
  MODIFY_PENDING: 'modify pending',
  MODIFIED: 'modified',
  CANCEL_PENDING: 'cancel pending',
  FILLED: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
};

const typeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'STOPLOSS_LIMIT', 'SL-M': 'STOPLOSS_MARKET' } as const;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Shares carry their series on NSE; a contract is its underlying, its expiry and what it is: NIFTY29DEC26FUT, NIFTY29DEC2626000CE. */
export function tradingSymbol(instrument: Instrument): string {
  const { exchange, symbol, underlying, expiry, strike, kind } = instrument;
  if (expiry === null) return exchange === 'NSE' ? `${symbol}-EQ` : symbol;
  return `${underlying}${dateWord(expiry)}${kind === 'FUT' ? 'FUT' : `${strike}${kind}`}`;
}

/** YYYY-MM-DD -> 29DEC26. */
function dateWord(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${day}${months[Number(month) - 1]?.toUpperCase()}${year.slice(2)}`;
}

/** Epoch ms -> 20-Oct-2020 13:10:59. */
function bookTime(at: number): string {
  const [year, month, day] = tradingDay(at).split('-');
  return `${day}-${months[Number(month) - 1]}-${year} ${istText(at).slice(11)}`;
}

/** The day and a count: 15 digits, ascending, as the broker's ids are. A serial holds the time above its lowest 20 bits. */
export function orderId(serial: string): string {
  const at = Number(BigInt(serial) >> 20n);
  const count = BigInt(serial) & 0xf_ffffn;
  return tradingDay(at).slice(2).replaceAll('-', '') + String(count).padStart(9, '0');
}

export function uniqueOrderId(order: Pick<ExchangeOrder, 'serial'>): string {
  return BigInt(order.serial).toString(36);
}

export function varietyOf(order: ExchangeOrder): string {
  if (order.variety === 'AMO') return 'AMO';
  return order.details.variety ?? (order.askedType.startsWith('SL') ? 'STOPLOSS' : 'NORMAL');
}

export const profile = {
  clientcode: clientCode,
  name: 'Practice Account',
  email: '',
  mobileno: '',
  exchanges: ['NSE', 'BSE', 'MCX', 'CDS', 'NFO'],
  products: ['DELIVERY', 'INTRADAY', 'CARRYFORWARD'],
  lastlogintime: '',
  brokerid: 'B2C',
};

export function rms(funds: Funds) {
  const money = (text: string) => new Big(text).toFixed(4);
  return {
    net: money(funds.available),
    availablecash: money(funds.available),
    availableintradaypayin: '0.0000',
    availablelimitmargin: '0.0000',
    collateral: '0.0000',
    m2munrealized: money(funds.unrealised),
    m2mrealized: money(funds.realised),
    utiliseddebits: money(funds.used),
    utilisedspan: null,
    utilisedoptionpremium: null,
    utilisedholdingsales: null,
    utilisedexposure: null,
    utilisedturnover: null,
    utilisedpayout: '0.0000',
  };
}

/** One order. The book prints prices as texts or as numbers, in turn here; `details` as numbers. A rejected row may have no `orderstatus`. */
export function orderRow(order: ExchangeOrder, instrument: Instrument, form: 'book' | 'details') {
  const odd = BigInt(order.serial) % 2n === 1n;
  const shown = (value: string) => (form === 'details' || odd ? Number(value) : value);
  const word = statusWord[order.state];
  const ended = order.state === 'CANCELLED' || order.state === 'EXPIRED';
  const acknowledged = order.exchangeOrderId !== null;
  const time = bookTime(order.updatedAt);
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
    cancelsize: String(ended ? remaining(order) : 0),
    averageprice: shown(averageOf(order)),
    filledshares: String(order.filled),
    unfilledshares: String(remaining(order)),
    orderid: order.orderId,
    text: order.refusal && order.state === 'REJECTED' ? refusalText(order.refusal) : '',
    status: order.modifications > 0 && order.state === 'TRIGGER_PENDING' ? 'modified' : word,
    orderstatus: order.state === 'REJECTED' && odd ? '' : word,
    updatetime: time,
    exchtime: acknowledged ? time : '',
    exchorderupdatetime: acknowledged ? time : '',
    fillid: '',
    filltime: '',
    parentorderid: '',
    uniqueorderid: uniqueOrderId(order),
    exchangeorderid: order.exchangeOrderId ?? '',
    algoID: '99999',
  };
}

function contract(instrument: Instrument, shown: (value: string) => string | number) {
  const { exchange, kind, strike, expiry, lotSize } = instrument;
  const segment =
    exchange === 'MCX' ? 'COM' : exchange === 'CDS' ? 'CUR' : ['NIFTY', 'BANKNIFTY'].includes(instrument.underlying) ? 'IDX' : 'STK';
  return {
    instrumenttype: expiry === null ? '' : `${kind === 'FUT' ? 'FUT' : 'OPT'}${segment}`,
    strikeprice: shown(strike ?? '-1'),
    optiontype: kind === 'CE' || kind === 'PE' ? kind : '',
    expirydate: expiry === null ? '' : `${dateWord(expiry).slice(0, 5)}${expiry.slice(0, 4)}`,
    lotsize: String(lotSize),
  };
}

export function tradeRow(trade: Trade, instrument: Instrument) {
  const { lotsize, ...about } = contract(instrument, (value) => value);
  return {
    exchange: trade.exchange,
    producttype: trade.product,
    tradingsymbol: tradingSymbol(instrument),
    ...about,
    symbolgroup: instrument.expiry === null ? 'EQ' : 'XX',
    marketlot: lotsize,
    precision: '2',
    multiplier: multiplierWord(instrument.multiplier),
    tradevalue: new Big(trade.price).times(trade.quantity).times(instrument.multiplier).toFixed(2),
    transactiontype: trade.side,
    fillprice: trade.price,
    fillsize: String(trade.quantity),
    orderid: trade.orderId,
    fillid: trade.tradeId,
    filltime: istText(trade.at).slice(11),
  };
}

function multiplierWord(multiplier: number): string {
  return multiplier === 1 ? '-1' : String(multiplier);
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const quantity = holding.quantity - holding.used;
  const pnl = new Big(quote.last).minus(holding.averagePrice);
  return {
    tradingsymbol: tradingSymbol(instrument),
    exchange: holding.exchange,
    isin: instrument.isin,
    t1quantity: 0,
    realisedquantity: quantity,
    quantity,
    authorisedquantity: 0,
    product: 'DELIVERY',
    collateralquantity: null,
    collateraltype: null,
    haircut: 0,
    averageprice: Number(holding.averagePrice),
    ltp: Number(quote.last),
    symboltoken: String(instrument.exchangeToken),
    close: Number(quote.close),
    profitandloss: Number(pnl.times(quantity).toFixed()),
    pnlpercentage: Number(pnl.div(holding.averagePrice).times(100).round(2).toFixed()),
  };
}

/** Sums over the rows of getAllHolding. */
export function holdingTotals(rows: readonly ReturnType<typeof holdingRow>[]) {
  const sum = (each: (row: ReturnType<typeof holdingRow>) => number) => rows.reduce((total, row) => total + each(row), 0);
  const invested = sum((row) => row.averageprice * row.quantity);
  const profit = sum((row) => row.profitandloss);
  return {
    totalholdingvalue: Math.round(sum((row) => row.ltp * row.quantity)),
    totalinvvalue: Math.round(invested),
    totalprofitandloss: Math.round(profit * 100) / 100,
    totalpnlpercentage: invested === 0 ? 0 : Math.round((profit / invested) * 10_000) / 100,
  };
}

/** A position, all texts: today's legs, the carried ones (`cf`) and both together (`total`). Negative money has a space after its sign. */
export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const { net, buyQuantity, buyValue, sellQuantity, sellValue, multiplier } = position;
  const money = (value: Big) => (value.lt(0) ? `- ${value.abs().toFixed(2)}` : value.toFixed(2));
  const each = (value: Big.Big | string, quantity: number) => (quantity === 0 ? '0.00' : new Big(value).div(quantity).toFixed(4));
  const cfBuy = new Big(buyValue).minus(position.dayBuyValue);
  const cfSell = new Big(sellValue).minus(position.daySellValue);
  const cfBuyQuantity = buyQuantity - position.dayBuyQuantity;
  const cfSellQuantity = sellQuantity - position.daySellQuantity;
  const netValue = new Big(sellValue).minus(buyValue);
  const pnl = netValue.plus(new Big(quote.last).times(net)).times(multiplier);
  const average = net === 0 ? '0.00' : each(netValue.abs(), Math.abs(net));
  const { lotsize, ...about } = contract(instrument, (value) => value);
  return {
    exchange: position.exchange,
    symboltoken: String(instrument.exchangeToken),
    producttype: position.product,
    tradingsymbol: tradingSymbol(instrument),
    symbolname: instrument.underlying,
    ...about,
    priceden: '1',
    pricenum: '1',
    genden: '1',
    gennum: '1',
    precision: '2',
    multiplier: multiplierWord(multiplier),
    boardlotsize: lotsize,
    buyqty: String(position.dayBuyQuantity),
    sellqty: String(position.daySellQuantity),
    buyamount: money(new Big(position.dayBuyValue)),
    sellamount: money(new Big(position.daySellValue)),
    symbolgroup: instrument.expiry === null ? 'EQ' : 'XX',
    lotsize,
    cfbuyqty: String(cfBuyQuantity),
    cfsellqty: String(cfSellQuantity),
    cfbuyamount: money(cfBuy),
    cfsellamount: money(cfSell),
    buyavgprice: each(position.dayBuyValue, position.dayBuyQuantity),
    sellavgprice: each(position.daySellValue, position.daySellQuantity),
    avgnetprice: average,
    netvalue: money(netValue),
    netqty: String(net),
    totalbuyvalue: money(new Big(buyValue)),
    totalsellvalue: money(new Big(sellValue)),
    cfbuyavgprice: each(cfBuy, cfBuyQuantity),
    cfsellavgprice: each(cfSell, cfSellQuantity),
    totalbuyavgprice: each(buyValue, buyQuantity),
    totalsellavgprice: each(sellValue, sellQuantity),
    netprice: average,
    ltp: quote.last,
    pnl: pnl.toFixed(2),
  };
}

/** One line of the instrument master, all texts: strike and tick in paise, a currency's strike in ten-millionths. */
export function masterRow(instrument: Instrument) {
  const { exchange, expiry, strike, lotSize, tick, underlying } = instrument;
  return {
    token: String(instrument.exchangeToken),
    symbol: tradingSymbol(instrument),
    name: underlying,
    expiry: expiry === null ? '' : `${dateWord(expiry).slice(0, 5)}${expiry.slice(0, 4)}`,
    strike: strike === null ? '-1.000000' : new Big(strike).times(exchange === 'CDS' ? 10_000_000 : 100).toFixed(6),
    lotsize: String(lotSize),
    instrumenttype: contract(instrument, (value) => value).instrumenttype,
    exch_seg: exchange,
    tick_size: new Big(tick).times(100).toFixed(6),
  };
}

export function ltpRow(instrument: Instrument, quote: Quote) {
  const { open, high, low, close, last } = quote;
  const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close), ltp: Number(last) };
  return {
    exchange: instrument.exchange,
    tradingsymbol: tradingSymbol(instrument),
    symboltoken: String(instrument.exchangeToken),
    ...prices,
  };
}
