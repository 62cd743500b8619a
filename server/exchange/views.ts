import { Big } from '../money.ts';
import { instrumentNamed } from './instruments.ts';
import { averageOf } from './matching.ts';
import { type Holding, type Position, unrealisedOf } from './positions.ts';
import { type ExchangeOrder, type Instrument, isFinal, type Quote, remaining, type Trade } from './types.ts';

/** What the emulators read, joined and computed once: they only spell it. Quantities in the engine's unit, money in rupees, nothing rounded but where it says so. */

export interface OrderView extends ExchangeOrder {
  instrument: Instrument;
  /** Average fill price as decimal text, 4 places; 0 when nothing filled. */
  average: string;
  unfilled: number;
  /** The unfilled part of an order that may still fill, else 0. */
  pending: number;
  /** The unfilled part of a cancelled or expired order, else 0. */
  cancelled: number;
  /** True of every second order: what a broker is known to do in two ways, its emulator does in turn. */
  odd: boolean;
}

export interface TradeView extends Trade {
  order: OrderView;
  instrument: Instrument;
  /** Quantity x price. */
  value: Big;
  /** The same with the contract's multiplier. */
  amount: Big;
}

/** What was bought, or what was sold. */
export interface Leg {
  quantity: number;
  /** Quantity x price. */
  value: Big;
  /** The same with the contract's multiplier. */
  amount: Big;
  /** Value of one, 0 of nothing. */
  average: Big;
}

/** What was bought and what was sold of a position: in all, today, or what was carried into today. */
export interface Sides {
  buy: Leg;
  sell: Leg;
  /** Bought less sold. */
  net: number;
  /** What one of the net has cost, earlier profit counted in; 0 when the net is. */
  netCost: Big;
  /** Sold less bought, with the multiplier. */
  flow: Big;
  /** The flow and what the net is worth now. */
  profit: Big;
}

export interface PositionView extends Position {
  instrument: Instrument;
  quote: Quote;
  total: Sides;
  day: Sides;
  carried: Sides;
  /** The open net, first in first out; its quantity is never negative. */
  open: Leg;
  unrealised: Big;
  /** Realised today and unrealised. */
  profit: Big;
}

export interface HoldingView extends Holding {
  instrument: Instrument;
  quote: Quote;
  /** What is not sold today. */
  free: number;
  cost: Big;
  worth: Big;
  /** Profit of one share. */
  gain: Big;
  profit: Big;
}

/** A state of an order never changes, and most are read again and again. */
const orderViews = new WeakMap<ExchangeOrder, OrderView>();

export function orderView(order: ExchangeOrder): OrderView {
  const view = orderViews.get(order) ?? viewed(order, averageOf(order));
  orderViews.set(order, view);
  return view;
}

/** The states the order went through, oldest first: the order as it stood in each, `updatedAt` being when it came to it. */
export function orderLines(order: OrderView): OrderView[] {
  return order.history.map(({ at, average, ...line }) => {
    const refusal = line.state === 'REJECTED' ? order.refusal : null;
    return viewed({ ...order, ...line, refusal, updatedAt: at }, average);
  });
}

function viewed(order: ExchangeOrder, average: string): OrderView {
  const unfilled = remaining(order);
  const pending = isFinal(order) ? 0 : unfilled;
  const cancelled = order.state === 'CANCELLED' || order.state === 'EXPIRED' ? unfilled : 0;
  const odd = BigInt(order.serial) % 2n === 1n;
  return { ...order, instrument: instrumentNamed(order.exchange, order.symbol), average, unfilled, pending, cancelled, odd };
}

export function tradeView(trade: Trade, order: ExchangeOrder): TradeView {
  const view = orderView(order);
  const value = new Big(trade.price).times(trade.quantity);
  return { ...trade, order: view, instrument: view.instrument, value, amount: value.times(view.instrument.multiplier) };
}

export function positionView(position: Position, quoteOf: (instrument: Instrument) => Quote): PositionView {
  const { net, multiplier, buyQuantity, buyValue, sellQuantity, sellValue } = position;
  const { dayBuyQuantity, dayBuyValue, daySellQuantity, daySellValue } = position;
  const instrument = instrumentNamed(position.exchange, position.symbol);
  const quote = quoteOf(instrument);
  const leg = (quantity: number, value: Big | string) => legOf(quantity, new Big(value), multiplier);
  const sides = (buy: Leg, sell: Leg) => sidesOf(buy, sell, quote, multiplier);
  const carriedBuy = leg(buyQuantity - dayBuyQuantity, new Big(buyValue).minus(dayBuyValue));
  const carriedSell = leg(sellQuantity - daySellQuantity, new Big(sellValue).minus(daySellValue));
  const unrealised = unrealisedOf(position, quote.last);
  return {
    ...position,
    instrument,
    quote,
    total: sides(leg(buyQuantity, buyValue), leg(sellQuantity, sellValue)),
    day: sides(leg(dayBuyQuantity, dayBuyValue), leg(daySellQuantity, daySellValue)),
    carried: sides(carriedBuy, carriedSell),
    open: leg(Math.abs(net), position.openValue),
    unrealised,
    profit: unrealised.plus(position.realised),
  };
}

function legOf(quantity: number, value: Big, multiplier: number): Leg {
  return { quantity, value, amount: value.times(multiplier), average: each(value, quantity) };
}

function sidesOf(buy: Leg, sell: Leg, { last }: Quote, multiplier: number): Sides {
  const net = buy.quantity - sell.quantity;
  const flow = sell.value.minus(buy.value).times(multiplier);
  const profit = flow.plus(new Big(last).times(net).times(multiplier));
  return { buy, sell, net, netCost: each(buy.value.minus(sell.value), net), flow, profit };
}

function each(value: Big, quantity: number): Big {
  return quantity === 0 ? new Big(0) : value.div(quantity);
}

export function holdingView(holding: Holding, quoteOf: (instrument: Instrument) => Quote): HoldingView {
  const { quantity, used, averagePrice } = holding;
  const instrument = instrumentNamed(holding.exchange, holding.symbol);
  const quote = quoteOf(instrument);
  const gain = new Big(quote.last).minus(averagePrice);
  const cost = new Big(averagePrice).times(quantity);
  const worth = new Big(quote.last).times(quantity);
  return { ...holding, instrument, quote, free: quantity - used, cost, worth, gain, profit: gain.times(quantity) };
}

/** How far a price moved since yesterday's close: rupees and percent. */
export function dayChange({ last, close }: Quote): { amount: Big; percent: Big } {
  const amount = new Big(last).minus(close);
  return { amount, percent: amount.div(close).times(100) };
}

/** One price of the market's depth. */
export interface Level {
  price: Big;
  lots: number;
  orders: number;
}

/** So many prices a side, best first, a tick apart: the practice exchange has no others' orders to show. Nobody bids 0 or less: such a level is empty. */
export function depthOf({ tick }: Instrument, { bid, ask }: Quote, levels = 5): { bids: Level[]; asks: Level[] } {
  const side = (best: string, sign: number) =>
    Array.from({ length: levels }, (_, level) => {
      const price = new Big(tick).times(level * sign).plus(best);
      return price.gt(0) && new Big(best).gt(0)
        ? { price, lots: 100 * (level + 1), orders: level + 1 }
        : { price: new Big(0), lots: 0, orders: 0 };
    });
  return { bids: side(bid, -1), asks: side(ask, 1) };
}

/** Units on one side of the depth. */
export function unitsIn({ lotSize }: Instrument, side: readonly Level[]): number {
  return side.reduce((total, { lots }) => total + lots * lotSize, 0);
}
