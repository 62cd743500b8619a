import { Big } from '../money.ts';

/** Decimal places kept of a cost of which parts are taken. */
const COST_PLACES = 10;
/** Places of money in the records, rupees. */
const MONEY_PLACES = 4;

export type Side = 'BUY' | 'SELL';

/** One position row as its executions make it. Costs and values are quantity x price, rupees, without the multiplier; null: not known. */
export interface PositionState {
  side: Side;
  qty: number;
  cost: Big | null;
  /** Average entry price of the open quantity; the last one there was once it is closed. */
  entry: Big | null;
  closedQuantity: number;
  exitValue: Big;
  closedCost: Big | null;
}

export interface Deal {
  side: Side;
  quantity: number;
  price: Big;
}

/** What an execution does: to the position that is open, and what it opens anew. */
export interface Booked {
  row: PositionState | null;
  opened: PositionState | null;
}

/** A position that begins with a quantity at a cost, nothing closed yet. */
export function opening(side: Side, qty: number, cost: Big | null): PositionState {
  return { side, qty, cost, entry: cost?.div(qty) ?? null, closedQuantity: 0, exitValue: new Big(0), closedCost: new Big(0) };
}

/**
 * Books one execution at average cost: the same side adds to what the quantity cost, the other side takes its share of it.
 * What is left after everything was closed opens a position of the other side. With `row` null everything is opened.
 */
export function bookDeal(row: PositionState | null, deal: Deal): Booked {
  if (!row || row.qty === 0) return { row: null, opened: opening(deal.side, deal.quantity, deal.price.times(deal.quantity)) };
  if (row.side === deal.side) return { row: grown(row, deal), opened: null };
  const closing = Math.min(row.qty, deal.quantity);
  const left = deal.quantity - closing;
  return { row: reduced(row, closing, deal.price), opened: left > 0 ? opening(deal.side, left, deal.price.times(left)) : null };
}

function grown(row: PositionState, deal: Deal): PositionState {
  const qty = row.qty + deal.quantity;
  const cost = row.cost?.plus(deal.price.times(deal.quantity)) ?? null;
  return { ...row, qty, cost, entry: cost?.div(qty) ?? null };
}

function reduced(row: PositionState, closing: number, price: Big): PositionState {
  const share = shareOf(row, closing);
  return {
    ...row,
    qty: row.qty - closing,
    cost: (share && row.cost?.minus(share)) ?? null,
    closedQuantity: row.closedQuantity + closing,
    exitValue: row.exitValue.plus(price.times(closing)),
    closedCost: (share && row.closedCost?.plus(share)) ?? null,
  };
}

/** The position at another quantity of the same side, where nobody knows the price of the difference: what goes, goes at cost; what comes, comes at `price`. */
export function corrected(row: PositionState, qty: number, price: Big | null): PositionState {
  if (qty <= row.qty) {
    const share = shareOf(row, row.qty - qty);
    return { ...row, qty, cost: (share && row.cost?.minus(share)) ?? null };
  }
  const cost = row.cost && price && row.cost.plus(price.times(qty - row.qty));
  return { ...row, qty, cost, entry: cost?.div(qty) ?? null };
}

/** The last part takes what is left, so that the parts of a cost add up to it. */
function shareOf(row: PositionState, quantity: number): Big | null {
  if (!row.cost) return null;
  return quantity === row.qty ? row.cost : row.cost.times(quantity).div(row.qty).round(COST_PLACES, Big.roundHalfUp);
}

/** Rupees a position row moves in the capital record, exact text of four places. `realized` is null while nothing was closed, or at an unknown cost. */
export function moneyOf(
  row: PositionState,
  multiplier: Big | string,
): { deployed: Big; realized: Big | null; entry: string | null; exit: string | null } {
  const direction = row.side === 'BUY' ? 1 : -1;
  const profit = row.closedQuantity > 0 && row.closedCost ? row.exitValue.minus(row.closedCost).times(direction).times(multiplier) : null;
  return {
    deployed: row.cost ? row.cost.times(multiplier).round(MONEY_PLACES, Big.roundHalfUp) : new Big(0),
    realized: profit?.round(MONEY_PLACES, Big.roundHalfUp) ?? null,
    entry: fixed(row.entry, MONEY_PLACES),
    exit: row.closedQuantity > 0 ? row.exitValue.div(row.closedQuantity).toFixed(MONEY_PLACES) : null,
  };
}

/** The columns of a position row and its details that its state decides. */
export function stateColumns(state: PositionState, multiplier: string) {
  const { entry, exit, realized } = moneyOf(state, multiplier);
  const closed = state.qty === 0;
  return {
    qty: state.qty,
    entry_price: entry,
    exit_price: exit,
    realized_pnl: fixed(realized, MONEY_PLACES),
    status: closed ? 'CLOSED' : 'OPEN',
    exit_reason: closed ? 'ORDER' : null,
    open_cost: fixed(state.cost, COST_PLACES),
    closed_cost: fixed(state.closedCost, COST_PLACES),
    closed_quantity: state.closedQuantity,
    exit_value: state.exitValue.toFixed(MONEY_PLACES),
  };
}

/** What a trade of the records says: anything but BUY is a sale. */
export function dealOf({ side, quantity, price }: { side: string; quantity: number; price: string }): Deal {
  return { side: side === 'BUY' ? 'BUY' : 'SELL', quantity, price: new Big(price) };
}

/** A decimal as text of so many places; null stays null. */
export function fixed(value: Big | null, places: number): string | null {
  return value === null ? null : value.toFixed(places);
}

/** A state as JSON: what a row's executions go on from. `fixed`: set by a reconciliation, so that nothing before it is computed again. */
export interface SavedState {
  side: Side;
  qty: number;
  cost: string | null;
  entry: string | null;
  closedQuantity: number;
  exitValue: string;
  closedCost: string | null;
  fixed: boolean;
}

export function savedState(row: PositionState, byReconciliation: boolean): SavedState {
  const { side, qty, cost, entry, closedQuantity, exitValue, closedCost } = row;
  return {
    side,
    qty,
    cost: fixed(cost, COST_PLACES),
    entry: fixed(entry, COST_PLACES),
    closedQuantity,
    exitValue: exitValue.toFixed(),
    closedCost: fixed(closedCost, COST_PLACES),
    fixed: byReconciliation,
  };
}

export function stateOf(base: Omit<SavedState, 'fixed'>): PositionState {
  const exact = (text: string | null) => (text === null ? null : new Big(text));
  const { side, qty, closedQuantity } = base;
  return {
    side,
    qty,
    closedQuantity,
    cost: exact(base.cost),
    entry: exact(base.entry),
    exitValue: new Big(base.exitValue),
    closedCost: exact(base.closedCost),
  };
}
