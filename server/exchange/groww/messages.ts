import type { Instrument } from '../types.ts';
import { depthOf, type Level, type OrderView, type PositionView } from '../views.ts';
import { inUnits, number, rounded } from '../wire/numbers.ts';
import { double, message, nested, text, whole } from '../wire/protobuf.ts';
import type { Tick } from '../wire/stream.ts';
import { sinceMidnight } from '../wire/times.ts';
import { remarkOf, statusOf, venueOf } from './rows.ts';
import { orderTypeWord, productWord } from './words.ts';

/** The payloads of Groww's feed. Prices are doubles in rupees in market data, whole paise in orders. */

const exchanges = ['BSE', 'NSE', 'MCX'];
const segments = ['CASH', 'FNO', 'CURRENCY', 'COMMODITY'];
const statuses = [
  'NEW',
  'ACKED',
  'TRIGGER_PENDING',
  'APPROVED',
  'REJECTED',
  'FAILED',
  'EXECUTED',
  'DELIVERY_AWAITED',
  'CANCELLED',
  'CANCELLATION_REQUESTED',
  'MODIFICATION_REQUESTED',
  'COMPLETED',
];
const products = ['CNC', 'MIS', 'CO', 'BO', 'NRML'];
const orderTypes = ['MARKET', 'LIMIT', 'SL', 'SL_M'];
const sides = ['BUY', 'SELL'];
const DAY = 1;
const FUTURE = 1;
const OPTION = 2;
const paise = inUnits(100);

/** StocksSocketResponseProtoDto with a stockLivePrice. */
export function priceMessage({ instrument, quote }: Tick, now: number): Buffer {
  const live = message(
    double(1, now),
    double(2, Number(quote.open)),
    double(3, Number(quote.high)),
    double(4, Number(quote.low)),
    double(5, Number(quote.close)),
    double(6, quote.volume),
    double(8, instrument.lotSize * 100),
    double(9, instrument.lotSize * 100),
    double(11, Number(instrument.upperCircuit)),
    double(12, Number(instrument.lowerCircuit)),
    double(13, Number(quote.last)),
  );
  return message(...placeOf(instrument), nested(4, live));
}

/** What every message of the market begins with. */
function placeOf({ symbol, exchange }: Instrument): (Buffer | null)[] {
  const venue = venueOf[exchange];
  return [text(1, symbol), whole(2, segments.indexOf(venue?.segment ?? '')), whole(3, exchanges.indexOf(venue?.exchange ?? ''))];
}

/** StocksSocketResponseProtoDto with a stocksMarketDepth: five levels a side. */
export function depthMessage({ instrument, quote }: Tick, now: number): Buffer {
  const { bids, asks } = depthOf(instrument, quote);
  const book = (field: number, levels: readonly Level[]) =>
    levels.map(({ price, lots }, index) => {
      const offer = message(double(1, number(price)), double(2, lots * instrument.lotSize));
      return nested(field, message(whole(1, index + 1), nested(2, offer)));
    });
  return message(...placeOf(instrument), nested(5, message(double(1, now), ...book(2, bids), ...book(3, asks))));
}

/** PositionDetailProto of a contract: what was bought of it today, and what was sold. */
export function positionMessage({ instrument, product, day }: PositionView, now: number): Buffer {
  const { exchange, symbol, underlying, kind, lotSize, freezeQuantity } = instrument;
  const sums = [double(1, day.buy.quantity), double(2, rounded(day.buy.average)), double(3, day.sell.quantity)];
  const symbolData = message(
    whole(1, now),
    text(2, symbol),
    whole(3, products.indexOf(productWord[product])),
    text(4, symbol),
    whole(5, kind === 'FUT' ? FUTURE : OPTION),
    text(6, symbol),
    text(7, underlying),
    whole(8, lotSize),
    whole(11, freezeQuantity ?? 0),
    whole(12, exchanges.indexOf(venueOf[exchange]?.exchange ?? '')),
  );
  return message(nested(1, symbolData), nested(2, nested(3, message(...sums, double(4, rounded(day.sell.average))))));
}

/** OrderDetailsBroadCastDto: the stage that was reached, and the order. */
export function orderMessage(order: OrderView): Buffer {
  const venue = venueOf[order.exchange];
  const told = statusOf(order);
  // OPEN is a word of the order list alone.
  const status = told === 'OPEN' ? 'APPROVED' : told;
  const detail = message(
    whole(1, order.quantity),
    whole(2, paise(order.price)),
    whole(3, paise(order.triggerPrice)),
    whole(4, order.filled),
    whole(5, order.unfilled),
    whole(6, paise(order.average)),
    text(7, order.orderId),
    text(8, order.exchangeOrderId ?? ''),
    whole(9, statuses.indexOf(status)),
    whole(10, DAY),
    whole(11, exchanges.indexOf(venue?.exchange ?? '')),
    whole(12, segments.indexOf(venue?.segment ?? '')),
    whole(13, products.indexOf(productWord[order.product])),
    whole(14, orderTypes.indexOf(orderTypeWord[order.orderType])),
    whole(15, sides.indexOf(order.side)),
    text(16, remarkOf(order)),
    text(22, order.symbol),
    text(23, order.tag ?? ''),
  );
  return message(nested(1, message(double(1, sinceMidnight(order.updatedAt)), text(2, status))), nested(2, detail));
}
