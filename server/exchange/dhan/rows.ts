import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { credentials } from './login.ts';
import { productWord, refusalText, segmentOf, tradingSymbol, typeWord } from './words.ts';

/** DhanHQ v2 rows: field names, spelling and times (IST, no zone) as the broker sends them. Prices in rupees, as JSON numbers. */

const client = { dhanClientId: credentials.CLIENT_ID };
const never = '0001-01-01 00:00:00';

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'TRANSIT',
  VALIDATION: 'TRANSIT',
  OPEN_PENDING: 'TRANSIT',
  AMO_RECEIVED: 'PENDING',
  OPEN: 'PENDING',
  TRIGGER_PENDING: 'PENDING',
  MODIFY_VALIDATION: 'PENDING',
  MODIFY_PENDING: 'PENDING',
  MODIFIED: 'PENDING',
  CANCEL_PENDING: 'PENDING',
  FILLED: 'TRADED',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELLED',
  EXPIRED: 'EXPIRED',
};

export function statusOf(order: ExchangeOrder): string {
  const word = statusWord[order.state];
  return word === 'PENDING' && order.filled > 0 ? 'PART_TRADED' : word;
}

export function profile(tokenValidity: string) {
  const segments = { activeSegment: 'E, D, C, M, ', ddpi: 'Active', mtf: 'Active' };
  return { ...client, tokenValidity, ...segments, dataPlan: 'Active', dataValidity: '2099-12-31 23:59:59.0' };
}

export function fundLimit(funds: Funds) {
  const available = Number(funds.available);
  const nothing = { collateralAmount: 0, receiveableAmount: 0, blockedPayoutAmount: 0 };
  const used = { sodLimit: Number(funds.opening), utilizedAmount: Number(funds.used) };
  return { ...client, availabelBalance: available, ...used, ...nothing, withdrawableBalance: Math.max(0, available) };
}

function identity(instrument: Instrument) {
  return {
    exchangeSegment: segmentOf[instrument.exchange],
    tradingSymbol: tradingSymbol(instrument),
    securityId: String(instrument.exchangeToken),
  };
}

function contract({ kind, expiry, strike }: Instrument) {
  const drvOptionType = kind === 'CE' ? 'CALL' : kind === 'PE' ? 'PUT' : 'NA';
  return { drvExpiryDate: expiry ?? '0001-01-01', drvOptionType, drvStrikePrice: Number(strike ?? 0) };
}

/** The average of a part fill is not to be relied upon: it is shown and left at 0 in turn. */
function averageShown(order: ExchangeOrder): number {
  const stale = order.filled < order.quantity && BigInt(order.serial) % 2n === 1n;
  return stale ? 0 : Number(averageOf(order));
}

function tagShown(order: ExchangeOrder): string | null {
  if (order.byHand) return null;
  return order.tag ?? `${credentials.CLIENT_ID}-${order.receivedAt}`;
}

export function orderRow(order: ExchangeOrder, instrument: Instrument) {
  const reached = order.exchangeOrderId !== null;
  return {
    ...client,
    orderId: order.orderId,
    exchangeOrderId: order.exchangeOrderId ?? '0',
    correlationId: tagShown(order),
    orderStatus: statusOf(order),
    transactionType: order.side,
    ...identity(instrument),
    productType: productWord[order.product],
    orderType: typeWord[order.orderType],
    validity: order.validity,
    quantity: order.quantity,
    disclosedQuantity: Number(order.details.disclosedQuantity ?? 0),
    price: Number(order.price),
    triggerPrice: Number(order.triggerPrice),
    afterMarketOrder: order.variety === 'AMO',
    boProfitValue: 0,
    boStopLossValue: 0,
    legName: 'NA',
    createTime: istText(order.receivedAt),
    updateTime: istText(order.updatedAt),
    exchangeTime: reached ? istText(order.updatedAt) : never,
    ...contract(instrument),
    omsErrorCode: order.refusal ? '16387' : '0',
    omsErrorDescription: order.refusal ? refusalText(order.refusal, order.orderId) : 'CONFIRMED',
    algoId: null,
    remainingQuantity: remaining(order),
    averageTradedPrice: averageShown(order),
    filledQty: order.filled,
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder | undefined, instrument: Instrument) {
  return {
    ...client,
    orderId: trade.orderId,
    exchangeOrderId: order?.exchangeOrderId ?? '0',
    exchangeTradeId: trade.tradeId,
    transactionType: trade.side,
    ...identity(instrument),
    productType: productWord[trade.product],
    orderType: typeWord[order?.orderType ?? 'LIMIT'],
    customSymbol: instrument.name,
    tradedQuantity: trade.quantity,
    tradedPrice: Number(trade.price),
    createTime: istText(order?.receivedAt ?? trade.at),
    updateTime: istText(trade.at),
    exchangeTime: istText(trade.at),
    ...contract(instrument),
  };
}

/** Shares that may be sold on any exchange. */
export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const { tradingSymbol: symbol, securityId } = identity(instrument);
  return {
    exchange: 'ALL',
    tradingSymbol: symbol,
    securityId,
    isin: instrument.isin,
    totalQty: holding.quantity,
    dpQty: holding.quantity,
    t1Qty: 0,
    availableQty: holding.quantity - holding.used,
    collateralQty: 0,
    avgCostPrice: Number(holding.averagePrice),
    lastTradedPrice: Number(quote.last),
  };
}

export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const { net, overnight, multiplier, openValue, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const each = (value: string, count: number) => (count === 0 ? 0 : Number(new Big(value).div(count).round(4).toFixed()));
  const money = (value: Big | string) => Number(new Big(value).times(multiplier).toFixed());
  const open = new Big(quote.last).times(net).minus(new Big(openValue).times(Math.sign(net)));
  return {
    ...client,
    ...identity(instrument),
    positionType: net === 0 ? 'CLOSED' : net > 0 ? 'LONG' : 'SHORT',
    productType: productWord[position.product],
    buyAvg: each(buyValue, buyQuantity),
    buyQty: buyQuantity,
    costPrice: each(openValue, Math.abs(net)),
    sellAvg: each(sellValue, sellQuantity),
    sellQty: sellQuantity,
    netQty: net,
    realizedProfit: Number(position.realised),
    unrealizedProfit: money(open),
    rbiReferenceRate: 1,
    multiplier,
    carryForwardBuyQty: Math.max(0, overnight),
    carryForwardSellQty: Math.max(0, -overnight),
    carryForwardBuyValue: money(new Big(buyValue).minus(position.dayBuyValue)),
    carryForwardSellValue: money(new Big(sellValue).minus(position.daySellValue)),
    dayBuyQty: position.dayBuyQuantity,
    daySellQty: position.daySellQuantity,
    dayBuyValue: money(position.dayBuyValue),
    daySellValue: money(position.daySellValue),
    ...contract(instrument),
    crossCurrency: false,
  };
}

export function lastPriceRow(_: Instrument, quote: Quote) {
  return { last_price: Number(quote.last) };
}

export function ohlcRow(_: Instrument, quote: Quote) {
  const ohlc = { open: Number(quote.open), close: Number(quote.close), high: Number(quote.high), low: Number(quote.low) };
  return { last_price: Number(quote.last), ohlc };
}

export function quoteRow(instrument: Instrument, quote: Quote) {
  const depth = (price: string) => [{ quantity: instrument.lotSize * 100, orders: 1, price: Number(price) }];
  return {
    ...ohlcRow(instrument, quote),
    volume: quote.volume,
    net_change: Number(new Big(quote.last).minus(quote.close).toFixed()),
    lower_circuit_limit: Number(instrument.lowerCircuit),
    upper_circuit_limit: Number(instrument.upperCircuit),
    depth: { buy: depth(quote.bid), sell: depth(quote.ask) },
  };
}

const csvHeader =
  'EXCH_ID,SEGMENT,SECURITY_ID,ISIN,INSTRUMENT,UNDERLYING_SYMBOL,SYMBOL_NAME,DISPLAY_NAME,LOT_SIZE,SM_EXPIRY_DATE,STRIKE_PRICE,OPTION_TYPE,TICK_SIZE';
const masterPlace = { NSE: ['NSE', 'E'], BSE: ['BSE', 'E'], NFO: ['NSE', 'D'], MCX: ['MCX', 'M'], CDS: ['NSE', 'C'] } as const;

/** The instrument list of one segment; tick sizes in paise. */
export function instrumentCsv(instruments: readonly Instrument[]): string {
  const lines = instruments.map((one) => {
    const derivative = one.kind === 'FUT' ? 'FUT' : 'OPT';
    const facts = [one.kind === 'EQ' ? 'EQUITY' : derivative, one.underlying, tradingSymbol(one), `"${one.name}"`, one.lotSize];
    const terms = [one.expiry ?? '', one.strike ?? '', one.kind === 'CE' || one.kind === 'PE' ? one.kind : ''];
    const tick = new Big(one.tick).times(100).toFixed();
    return [...masterPlace[one.exchange], one.exchangeToken, one.isin ?? '', ...facts, ...terms, tick].join(',');
  });
  return `${csvHeader}\n${lines.join('\n')}\n`;
}
