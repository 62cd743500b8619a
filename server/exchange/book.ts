import { nextIstHour, tradingDay } from '../clock.ts';
import { applyTrade, type Holder, newHolder, rollTo } from './positions.ts';
import { type AccountTraits, type BrokerId, type Effects, type ExchangeOrder, isFinal, type Trade } from './types.ts';

/** The books of one broker's practice account. */
export interface AccountBook {
  broker: BrokerId;
  traits: AccountTraits;
  /** All orders since the ledger began, by order id. */
  orders: Map<string, ExchangeOrder>;
  /** Orders that are not final. */
  live: Map<string, ExchangeOrder>;
  trades: Trade[];
  /** The account as all its trades make it. */
  holder: Holder;
  dayStart: Holder;
  dayTrades: Trade[];
}

export function newBook(broker: BrokerId, traits: AccountTraits): AccountBook {
  const holder = newHolder('');
  return { broker, traits, orders: new Map(), live: new Map(), trades: [], holder, dayStart: structuredClone(holder), dayTrades: [] };
}

/** Turns the page when the Indian day of `now` (epoch ms) is a new one. */
export function turnDay(book: AccountBook, now: number): void {
  const day = tradingDay(now);
  if (day <= book.holder.day) return;
  rollTo(book.holder, day);
  book.dayStart = structuredClone(book.holder);
  book.dayTrades = [];
}

export function bookTrade(book: AccountBook, trade: Trade): void {
  turnDay(book, trade.at);
  book.trades.push(trade);
  book.dayTrades.push(trade);
  applyTrade(book.holder, trade);
}

/** The account as a read may show it: without trades of orders still hidden, or as it was `lagMs` ago. */
export function seenHolder(book: AccountBook, now: number, effects: Effects): Holder {
  const hidden = (trade: Trade) => trade.at > now - (effects.lagMs ?? 0) || (book.orders.get(trade.orderId)?.visibleAt ?? 0) > now;
  if (!book.dayTrades.some(hidden)) return book.holder;
  const seen = structuredClone(book.dayStart);
  for (const trade of book.dayTrades) if (!hidden(trade)) applyTrade(seen, trade);
  return seen;
}

/** The day's orders a read may show, oldest first; one that is still alive is always among them. */
export function seenOrders(book: AccountBook, now: number): ExchangeOrder[] {
  const dayBegan = nextIstHour(now, 0) - 86_400_000;
  return [...book.orders.values()].filter((order) => order.visibleAt <= now && (order.updatedAt >= dayBegan || !isFinal(order)));
}

export function seenTrades(book: AccountBook, now: number): Trade[] {
  return book.dayTrades.filter((trade) => (book.orders.get(trade.orderId)?.visibleAt ?? 0) <= now);
}
