import { bookDeal, dealOf, moneyOf, type PositionState, stateOf } from '../books/average-cost.ts';
import { inOrder } from '../books/replay.ts';
import { Big } from '../money.ts';
import type { Day } from './day.ts';
import type { PositionRow, TradeRow } from './position-rows.ts';

/** Places of money in the records, rupees. */
const PLACES = 4;
const nothing = new Big(0);

/** What an instrument is worth; null: not known. Rupees. */
export interface Worth {
  last: Big | null;
  /** What it closed at on the trading day before. */
  close: Big | null;
}

/** Profits of one position, rupees of four places; null where nobody can tell, and `unknown` says why. */
export interface Profit {
  realisedToday: Big | null;
  realised: Big | null;
  unrealised: Big | null;
  today: Big | null;
  sinceEntry: Big | null;
  unknown: string | null;
}

/**
 * What a position earned. `today` is what the day changed: what is open at the last price, less what was carried in at yesterday's close, less what
 * the day's executions cost. So it is the realised profit, and what the unrealised one moved by. A quantity that reconciliation set without an
 * execution counts as carried in. `before`: the day's executions in this position from before our books began.
 */
export function profitOf(row: PositionRow, trades: readonly TradeRow[], before: readonly TradeRow[], day: Day, worth: Worth): Profit {
  const realised = row.realised !== null ? new Big(row.realised) : row.closedQuantity === 0 ? nothing : null;
  const { last } = worth;
  const direction = row.side === 'BUY' ? 1 : -1;
  const isOpen = row.status === 'OPEN';
  const value = last && row.openCost !== null ? last.times(row.qty).minus(row.openCost).times(direction).times(row.multiplier) : null;
  const sum = isOpen ? value && rounded(value.plus(exactRealised(row, realised))) : realised;
  const unrealised = isOpen ? (sum?.minus(realised ?? nothing) ?? null) : nothing;
  const lost = !isOpen && row.exit_reason !== 'ORDER';
  const moved = movesOf(row, trades, day);
  const today = lost ? 'lost' : todayOf(row, moved, before, day, worth);
  const reasons = [
    lost && 'the broker held it no more, and nobody told at what price it went',
    isOpen && last === null && 'no price of it is known',
    realised === null && 'what the closed part cost is not known',
    isOpen && row.openCost === null && 'what it cost is not known',
    !(today instanceof Big) && today !== 'lost' && today,
  ];
  return {
    realised,
    realisedToday: realised && rounded(realised.minus(moved.realisedBefore)),
    unrealised,
    today: today instanceof Big ? today : null,
    sinceEntry: lost ? null : realised && sum,
    unknown: reasons.find((reason) => typeof reason === 'string') ?? null,
  };
}

/** What was realised as the row's costs have it: rounded once, together with what is open, the two are what the executions come to, to the last place. */
function exactRealised({ closedCost, exitValue, side, multiplier }: PositionRow, realised: Big | null): Big {
  const exact = new Big(exitValue)
    .minus(closedCost ?? 0)
    .times(side === 'BUY' ? 1 : -1)
    .times(multiplier);
  return realised && rounded(exact).eq(realised) ? exact : (realised ?? nothing);
}

/** What the executions of a position moved: realised before the day, and on the day how many, signed, for how much. */
interface Moves {
  realisedBefore: Big;
  quantity: number;
  value: Big;
}

function movesOf(row: PositionRow, trades: readonly TradeRow[], day: Day): Moves {
  const moves: Moves = { realisedBefore: nothing, quantity: 0, value: nothing };
  const isSet = row.base?.fixed === true;
  const history = isSet ? trades.filter((trade) => trade.frozen) : [];
  let state: PositionState | null = row.base && stateOf(row.base);
  // What an execution of the position before left over opened it.
  if (row.base && !isSet && row.openedMs >= day.from && row.openedMs < day.to && row.base.cost !== null)
    execute(moves, row.base.side, row.base.qty, new Big(row.base.cost));
  for (const trade of history) if (trade.day === day.name) execute(moves, trade.side, trade.quantity, costOf(trade, trade.quantity));
  if (row.openedMs < day.from && isSet) moves.realisedBefore = historyBefore(row, history, day);
  const fromBase = state && realisedOf(state, row.multiplier);
  let before = fromBase;
  for (const trade of trades.filter((one) => !isSet || !one.frozen).toSorted(inOrder)) {
    const { row: changed, opened }: ReturnType<typeof bookDeal> = bookDeal(state, dealOf(trade));
    // What is left over of one that closed it opened the next position.
    const used = trade.quantity - (changed && opened ? opened.qty : 0);
    state = changed ?? opened;
    if (trade.day === day.name) execute(moves, trade.side, used, costOf(trade, used));
    else if (state) before = realisedOf(state, row.multiplier);
    if (changed && opened) break;
  }
  if (!trades.some((trade) => trade.day === day.name)) return { ...moves, realisedBefore: new Big(row.realised ?? 0) };
  const since = before === null ? nothing : before.minus(fromBase ?? nothing);
  return { ...moves, realisedBefore: rounded(moves.realisedBefore.plus(since)) };
}

/** Of what was realised before a reconciliation set the position: the part of the days before, each closing execution at its own price and an equal share of the cost. */
function historyBefore({ base, side, multiplier }: PositionRow, history: readonly TradeRow[], day: Day): Big {
  if (!base || base.closedCost === null || base.closedQuantity === 0) return nothing;
  const closing = history.filter((trade) => trade.side !== side);
  const earlier = closing.filter((trade) => trade.day < day.name);
  const all = quantityOf(closing);
  const whole = realisedOf(stateOf(base), multiplier);
  if (earlier.length === closing.length || all !== base.closedQuantity) return whole;
  const brought = earlier.reduce((sum, trade) => sum.plus(costOf(trade, trade.quantity)), nothing);
  const cost = new Big(base.closedCost).times(quantityOf(earlier)).div(all);
  return brought
    .minus(cost)
    .times(side === 'BUY' ? 1 : -1)
    .times(multiplier);
}

/** The profit of the day, or why it is not known. */
function todayOf(row: PositionRow, moved: Moves, before: readonly TradeRow[], day: Day, { last, close }: Worth): Big | string {
  const direction = row.side === 'BUY' ? 1 : -1;
  const held = row.qty * direction;
  const carried = held - moved.quantity;
  if (held !== 0 && last === null) return 'no price of it is known';
  const open = last?.times(held) ?? nothing;
  const isAdopted = row.openedMs >= day.from && row.base?.fixed === true;
  if (isAdopted && carried * direction < 0) return 'reconciliation took some of it away, and nobody told at what price';
  const entered = isAdopted && carried !== 0 ? enteredOf(row, carried, before) : 0;
  const atClose = carried - entered;
  const entry = row.base?.entry ?? null;
  if (entered !== 0 && entry === null) return 'what it cost is not known';
  if (atClose !== 0 && close === null) return "yesterday's close is not known";
  const paid = moved.value.plus(new Big(entry ?? 0).times(entered)).plus((close ?? nothing).times(atClose));
  return rounded(open.minus(paid).times(row.multiplier));
}

/** How much of an adopted quantity was entered today: all of an INTRADAY position, else what was executed today before our books began. */
function enteredOf(row: PositionRow, adopted: number, before: readonly TradeRow[]): number {
  if (row.style === 'INTRADAY') return adopted;
  const net = before.reduce((sum, trade) => sum + (trade.side === 'BUY' ? trade.quantity : -trade.quantity), 0);
  return adopted > 0 ? Math.min(Math.max(net, 0), adopted) : Math.max(Math.min(net, 0), adopted);
}

function execute(moves: Moves, side: string, quantity: number, cost: Big): void {
  const sign = side === 'BUY' ? 1 : -1;
  moves.quantity += sign * quantity;
  moves.value = moves.value.plus(cost.times(sign));
}

function costOf({ price }: TradeRow, quantity: number): Big {
  return new Big(price).times(quantity);
}

function quantityOf(trades: readonly TradeRow[]): number {
  return trades.reduce((sum, { quantity }) => sum + quantity, 0);
}

function realisedOf(state: PositionState, multiplier: string): Big {
  return moneyOf(state, multiplier).realized ?? nothing;
}

function rounded(value: Big): Big {
  return value.round(PLACES, Big.roundHalfUp);
}
