import { Big } from '../money.ts';
import { roundToTick } from './instruments.ts';
import { TICK_MS } from './prices.ts';
import { hasTrigger } from './rules.ts';
import { type ExchangeOrder, type Instrument, isFinal, type OrderState, remaining, type Step, type Trade } from './types.ts';

/** What matching needs of the exchange around it. */
export interface Floor {
  instrumentOf(order: ExchangeOrder): Instrument;
  touch(instrument: Instrument, tick: number): { last: string; bid: string; ask: string };
  /** Price ticks up to `now` that this resting order has not been held against yet. */
  newTicks(order: ExchangeOrder, now: number): readonly number[];
  /** Makes a change durable, with the trade that caused it, and returns the order. */
  save(order: ExchangeOrder, trade?: Omit<Trade, 'tradeId'>): ExchangeOrder;
}

/** Brings one order up to `now` (epoch ms): its agenda first, then the prices it has not seen. */
export function advance(order: ExchangeOrder, now: number, floor: Floor): ExchangeOrder {
  let current = order;
  for (;;) {
    const [step, ...agenda] = current.agenda;
    if (step === undefined || step.at > now) break;
    current = perform({ ...current, agenda }, step, floor);
  }
  for (const tick of isResting(current) ? floor.newTicks(current, now) : []) {
    current = meet(current, Math.min(now, Math.max(current.updatedAt, tick * TICK_MS)), tick, false, floor);
    if (!isResting(current)) break;
  }
  return current;
}

/** The order with one more step to take, in order of time. */
export function withStep(order: ExchangeOrder, step: Step): ExchangeOrder {
  return { ...order, agenda: [...order.agenda, step].sort((a, b) => a.at - b.at) };
}

/** The order in a new state, with the line its history gets. */
export function inState(order: ExchangeOrder, at: number, ...states: OrderState[]): ExchangeOrder {
  const { quantity, filled, price, triggerPrice } = order;
  const lines = states.map((state) => ({ state, at, quantity, filled, price, triggerPrice, average: averageOf(order) }));
  return { ...order, state: states.at(-1) ?? order.state, updatedAt: at, history: [...order.history, ...lines] };
}

/** Average fill price in rupees, to 4 places; 0 when nothing filled. */
export function averageOf(order: Pick<ExchangeOrder, 'filled' | 'filledValue'>): string {
  if (order.filled === 0) return '0';
  return new Big(order.filledValue).div(order.filled).round(4, Big.roundHalfUp).toFixed();
}

function isResting(order: ExchangeOrder): boolean {
  return order.state === 'OPEN' || order.state === 'TRIGGER_PENDING';
}

function perform(order: ExchangeOrder, step: Step, floor: Floor): ExchangeOrder {
  switch (step.do) {
    case 'validate':
      return floor.save(inState(order, step.at, 'VALIDATION', 'OPEN_PENDING'));
    case 'reject':
      return floor.save(inState({ ...order, refusal: step.refusal, agenda: [] }, step.at, 'REJECTED'));
    case 'cancel':
      return floor.save(inState({ ...order, agenda: [] }, step.at, 'CANCELLED'));
    case 'fill':
      return fill(order, step.quantity === 'rest' ? remaining(order) : step.quantity, fillPrice(order, step.at, floor), step.at, floor);
    case 'open':
      return open({ ...order, exchangeOrderId: `13${order.serial.slice(-14)}` }, step.at, floor);
    case 'change': {
      const changed = inState({ ...order, ...step.change, modifications: order.modifications + 1 }, step.at, 'MODIFIED');
      if (step.back === 'AMO_RECEIVED') return floor.save(inState(changed, step.at, step.back));
      return open(changed, step.at, floor);
    }
  }
}

/** The exchange takes the order, or takes it anew after a change: it meets the market as an aggressor. */
function open(order: ExchangeOrder, at: number, floor: Floor): ExchangeOrder {
  const tick = Math.floor(at / TICK_MS);
  const booked = order.orderType === 'MARKET' && order.protectionPercent !== undefined ? protect(order, tick, floor, 'LIMIT') : order;
  const resting = floor.save(inState(booked, at, hasTrigger(booked) ? 'TRIGGER_PENDING' : 'OPEN'));
  const met = meet(resting, at, tick, true, floor);
  if (met.validity === 'DAY' || isFinal(met) || met.planStarted) return met;
  return floor.save(inState({ ...met, agenda: [] }, at, 'CANCELLED'));
}

/** Holds an order against one price: a stop may trigger, a marketable order fills or starts its fill plan. */
function meet(order: ExchangeOrder, at: number, tick: number, aggressive: boolean, floor: Floor): ExchangeOrder {
  const instrument = floor.instrumentOf(order);
  const { last, bid, ask } = floor.touch(instrument, tick);
  const buying = order.side === 'BUY';
  if (order.state === 'TRIGGER_PENDING') {
    if (new Big(last).cmp(order.triggerPrice) * (buying ? 1 : -1) < 0) return order;
    const triggered = order.orderType === 'SL-M' && order.protectionPercent !== undefined ? protect(order, tick, floor, 'SL-M') : order;
    return meet(floor.save(inState(triggered, at, 'OPEN')), at, tick, true, floor);
  }
  if (order.planStarted) return order;
  const touch = buying ? ask : bid;
  if (!marketable(order, touch)) return order;
  if (order.plan) return startPlan(order, at, floor);
  return fill(order, remaining(order), aggressive || order.price === '0' ? touch : order.price, at, floor);
}

function marketable(order: ExchangeOrder, touch: string): boolean {
  return order.price === '0' || new Big(touch).cmp(order.price) * (order.side === 'BUY' ? 1 : -1) <= 0;
}

function startPlan(order: ExchangeOrder, at: number, floor: Floor): ExchangeOrder {
  let planned: ExchangeOrder = { ...order, planStarted: true };
  for (const part of order.plan ?? []) planned = withStep(planned, { do: 'fill', at: at + part.afterMs, quantity: part.quantity });
  return advance(floor.save(planned), at, floor);
}

/** A planned part trades at the touch, and never beyond the order's own limit. */
function fillPrice(order: ExchangeOrder, at: number, floor: Floor): string {
  const { bid, ask } = floor.touch(floor.instrumentOf(order), Math.floor(at / TICK_MS));
  const touch = order.side === 'BUY' ? ask : bid;
  return marketable(order, touch) ? touch : order.price;
}

function fill(order: ExchangeOrder, wanted: number, price: string, at: number, floor: Floor): ExchangeOrder {
  const quantity = Math.min(wanted, remaining(order));
  if (quantity <= 0) return order;
  const { orderId, account, exchange, symbol, side, product } = order;
  const filledValue = new Big(order.filledValue).plus(new Big(price).times(quantity)).toFixed();
  const part = { ...order, filled: order.filled + quantity, filledValue, updatedAt: at };
  const filled = remaining(part) === 0 ? inState({ ...part, agenda: [] }, at, 'FILLED') : part;
  return floor.save(filled, { orderId, account, exchange, symbol, side, product, quantity, price, at });
}

/** A market price with its protection: a limit some percent beyond the last price, on the tick and inside the circuits. */
function protect(order: ExchangeOrder, tick: number, floor: Floor, orderType: 'LIMIT' | 'SL-M'): ExchangeOrder {
  const instrument = floor.instrumentOf(order);
  const share = new Big(order.protectionPercent ?? 0).div(100).times(order.side === 'BUY' ? 1 : -1);
  const limit = new Big(roundToTick(new Big(floor.touch(instrument, tick).last).times(share.plus(1)), instrument.tick));
  const price = limit.gt(instrument.upperCircuit)
    ? instrument.upperCircuit
    : limit.lt(instrument.lowerCircuit)
      ? instrument.lowerCircuit
      : limit.toFixed();
  return { ...order, orderType, price };
}
