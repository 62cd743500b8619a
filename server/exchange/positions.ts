import { tradingDay } from '../clock.ts';
import { Big } from '../money.ts';
import { isRetired, rememberedInstrument } from './instruments.ts';
import type { ExchangeOrder, Trade } from './types.ts';

/** One (exchange, symbol, product) of one account. Quantities in the engine's unit, values quantity x price without the multiplier, rupees as text. */
export interface Position {
  exchange: Trade['exchange'];
  symbol: string;
  product: Trade['product'];
  multiplier: number;
  net: number;
  /** Net carried into today. */
  overnight: number;
  /** Carried and today's together. */
  buyQuantity: number;
  buyValue: string;
  sellQuantity: number;
  sellValue: string;
  dayBuyQuantity: number;
  dayBuyValue: string;
  daySellQuantity: number;
  daySellValue: string;
  /** What the open net cost, always positive. */
  openValue: string;
  /** Profit realised today, first in first out, multiplier included. */
  realised: string;
  lots: { quantity: number; price: string }[];
}

export interface Holding {
  exchange: Trade['exchange'];
  symbol: string;
  quantity: number;
  /** Sold today out of it. */
  used: number;
  averagePrice: string;
}

/** An account as its trades make it: a fold that can be run again over a part of them. */
export interface Holder {
  day: string;
  /** Opening cash of the day, rupees. */
  cash: string;
  positions: Record<string, Position>;
  holdings: Record<string, Holding>;
}

const OPENING_CASH = '1000000';

/** What every practice account owns from the start: exchange, symbol, quantity, average price. */
const seededHoldings = [
  ['NSE', 'SBIN', 50, '781.4'],
  ['NSE', 'INFY', 20, '1482.5'],
  ['NSE', 'TATASTEEL', 100, '142.36'],
] as const;

/** A new account on a day (YYYY-MM-DD, IST). */
export function newHolder(day: string): Holder {
  const holdings = seededHoldings.map(([exchange, symbol, quantity, averagePrice]): [string, Holding] => [
    `${exchange}:${symbol}`,
    { exchange, symbol, quantity, used: 0, averagePrice },
  ]);
  return { day, cash: OPENING_CASH, positions: {}, holdings: Object.fromEntries(holdings) };
}

/** Books one trade; a trade of a later day first closes the books of the day before. */
export function applyTrade(holder: Holder, trade: Trade): void {
  rollTo(holder, tradingDay(trade.at));
  const key = positionKey(trade);
  const position = holder.positions[key] ?? newPosition(trade);
  holder.positions[key] = position;
  const value = new Big(trade.price).times(trade.quantity);
  for (const total of trade.side === 'BUY' ? (['buy', 'dayBuy'] as const) : (['sell', 'daySell'] as const)) {
    position[`${total}Quantity`] += trade.quantity;
    position[`${total}Value`] = value.plus(position[`${total}Value`]).toFixed();
  }
  match(position, trade);
  const holding = trade.product === 'DELIVERY' ? holder.holdings[`${trade.exchange}:${trade.symbol}`] : undefined;
  if (holding) holding.used = Math.min(holding.quantity, Math.max(0, -position.net));
}

/** Closes the books of past days: realised profit becomes cash, bought shares become holdings, open positions are carried, except in contracts that are gone: those end at what they cost. */
export function rollTo(holder: Holder, day: string): void {
  if (day <= holder.day) return;
  holder.day = day;
  for (const [key, position] of Object.entries(holder.positions)) {
    holder.cash = new Big(holder.cash).plus(position.realised).toFixed();
    if (position.product === 'DELIVERY') settle(holder, position);
    if (position.product === 'DELIVERY' || position.net === 0 || isRetired(position, day)) delete holder.positions[key];
    else holder.positions[key] = carried(position);
  }
}

/** Profit the open net would make at a price, rupees, multiplier included. */
export function unrealisedOf({ net, openValue, multiplier }: Position, last: string): Big {
  return new Big(last)
    .times(net)
    .minus(new Big(openValue).times(Math.sign(net)))
    .times(multiplier);
}

export function positionKey(of: Pick<ExchangeOrder, 'exchange' | 'symbol' | 'product'>): string {
  return `${of.exchange}:${of.symbol}:${of.product}`;
}

function newPosition(trade: Trade): Position {
  const { exchange, symbol, product } = trade;
  const multiplier = rememberedInstrument(exchange, symbol)?.multiplier ?? 1;
  const today = { dayBuyQuantity: 0, dayBuyValue: '0', daySellQuantity: 0, daySellValue: '0' };
  const total = { buyQuantity: 0, buyValue: '0', sellQuantity: 0, sellValue: '0' };
  return { exchange, symbol, product, multiplier, net: 0, overnight: 0, ...total, ...today, openValue: '0', realised: '0', lots: [] };
}

/** First in, first out: exact, because nothing is divided. */
function match(position: Position, trade: Trade): void {
  const sign = trade.side === 'BUY' ? 1 : -1;
  let left = trade.quantity;
  let realised = new Big(0);
  while (left > 0 && position.net * sign < 0) {
    const [lot] = position.lots;
    if (!lot) break;
    const taken = Math.min(left, lot.quantity);
    realised = realised.plus(new Big(trade.price).minus(lot.price).times(taken).times(-sign));
    lot.quantity -= taken;
    if (lot.quantity === 0) position.lots.shift();
    position.net += sign * taken;
    left -= taken;
  }
  if (left > 0) {
    position.lots.push({ quantity: left, price: trade.price });
    position.net += sign * left;
  }
  position.realised = realised.times(position.multiplier).plus(position.realised).toFixed();
  position.openValue = position.lots.reduce((sum, lot) => sum.plus(new Big(lot.price).times(lot.quantity)), new Big(0)).toFixed();
}

function carried(position: Position): Position {
  const side = position.net > 0;
  return {
    ...position,
    overnight: position.net,
    buyQuantity: side ? position.net : 0,
    buyValue: side ? position.openValue : '0',
    sellQuantity: side ? 0 : -position.net,
    sellValue: side ? '0' : position.openValue,
    dayBuyQuantity: 0,
    dayBuyValue: '0',
    daySellQuantity: 0,
    daySellValue: '0',
    realised: '0',
  };
}

function settle(holder: Holder, position: Position): void {
  const key = `${position.exchange}:${position.symbol}`;
  const held = holder.holdings[key];
  const quantity = (held?.quantity ?? 0) + position.net;
  holder.cash = new Big(holder.cash).minus(new Big(position.openValue).times(Math.sign(position.net))).toFixed();
  if (quantity <= 0) {
    delete holder.holdings[key];
    return;
  }
  const cost = new Big(held?.averagePrice ?? 0).times(held?.quantity ?? 0).plus(position.net > 0 ? position.openValue : 0);
  const averagePrice = position.net > 0 ? cost.div(quantity).round(4, Big.roundHalfUp).toFixed() : (held?.averagePrice ?? '0');
  holder.holdings[key] = { exchange: position.exchange, symbol: position.symbol, quantity, used: 0, averagePrice };
}
