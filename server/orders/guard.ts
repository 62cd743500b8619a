import type { Range } from './belief.ts';

/** What an order asks for, as the guard sees it. */
export interface Asked {
  symbol: string;
  exchange: string;
  product: string;
  side: string;
  quantity: number;
  /** It is to reduce the product's position alone: shares held from earlier days are not meant. */
  positionAlone?: boolean;
}

/** Where an instrument stands when an order in it is judged. Quantities in the broker's own unit; net quantities long positive. */
export interface Situation {
  /** Net of the order's own product; for a DELIVERY sell what is held counts. The better end holds what unknown orders of the other side may still fill. */
  own: Range;
  /** Net over all products. */
  sum: Range;
  /** Orders of ours on the order's side whose fate or fill is not known, at what they may still fill: in its own product, and in all. */
  unknown: { own: number; sum: number };
  /** Orders of ours on its side that rest, in its own product. */
  working: number;
  /** What orders placed elsewhere filled on its side, in its own product, since the positions were read: worked out when it is asked for. */
  elsewhere(): number;
  /** Positions were read in this order's turn; else `own` and `sum` are what our records say. */
  read: boolean;
  /** Words for one of the orders in `unknown`. */
  unresolved: string | null;
}

export type Verdict =
  /** `onlyReduces`: it closes or reduces its own product's position and can do nothing else. */
  | { kind: 'pass'; onlyReduces: boolean }
  /** `keep`: for how long the answer is stored; not at all where the reason may be gone in a moment. */
  | { kind: 'blocked'; onlyReduces?: never; message: string; keep: 'stored' | 'briefly' | 'not' };

/** By how much a net quantity lies opposite to a side, on its worse end; negative when it may lie in the side's own direction. */
function room(side: string, { low, high }: Range): number {
  return side === 'SELL' ? low : -high;
}

/** The same on its better end. */
function bestRoom(side: string, { low, high }: Range): number {
  return side === 'SELL' ? high : -low;
}

/** The first row of the guard's table: it passes, whatever else is under way. */
export function reduces({ side, quantity }: Asked, { own, unknown }: Situation): boolean {
  return quantity + unknown.own <= room(side, own);
}

/** Whatever rests and is not known yet may fill as well, and it still only reduces: `reduce_only`, and what the kill switch lets out. */
export function onlyReduces({ side, quantity }: Asked, { own, unknown, working, elsewhere }: Situation): boolean {
  return room(side, own) - quantity - unknown.own - working >= elsewhere();
}

/**
 * The one-symbol-one-position rule, row by row. With `guardOff` an open position on the order's own side does not block; orders whose
 * fate is not known still do.
 */
export function judge(asked: Asked, situation: Situation, options: { reduceOnly: boolean; guardOff: boolean }): Verdict {
  const { side, quantity } = asked;
  const { sum, unknown, read } = situation;
  if (options.reduceOnly && !onlyReduces(asked, situation)) return blocked(reduceOnlyMessage(asked, situation), 'not');
  if (reduces(asked, situation)) return { kind: 'pass', onlyReduces: true };
  const opposite = room(side, sum);
  if (!read && !options.guardOff) return blocked(unreadMessage(asked, situation), 'briefly');
  if (opposite < 0 && !options.guardOff) return blocked(positionMessage(asked, situation), bestRoom(side, sum) < 0 ? 'stored' : 'not');
  if (unknown.sum === 0 || quantity + unknown.sum <= opposite) return { kind: 'pass', onlyReduces: false };
  return blocked(unresolvedMessage(asked, situation), 'not');
}

function blocked(message: string, keep: 'stored' | 'briefly' | 'not'): Verdict {
  return { kind: 'blocked', message, keep };
}

const DIRECTIONS = { BUY: ['LONG', 'SELL'], SELL: ['SHORT', 'BUY'] } as const;

function wordsOf(side: string) {
  return DIRECTIONS[side === 'SELL' ? 'SELL' : 'BUY'];
}

function positionMessage({ symbol, exchange, side }: Asked, { sum }: Situation): string {
  const [direction, opposite] = wordsOf(side);
  const held = -room(side, sum);
  return `${symbol}: an open ${direction} position of ${held} exists on ${exchange}. One position per symbol: place a ${opposite} order to reduce or close it first.`;
}

function unresolvedMessage({ symbol, side }: Asked, { unresolved }: Situation): string {
  const [direction, opposite] = wordsOf(side);
  return `${symbol}: ${unresolved} is not resolved yet and counts as an open ${direction} position. Wait for it, or place a ${opposite} order.`;
}

function unreadMessage({ symbol, side }: Asked, { own }: Situation): string {
  const reducible = Math.max(0, room(side, own));
  const known = reducible === 0 ? 'none is recorded here' : `only ${reducible} recorded here`;
  return `${symbol}: the broker's positions could not be read and ${known}, so the order was not sent. Try again in a few seconds.`;
}

function reduceOnlyMessage({ symbol, product, side, quantity }: Asked, { own, unknown, working, elsewhere }: Situation): string {
  const reducible = Math.max(0, room(side, own) - elsewhere());
  const pending = unknown.own + working;
  const beside = pending > 0 ? ` with ${pending} more in ${side} orders that may still fill` : '';
  return `${symbol}: reduce_only ${side} ${quantity}${beside} does not fit into the ${product} position, of which ${reducible} can be reduced; the order was not sent.`;
}
