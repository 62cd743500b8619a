import { Big } from '../money.ts';
import { type AccountBook, seenHolder, seenOrders, seenTrades } from './book.ts';
import { instrumentNamed } from './instruments.ts';
import { type Funds, fundsOf } from './margin.ts';
import { assess, cancelOrder, type Engine, modifyOrder, placeOrder } from './orders.ts';
import { type Position, unrealisedOf } from './positions.ts';
import type { Prices } from './prices.ts';
import { type Change, type Effects, type Instrument, type NewOrder, type Placed, PlaceRequest, type Refusal } from './types.ts';
import {
  type HoldingView,
  holdingView,
  type OrderView,
  orderView,
  type PositionView,
  positionView,
  type TradeView,
  tradeView,
} from './views.ts';

/** One account as an emulator sees it during one call: effects of planted faults are in it already. */
export interface Account {
  place(order: NewOrder): Placed;
  modify(orderId: string, change: Change): Placed;
  cancel(orderId: string): Placed;
  /** The day's orders, oldest first. */
  orders(): OrderView[];
  order(orderId: string): OrderView | undefined;
  trades(): TradeView[];
  positions(): PositionView[];
  holdings(): HoldingView[];
  funds(): Funds;
  /** Margin an order would bind, rupees, and what would stand against it; null for an unknown instrument. */
  marginFor(order: NewOrder): { required: string; objection: Refusal | null } | null;
}

interface Parts {
  engine: Engine;
  prices: Prices;
  /** The account's book, its orders brought up to now. */
  book(): AccountBook;
  effects: Effects;
}

export function openAccount({ engine, prices, book, effects }: Parts): Account {
  const now = () => engine.now();
  const quoteOf = (instrument: Instrument) => prices.quote(instrument, now());
  const holder = () => seenHolder(book(), now(), effects);
  return {
    place: (order) => placeOrder(engine, book(), PlaceRequest.parse(order), effects, false),
    modify: (orderId, change) => modifyOrder(engine, book(), orderId, change),
    cancel: (orderId) => cancelOrder(engine, book(), orderId),
    orders: () => seenOrders(book(), now()).map(orderView),
    order(orderId) {
      const found = seenOrders(book(), now()).find((order) => order.orderId === orderId);
      return found && orderView(found);
    },
    trades() {
      const { orders } = book();
      return seenTrades(book(), now()).flatMap((trade) => {
        const order = orders.get(trade.orderId);
        return order ? [tradeView(trade, order)] : [];
      });
    },
    positions: () => Object.values(holder().positions).map((position) => positionView(position, quoteOf)),
    holdings: () => Object.values(holder().holdings).map((holding) => holdingView(holding, quoteOf)),
    funds() {
      const { holder: whole, live } = book();
      const tick = engine.tickAt(now());
      const lastOf = ({ exchange, symbol }: Position) => engine.touch(instrumentNamed(exchange, symbol), tick).last;
      const unrealised = Object.values(whole.positions).reduce((sum, each) => sum.plus(unrealisedOf(each, lastOf(each))), new Big(0));
      return fundsOf(whole, [...live.values()], unrealised.toFixed());
    },
    marginFor(order) {
      const assessed = assess(engine, book(), PlaceRequest.parse(order), null);
      return assessed && { required: assessed.required, objection: assessed.objection };
    },
  };
}
