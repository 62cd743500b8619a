import { Big } from '../../money.ts';
import type { Funds } from '../margin.ts';
import type { Quote } from '../types.ts';
import type { HoldingView, Leg, PositionView } from '../views.ts';
import { number, rounded } from '../wire/numbers.ts';
import { client, contract, identity } from './rows.ts';
import { productWord } from './words.ts';

/** DhanHQ v2 rows on the account, in the broker's own spelling. Prices in rupees, as JSON numbers. */

export function profileBody(tokenValidity: string) {
  const segments = { activeSegment: 'E, D, C, M, ', ddpi: 'Active', mtf: 'Active' };
  return { ...client, tokenValidity, ...segments, dataPlan: 'Active', dataValidity: '2099-12-31 23:59:59.0' };
}

export function fundLimit(funds: Funds) {
  const available = Number(funds.available);
  const nothing = { collateralAmount: 0, receiveableAmount: 0, blockedPayoutAmount: 0 };
  const used = { sodLimit: Number(funds.opening), utilizedAmount: Number(funds.used) };
  return { ...client, availabelBalance: available, ...used, ...nothing, withdrawableBalance: Math.max(0, available) };
}

/** Shares that may be sold on any exchange. */
export function holdingRow(holding: HoldingView) {
  const { instrument, quote } = holding;
  const { tradingSymbol, securityId } = identity(instrument);
  return {
    exchange: 'ALL',
    tradingSymbol,
    securityId,
    isin: instrument.isin,
    totalQty: holding.quantity,
    dpQty: holding.quantity,
    t1Qty: 0,
    availableQty: holding.free,
    collateralQty: 0,
    avgCostPrice: Number(holding.averagePrice),
    lastTradedPrice: Number(quote.last),
  };
}

/** `costPrice` is what was paid, also by a short position that bought some back. */
export function positionRow(position: PositionView) {
  const { instrument, net, day, carried, quote } = position;
  const { buy, sell } = position.total;
  return {
    ...client,
    ...identity(instrument),
    positionType: net === 0 ? 'CLOSED' : net > 0 ? 'LONG' : 'SHORT',
    productType: productWord[position.product],
    buyAvg: marked(carried.buy, day.buy, quote),
    buyQty: buy.quantity,
    costPrice: rounded(net < 0 && buy.quantity > 0 ? buy.average : position.open.average),
    sellAvg: marked(carried.sell, day.sell, quote),
    sellQty: sell.quantity,
    netQty: net,
    realizedProfit: Number(position.realised),
    unrealizedProfit: number(position.unrealised),
    rbiReferenceRate: 1,
    multiplier: position.multiplier,
    carryForwardBuyQty: carried.buy.quantity,
    carryForwardSellQty: carried.sell.quantity,
    carryForwardBuyValue: number(carried.buy.amount),
    carryForwardSellValue: number(carried.sell.amount),
    dayBuyQty: day.buy.quantity,
    daySellQty: day.sell.quantity,
    dayBuyValue: number(day.buy.amount),
    daySellValue: number(day.sell.amount),
    ...contract(instrument),
    crossCurrency: false,
  };
}

/** An average marked to market: what was carried over counts at yesterday's close. */
function marked(carried: Leg, day: Leg, { close }: Quote): number {
  const quantity = carried.quantity + day.quantity;
  return quantity === 0 ? 0 : rounded(new Big(close).times(carried.quantity).plus(day.value).div(quantity));
}
