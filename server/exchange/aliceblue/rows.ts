import { istText } from '../../clock.ts';
import { Big } from '../../money.ts';
import { instruments } from '../instruments.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import type { ExchangeOrder, Instrument, OrderState, Quote, Trade } from '../types.ts';
import { clientId, refusalText } from './words.ts';

/** Alice Blue rows: field names, types and times (IST) as the broker sends them. Prices in rupees, as JSON numbers. */

const statusWord: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'PENDING',
  VALIDATION: 'PENDING',
  OPEN_PENDING: 'PENDING',
  AMO_RECEIVED: 'AMO REQ RECEIVED',
  OPEN: 'OPEN',
  TRIGGER_PENDING: 'TRIGGER_PENDING',
  MODIFY_VALIDATION: 'OPEN',
  MODIFY_PENDING: 'OPEN',
  MODIFIED: 'OPEN',
  CANCEL_PENDING: 'OPEN',
  FILLED: 'COMPLETE',
  REJECTED: 'REJECTED',
  CANCELLED: 'CANCELED',
  EXPIRED: 'Cancelled',
};

const typeWord = { MARKET: 'MARKET', LIMIT: 'LIMIT', SL: 'SL', 'SL-M': 'SLM' } as const;
const positionProduct = { INTRADAY: 'MIS', DELIVERY: 'CNC', CARRYFORWARD: 'NRML' } as const;
const monthNames = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

const byToken = new Map(instruments.map((instrument) => [`${instrument.exchange}|${instrument.exchangeToken}`, instrument]));

export function instrumentOf(exchange: string, token: string): Instrument | undefined {
  return byToken.get(`${exchange}|${token}`);
}

/** Trading symbol without the series: SBIN, NIFTY29DEC26F, NIFTY29DEC26C26000. */
export function plainName({ symbol, kind, expiry, underlying, strike }: Instrument): string {
  if (kind === 'EQ' || expiry === null) return symbol;
  const [year = '', month, day = ''] = expiry.split('-');
  const date = `${day}${monthNames[Number(month) - 1]}${year.slice(2)}`;
  return kind === 'FUT' ? `${underlying}${date}F` : `${underlying}${date}${kind.slice(0, 1)}${strike}`;
}

export function seriesName(instrument: Instrument): string {
  return instrument.exchange === 'NSE' ? `${instrument.symbol}-EQ` : plainName(instrument);
}

/** Units of the books in one quantity of a placement: commodities are placed in lots and shown in units. */
export function unitsOf({ exchange, multiplier }: Instrument): number {
  return exchange === 'MCX' ? multiplier : 1;
}

export const profile = {
  clientId,
  clientName: 'Practice Account',
  isTotpEnabled: 'Y',
  isPoaProvided: 'N',
  accountStatus: 'Activated',
  exchanges: ['BSE', 'BFO', 'BCD', 'CDS', 'MCX', 'NSE', 'NFO', 'NCOM'],
  products: ['LONGTERM', 'INTRADAY', 'MTF', 'CO', 'BO'],
  orderComplexity: ['REGULAR', 'AMO', 'BO', 'CO'],
};

export function funds(account: Funds) {
  return {
    tradingLimit: Number(account.available),
    openingCashLimit: Number(account.opening),
    intradayPayin: 0,
    collateralMargin: 0,
    creditForSell: 0,
    adhocMargin: 0,
    utilizedMargin: Number(account.used),
    blockedForPayout: 0,
    utilizedSpanMargin: 0,
    utilizedExposureMargin: 0,
  };
}

function productWord(product: ExchangeOrder['product']): string {
  return product === 'INTRADAY' ? 'INTRADAY' : 'LONGTERM';
}

/** One order, or with `line` one line of its history. */
export function orderRow(order: ExchangeOrder, instrument: Instrument, line?: ExchangeOrder['history'][number]) {
  const { state, quantity, filled, price, triggerPrice } = line ?? order;
  const units = unitsOf(instrument);
  const over = ['REJECTED', 'CANCELLED', 'EXPIRED'].includes(state);
  const left = (quantity - filled) * units;
  return {
    clientId,
    placedBy: clientId,
    brokerOrderId: order.orderId,
    exchange: order.exchange,
    exchangeOrderId: order.exchangeOrderId ?? '',
    formattedInstrumentName: seriesName(instrument),
    tradingSymbol: plainName(instrument),
    instrumentId: String(instrument.exchangeToken),
    transactionType: order.side,
    quantity: quantity * units,
    product: productWord(order.product),
    orderComplexity: order.variety === 'AMO' ? 'AMO' : 'REGULAR',
    orderType: typeWord[order.orderType],
    price: Number(price),
    averageTradedPrice: Number(line ? line.average : averageOf(order)),
    slTriggerPrice: Number(triggerPrice),
    validity: order.validity,
    disclosedQuantity: 0,
    orderTime: istText(order.receivedAt),
    exchangeUpdateTime: order.exchangeOrderId === null ? '' : istText(line?.at ?? order.updatedAt),
    rejectionReason: order.refusal && state === 'REJECTED' ? refusalText(order.refusal, order) : '',
    mainLegOrderId: '',
    cancelledQuantity: over && state !== 'REJECTED' ? left : 0,
    pendingQuantity: over ? 0 : left,
    filledQuantity: filled * units,
    appKey: '',
    algoId: order.details.algoId ?? '',
    source: order.byHand ? 'WEB' : 'API',
    orderTag: order.tag ?? '',
    trailingSlAmount: 0,
    brokerUpdateTime: istText(line?.at ?? order.updatedAt),
    marketProtectionPercent: '',
    exchangeTimestamp: '',
    orderStatus: statusWord[state],
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder, instrument: Instrument) {
  return {
    clientId,
    placedBy: clientId,
    brokerOrderId: trade.orderId,
    exchangeOrderId: order.exchangeOrderId,
    exchangeTradeId: trade.tradeId,
    formattedInstrumentName: plainName(instrument),
    tradingSymbol: seriesName(instrument),
    instrumentId: String(instrument.exchangeToken),
    exchange: trade.exchange,
    transactionType: trade.side,
    product: productWord(trade.product),
    orderComplexity: order.variety === 'AMO' ? 'AMO' : 'REGULAR',
    orderType: typeWord[order.orderType],
    validity: order.validity,
    tradedPrice: Number(trade.price),
    filledQuantity: trade.quantity * unitsOf(instrument),
    orderTime: istText(order.receivedAt),
    fillTimestamp: istText(trade.at),
    orderTag: order.tag ?? '--',
    algoId: order.details.algoId ?? '',
  };
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const both = (exchange: 'NSE' | 'BSE') => instruments.find((each) => each.exchange === exchange && each.symbol === instrument.symbol);
  const [nse, bse] = [both('NSE'), both('BSE')];
  return {
    isin: instrument.isin,
    nseInstrumentId: nse ? String(nse.exchangeToken) : '',
    bseInstrumentId: bse ? String(bse.exchangeToken) : '',
    nseTradingSymbol: nse ? seriesName(nse) : '',
    bseTradingSymbol: bse?.symbol ?? '',
    previousDayClose: Number(quote.close),
    product: 'DELIVERY',
    formattedInstrumentName: seriesName(instrument),
    averageTradedPrice: Number(holding.averagePrice),
    collateralQuantity: 0,
    authorizedQuantity: 0,
    dpQuantity: holding.quantity,
    totalQuantity: 0,
    t1Quantity: 0,
    ltp: Number(quote.last),
    sellableQty: holding.quantity - holding.used,
    investedPrice: Number(holding.averagePrice),
  };
}

export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const units = unitsOf(instrument);
  const each = (value: string, quantity: number) => (quantity === 0 ? 0 : Number(new Big(value).div(quantity).round(4).toFixed()));
  const worth = (value: string) => Number(new Big(value).times(position.multiplier).toFixed());
  const { net, overnight, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const carried = overnight > 0 ? each(buyValue, buyQuantity) : each(sellValue, sellQuantity);
  return {
    instrumentId: String(instrument.exchangeToken),
    tradingSymbol: seriesName(instrument),
    formattedInstrumentName: seriesName(instrument),
    exchange: position.exchange,
    product: positionProduct[position.product],
    netQuantity: net * units,
    netAveragePrice: each(position.openValue, Math.abs(net)),
    overnightQuantity: overnight * units,
    overnightPrice: overnight === 0 ? 0 : carried,
    buyQuantity: buyQuantity * units,
    sellQuantity: sellQuantity * units,
    daySellQuantity: position.daySellQuantity * units,
    dayBuyQuantity: position.dayBuyQuantity * units,
    dayBuyPrice: each(position.dayBuyValue, position.dayBuyQuantity),
    daySellPrice: each(position.daySellValue, position.daySellQuantity),
    multiplier: 1,
    lotsize: instrument.lotSize * units,
    ticksize: Number(instrument.tick),
    previousDayClose: Number(quote.close),
    realizedPnl: Number(position.realised),
    buyPrice: each(buyValue, buyQuantity),
    sellPrice: each(sellValue, sellQuantity),
    dayBuyValue: worth(position.dayBuyValue),
    daySellValue: worth(position.daySellValue),
    validity: '',
  };
}
