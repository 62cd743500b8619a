import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import type { OrderView, TradeView } from '../views.ts';
import type { Tick } from '../wire/stream.ts';
import { depthMessage, orderMessage, positionMessage, priceMessage } from './messages.ts';
import { venueOf } from './rows.ts';

/** What Groww's feed tells, and under which subjects. */

/** Where an instrument's prices are told, and its depth; null for what the feed does not carry. */
export function marketSubjects({ exchange, exchangeToken }: Instrument): { price: string; book: string } | null {
  const venue = venueOf[exchange];
  if (!venue || venue.segment === 'COMMODITY') return null;
  const place = `/ld/${venue.segment === 'CASH' ? 'eq' : 'fo'}/${venue.exchange.toLowerCase()}`;
  return { price: `${place}/price.${exchangeToken}`, book: `${place}/book.${exchangeToken}` };
}

/** Where the account is told of: its orders in shares and in contracts, its positions in contracts. */
export function accountSubjects(subscriptionId: string) {
  return {
    shares: `stocks/order/updates.apex.${subscriptionId}`,
    contracts: `stocks_fo/order/updates.apex.${subscriptionId}`,
    positions: `stocks_fo/position/updates.apex.${subscriptionId}`,
  };
}

/** The messages of a piece of news; `deliver` makes one for each subscription to a subject. */
export function newsOf(exchange: Exchange, deliver: (subject: string, payload: Buffer) => Buffer[]) {
  const now = () => exchange.clock.now();

  function ofMarket(tick: Tick): Buffer[] {
    const subjects = marketSubjects(tick.instrument);
    return subjects ? [...deliver(subjects.price, priceMessage(tick, now())), ...deliver(subjects.book, depthMessage(tick, now()))] : [];
  }

  function ofAccount(subscriptionId: string, order: OrderView, trade: TradeView | undefined): Buffer[] {
    const subjects = accountSubjects(subscriptionId);
    if (venueOf[order.exchange]?.segment !== 'FNO') return deliver(subjects.shares, orderMessage(order));
    const isOf = (row: Pick<TradeView, 'symbol' | 'product'>) => row.symbol === trade?.symbol && row.product === trade.product;
    const moved = trade ? exchange.account('groww').positions().filter(isOf) : [];
    const positions = moved.flatMap((row) => deliver(subjects.positions, positionMessage(row, now())));
    return [...deliver(subjects.contracts, orderMessage(order)), ...positions];
  }

  return { ofMarket, ofAccount };
}
