import { istText, nextIstHour } from '../../clock.ts';
import { Big } from '../../money.ts';
import { averageOf } from '../matching.ts';
import type { Holding, Position } from '../positions.ts';
import type { Funds } from '../rules.ts';
import { type ExchangeOrder, type Instrument, type OrderState, type Quote, remaining, type Trade } from '../types.ts';
import { clientCode, dateText, letters, marketRefused, refusalText, scripData, scripName } from './words.ts';

/** 5paisa's rows: field names, types, words and times as the broker sends them. Prices in rupees, as JSON numbers. */

const stateWords: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'Xmitted',
  VALIDATION: 'Xmitted',
  OPEN_PENDING: 'Xmitted',
  AMO_RECEIVED: 'AH Placed',
  OPEN: 'Pending',
  TRIGGER_PENDING: 'Pending',
  MODIFY_VALIDATION: 'Xmitted',
  MODIFY_PENDING: 'Xmitted',
  MODIFIED: 'Modified',
  CANCEL_PENDING: 'Pending',
  FILLED: 'Fully Executed',
  REJECTED: 'Rejected By 5P',
  CANCELLED: 'Cancelled',
  EXPIRED: 'Cancelled',
};

const number = (value: Big | string) => Number(new Big(value).round(4).toFixed());

function identity(instrument: Instrument) {
  const [Exch, ExchType] = letters[instrument.exchange];
  return { Exch, ExchType, ScripCode: instrument.exchangeToken };
}

export function statusWord(order: ExchangeOrder): string {
  if (order.refusal?.code === 'WITHDRAWN') return 'Rejected by Exch';
  if (order.state === 'CANCELLED' && order.variety === 'AMO' && order.exchangeOrderId === null) return 'AH Cancelled';
  return stateWords[order.state];
}

function isAtMarket(order: ExchangeOrder): boolean {
  return order.askedType === 'MARKET' || order.askedType === 'SL-M';
}

export function reasonOf(order: ExchangeOrder): string {
  if (!order.refusal) return '';
  return order.refusal.code === 'RISK' && isAtMarket(order) ? marketRefused : refusalText(order.refusal);
}

export function orderRow(order: ExchangeOrder, instrument: Instrument) {
  const afterHours = order.variety === 'AMO';
  const stop = Number(order.triggerPrice) > 0;
  return {
    AHProcess: 'N',
    AfterHours: afterHours ? 'Y' : 'N',
    AtMarket: isAtMarket(order) ? 'Y' : 'N',
    AveragePrice: Number(averageOf(order)),
    BrokerOrderId: Number(order.orderId),
    BrokerOrderTime: dateText(order.receivedAt),
    BuySell: order.side === 'BUY' ? 'B' : 'S',
    DelvIntra: order.product === 'INTRADAY' ? 'I' : 'D',
    DisClosedQty: Number(order.details.disclosed ?? 0),
    ...identity(instrument),
    ExchOrderID: order.exchangeOrderId ?? '0',
    ExchOrderTime: dateText(order.updatedAt),
    MarketLot: instrument.lotSize,
    OldorderQty: 0,
    OrderRequesterCode: clientCode,
    OrderStatus: statusWord(order),
    OrderValidUpto: dayText(order.receivedAt),
    OrderValidity: order.validity === 'IOC' ? 3 : 0,
    PendingQty: order.state === 'REJECTED' ? 0 : remaining(order),
    Qty: order.quantity,
    Rate: Number(order.price),
    Reason: reasonOf(order),
    RemoteOrderID: order.tag ?? '',
    RequestType: order.modifications > 0 ? 'M' : 'P',
    SLTriggerRate: Number(order.triggerPrice),
    SLTriggered: stop && (order.state === 'OPEN' || order.filled > 0) ? 'Y' : 'N',
    SMOProfitRate: 0,
    SMOSLLimitRate: 0,
    SMOSLTriggerRate: 0,
    SMOTrailingSL: 0,
    ScripName: scripName(instrument),
    TerminalId: 46188,
    TradedQty: order.filled,
    WithSL: stop ? 'Y' : 'N',
  };
}

/** `07 Feb 2024` */
function dayText(at: number): string {
  const [year, month, day] = istText(at).slice(0, 10).split('-');
  return `${day} ${['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][Number(month) - 1]} ${year}`;
}

/** A row of the look-up by tag: it names neither tag nor side, its ids are numbers, and before a fill the average is the order's own price. */
export function statusRow(order: ExchangeOrder, instrument: Instrument) {
  return {
    AveragePrice: Number(order.filled > 0 ? averageOf(order) : order.price),
    ...identity(instrument),
    ExchOrderID: Number(order.exchangeOrderId ?? 0),
    ExchOrderTime: dateText(order.updatedAt),
    OrderQty: order.quantity,
    OrderRate: Number(order.price),
    PendingQty: order.state === 'REJECTED' ? 0 : remaining(order),
    Status: statusWord(order),
    Symbol: scripName(instrument),
    TradedQty: order.filled,
  };
}

export function tradeRow(trade: Trade, order: ExchangeOrder | undefined, instrument: Instrument) {
  return {
    BuySell: trade.side === 'BUY' ? 'B' : 'S',
    DelvIntra: trade.product === 'INTRADAY' ? 'I' : 'D',
    ...identity(instrument),
    ExchOrderID: order?.exchangeOrderId ?? '',
    ExchangeTradeID: trade.tradeId,
    ExchangeTradeTime: dateText(trade.at),
    Multiplier: instrument.multiplier,
    OrgQty: order?.quantity ?? trade.quantity,
    PendingQty: order ? remaining(order) : 0,
    Qty: trade.quantity,
    Rate: Number(trade.price),
    ScripName: scripName(instrument),
    TradeType: 'ON',
  };
}

export function holdingRow(holding: Holding, instrument: Instrument, quote: Quote) {
  const code = { NseCode: 0, BseCode: 0, [instrument.exchange === 'BSE' ? 'BseCode' : 'NseCode']: instrument.exchangeToken };
  const [Exch, ExchType] = letters[instrument.exchange];
  return {
    AvgRate: Number(holding.averagePrice),
    ...code,
    CurrentPrice: Number(quote.last),
    DPQty: holding.quantity,
    Exch,
    ExchType,
    FullName: instrument.name,
    POASigned: 'Y',
    PoolQty: 0,
    Quantity: holding.quantity - holding.used,
    ScripMultiplier: 1,
    Symbol: scripName(instrument),
  };
}

export function positionRow(position: Position, instrument: Instrument, quote: Quote) {
  const { net, overnight, multiplier, dayBuyQuantity, dayBuyValue, daySellQuantity, daySellValue } = position;
  const each = (value: Big | string, count: number) => (count === 0 ? 0 : number(new Big(value).div(count)));
  const carried = new Big(position.buyValue).minus(dayBuyValue).minus(position.sellValue).plus(daySellValue);
  const open = new Big(quote.last).times(net).minus(new Big(position.openValue).times(Math.sign(net)));
  return {
    BODPositionPrice: each(carried, overnight),
    BodQty: overnight,
    BookedPL: Number(position.realised),
    BuyAvgRate: each(dayBuyValue, dayBuyQuantity),
    BuyQty: dayBuyQuantity,
    BuyValue: number(dayBuyValue),
    ...identity(instrument),
    LTP: Number(quote.last),
    MTOM: number(open.times(multiplier)),
    Multiplier: multiplier,
    NetQty: net,
    OrderFor: position.product === 'INTRADAY' ? 'I' : 'D',
    PreviousClose: Number(quote.close),
    ScripName: scripName(instrument),
    SellAvgRate: each(daySellValue, daySellQuantity),
    SellQty: daySellQuantity,
    SellValue: number(daySellValue),
  };
}

/** `FundsPayln` is the broker's own spelling. */
export function marginBody(funds: Funds, now: number) {
  const equity = {
    AdhocMargin: 0,
    CollateralValueAfterHairCut: 0,
    DPFreeStockValue: 0,
    DerivativeMargin: 0,
    FundsPayln: 0,
    FundsWithdrawal: 0,
    GrossHoldingValue: 0,
    GrossHoldingValueCoverPercentage: 0,
    HairCut: 0,
    Ledgerbalance: number(new Big(funds.opening).plus(funds.realised)),
    MFCollateralValueAfterHaircut: 0,
    MarginBlockedForPendingOrders: 0,
    MarginBlockedforOpenPostion_Cash: number(funds.used),
    MarginBlockedforOpenPostion_Collateral: 0,
    MarginBlockedforPendingOrder_Cash: 0,
    MarginBlockedforPendingOrder_Collateral: 0,
    MarginUtilized: number(funds.used),
    NetAvailableMargin: number(funds.available),
    OptionsPremium: 0,
    TodaysLoss: 0,
    TotalCollateralValue: 0,
    Unsettled_Credits: 0,
  };
  const mutual = { MFCollateralValue: 0, MFFreeStockValue: 0, MFHaircutValue: 0 };
  return { ClientCode: clientCode, EquityMargin: [equity], MFMargin: [mutual], Message: '', TimeStamp: dateText(now) };
}

export function snapshotRow(instrument: Instrument, quote: Quote, now: number) {
  const [Exchange, ExchangeType] = letters[instrument.exchange];
  return {
    Exchange,
    ExchangeType,
    ScripCode: instrument.exchangeToken,
    LastTradedPrice: Number(quote.last),
    LastTradeTime: dateText(now),
    Open: Number(quote.open),
    High: Number(quote.high),
    Low: Number(quote.low),
    PClose: Number(quote.close),
    NetChange: number(new Big(quote.last).minus(quote.close)),
    OpenInterest: 0,
    PrevOpenInterest: 0,
    Volume: quote.volume,
    UpperCircuitLimit: Number(instrument.upperCircuit),
    LowerCircuitLimit: Number(instrument.lowerCircuit),
  };
}

const csvHeader =
  'Exch,ExchType,ScripCode,Name,Expiry,ScripType,StrikeRate,FullName,TickSize,LotSize,QtyLimit,Multiplier,SymbolRoot,BOCOAllowed,ISIN,ScripData,Series';

/** The scrip master; tick sizes in rupees. */
export function scripMaster(instruments: readonly Instrument[]): string {
  const lines = instruments.map((one) => {
    const type = one.kind === 'FUT' ? 'XX' : one.kind;
    const named = [...letters[one.exchange], one.exchangeToken, scripName(one), one.expiry ?? '', type, one.strike ?? 0, one.name];
    return [...named, one.tick, one.lotSize, 0, one.multiplier, one.underlying, 'N', one.isin ?? '', scripData(one), type].join(',');
  });
  return [csvHeader, ...lines, ''].join('\n');
}

/** The moment a token of this instant ends: 23:59 in India. */
export function tokenEnd(now: number): number {
  const minuteMs = 60_000;
  return nextIstHour(now + minuteMs, 0) - minuteMs;
}
