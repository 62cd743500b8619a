import { type ModelOrder, placeOf, type Question } from './model.ts';
import type { Answer, Side } from './table.ts';
import { products, type Venue } from './venue.ts';

/** An order whose turn has begun. */
export interface Asking {
  question: Question;
  begunAt: number;
  /** Nets by product that a read begun since showed; null while none has. */
  shown: ReadonlyMap<string, number> | null;
}

/** The truth at the moment of a verdict. */
export interface Truth {
  answer: Answer;
  now: number;
  venue: Venue;
  orders: readonly ModelOrder[];
  /** Shares held when the day began. */
  held: number;
  /** The instant that the newest holdings show; null where nobody knows how they fall. */
  holdingsSeenAt: number | null;
  /** Fills seen since may be missing in positions. */
  youngSince: number;
  fills: readonly { order: ModelOrder; at: number }[];
}

/** Which promise of the guard's the venue's truth belies; null when all hold. Only where no stranger trades and positions lag as the trait says. */
export function broken({ question, shown }: Asking, truth: Truth): string | null {
  const { answer } = truth;
  const { instrument, product, side, quantity, read, guardOn, reduceOnly } = question;
  if (product === 'DELIVERY' && side === 'SELL' && !holdingsAreCurrent(question, truth)) return null;
  const ours = truth.orders.filter((order) => order.instrument === instrument && order.side === side && order.stage !== 'over');
  const inProduct = ours.filter((order) => order.product === product);
  const unknown = (order: ModelOrder) => order.stage === 'unknown';
  const mayCome = left(inProduct.filter(unknown), truth);
  const room = -along(question, product, truth, false);
  // What rests and has filled unseen is not the table's first row's affair.
  if (!answer.blocked && answer.onlyReduces && quantity + mayCome > -along(question, product, truth, true))
    return `onlyReduces, but of ${room} in ${product} ${mayCome} may go to unknown orders`;
  if (answer.leavesWhenKilled && quantity + left(inProduct, truth) > room)
    return `it may leave under the kill switch, but ${room} are open`;
  if (!answer.blocked && reduceOnly && quantity + left(inProduct, truth) > room) return `reduce_only passes, but ${room} are open`;
  const sum = products.map((one) => along(question, one, truth, true)).reduce((a, b) => a + b);
  if (!answer.blocked && !answer.onlyReduces && read && guardOn && sum > 0)
    return `a second entry passes: the sum is ${sum} in its direction`;
  const pending = ours.some((order) => unknown(order) && order.quantity > order.seen);
  if (!answer.blocked && !answer.onlyReduces && pending && read && quantity + left(ours.filter(unknown), truth) > -sum)
    return `it passes beside an unknown order of its side, and both may open: the sum is ${sum}`;
  const counted = inProduct.filter(unknown).reduce((total, order) => total + order.quantity - order.seen, 0);
  const net = truth.venue.net(placeOf(question), truth.now);
  const isShown = product !== 'DELIVERY' && read && shown !== null && (shown.get(product) ?? 0) === net;
  const young = truth.fills.some(({ order, at }) => order.instrument === instrument && at > truth.youngSince);
  if (answer.blocked && !reduceOnly && isShown && !young && quantity + counted <= room)
    return `an exit is blocked, and ${room} are open as read`;
  return null;
}

function left(orders: readonly ModelOrder[], { venue }: Truth): number {
  return orders.reduce((sum, order) => sum + (venue.orders.get(order)?.left ?? 0), 0);
}

/** Net of a product at the venue, positive in the question's direction; `without` what resting orders of its side have filled unseen. */
function along(
  { instrument, product: asked, side }: Question,
  product: string,
  { venue, now, held, orders }: Truth,
  without: boolean,
): number {
  let net = venue.net(placeOf({ instrument, product }), now);
  const resting = orders.filter(
    (order) => order.instrument === instrument && order.product === product && order.side === side && order.stage === 'resting',
  );
  if (without) for (const order of resting) net -= toward(side, (venue.orders.get(order)?.now.filled ?? 0) - order.seen);
  if (product === 'DELIVERY') net = Math.max(0, asked === 'DELIVERY' && side === 'SELL' ? net + held : net);
  return toward(side, net);
}

function toward(side: Side, quantity: number): number {
  return side === 'BUY' ? quantity : -quantity;
}

function holdingsAreCurrent(question: Question, { holdingsSeenAt, venue, now }: Truth): boolean {
  if (holdingsSeenAt === null || holdingsSeenAt < 0) return false;
  const place = placeOf(question);
  for (const { order } of venue.orders.values())
    if (placeOf(order) === place && venue.net(place, now) !== venue.net(place, holdingsSeenAt)) return false;
  return true;
}
