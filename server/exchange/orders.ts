import { nextIstHour } from '../clock.ts';
import { Big } from '../money.ts';
import type { AccountBook } from './book.ts';
import { findInstrument } from './instruments.ts';
import { fundsOf, orderMargin } from './margin.ts';
import { advance, type Floor, inState, withStep } from './matching.ts';
import { exchangeObjection, firstObjection, hasLimit, hasTrigger, openingQuantity, sellable } from './rules.ts';
import {
  type Change,
  type Effects,
  type ExchangeOrder,
  type Instrument,
  isFinal,
  type OrderState,
  type Placed,
  type PlaceRequest,
  type Refusal,
  refuse,
  type Step,
} from './types.ts';

/** What placing, changing and cancelling need of the exchange around them. */
export interface Engine extends Floor {
  now(): number;
  /** Milliseconds until the exchange acknowledges the next order. */
  transitMs(): number;
  /** A number of 19 digits, larger than any before it. */
  nextSerial(): string;
  tickAt(at: number): number;
}

interface Assessment {
  instrument: Instrument;
  opening: number;
  marginPrice: string;
  /** Rupees. */
  required: string;
  objection: Refusal | null;
}

const inTransit: readonly OrderState[] = ['RECEIVED', 'VALIDATION', 'OPEN_PENDING', 'MODIFY_PENDING', 'CANCEL_PENDING'];

/** Takes an order, or refuses it: rules, circuits, holdings, margin. Written to the ledger before it returns. */
export function placeOrder(engine: Engine, book: AccountBook, asked: PlaceRequest, effects: Effects, byHand: boolean): Placed {
  const request = tidy(asked);
  const assessed = assess(engine, book, request, null);
  if (!assessed) return refuse('INSTRUMENT', { exchange: request.exchange, symbol: request.symbol });
  const { instrument, opening, marginPrice, objection } = assessed;
  if (objection && !book.traits.refusedInBook.includes(objection.code)) return { ok: false, refusal: objection };
  const rejected = objection ?? lateRefusal(request, instrument, effects);
  const now = engine.now();
  const serial = engine.nextSerial();
  const blank = { exchangeOrderId: null, refusal: null, filled: 0, filledValue: '0', modifications: 0, planStarted: false, history: [] };
  const order: ExchangeOrder = {
    ...request,
    ...blank,
    account: book.broker,
    orderId: book.traits.orderId(serial),
    serial,
    askedType: request.orderType,
    byHand,
    state: 'RECEIVED',
    opening: rejected ? 0 : opening,
    marginPrice,
    plan: effects.plan ?? null,
    agenda: agendaOf(request, now, engine.transitMs(), rejected),
    receivedAt: now,
    updatedAt: now,
    visibleAt: now + (effects.visibleAfterMs ?? 0),
  };
  const saved = engine.save(inState(order, now, request.variety === 'AMO' ? 'AMO_RECEIVED' : 'RECEIVED'));
  return { ok: true, order: advance(saved, now, engine) };
}

/** Takes a change of an open order, under the same rules as a new one. What is answered is that it was taken: it works once the exchange acknowledges. */
export function modifyOrder(engine: Engine, book: AccountBook, orderId: string, change: Change): Placed {
  const order = book.orders.get(orderId);
  if (!order) return refuse('NOT_FOUND', { orderId });
  if (isFinal(order)) return refuse('FINISHED', { orderId, state: order.state });
  if (inTransit.includes(order.state)) return refuse('IN_TRANSIT', { orderId });
  const triggered = order.state === 'OPEN' && hasTrigger(order);
  const orderType =
    triggered && (change.orderType ?? order.orderType) === order.orderType ? 'LIMIT' : (change.orderType ?? order.orderType);
  const merged = tidy({
    ...order,
    orderType,
    quantity: change.quantity ?? order.quantity,
    price: change.price ?? order.price,
    triggerPrice: change.triggerPrice ?? order.triggerPrice,
  });
  if (merged.quantity <= order.filled) return refuse('QUANTITY', { filled: String(order.filled) });
  const assessed = assess(engine, book, merged, order);
  if (!assessed) return refuse('INSTRUMENT');
  const objection = assessed.objection ?? exchangeObjection(merged, assessed.instrument);
  if (objection) return { ok: false, refusal: objection };
  const { quantity, price, triggerPrice } = merged;
  const now = engine.now();
  const held = { ...order, opening: assessed.opening, marginPrice: assessed.marginPrice };
  const { protectionPercent = order.protectionPercent } = change;
  const agreed = { orderType, quantity, price, triggerPrice, protectionPercent };
  const step: Step = { do: 'change', at: now + engine.transitMs(), change: agreed, back: order.state };
  const saved = engine.save(withStep(inState(held, now, 'MODIFY_VALIDATION', 'MODIFY_PENDING'), step));
  return { ok: true, order: advance(saved, now, engine) };
}

/** Takes a cancel: until the exchange acknowledges it the order may still fill. */
export function cancelOrder(engine: Engine, book: AccountBook, orderId: string): Placed {
  const order = book.orders.get(orderId);
  if (!order) return refuse('NOT_FOUND', { orderId });
  if (isFinal(order)) return refuse('FINISHED', { orderId, state: order.state });
  if (order.state === 'CANCEL_PENDING') return refuse('IN_TRANSIT', { orderId });
  const now = engine.now();
  const step: Step = { do: 'cancel', at: now + engine.transitMs() };
  const saved = engine.save(withStep(inState(order, now, 'CANCEL_PENDING'), step));
  return { ok: true, order: advance(saved, now, engine) };
}

/** The rules and the account held against an order that is new, or that replaces `instead`; null for an unknown instrument. */
export function assess(engine: Engine, book: AccountBook, asked: PlaceRequest, instead: ExchangeOrder | null): Assessment | null {
  const request = tidy(asked);
  const instrument = findInstrument(request.exchange, request.symbol);
  if (!instrument) return null;
  const { last, bid, ask } = engine.touch(instrument, engine.tickAt(engine.now()));
  const others = [...book.live.values()].filter((order) => order.orderId !== instead?.orderId);
  const open = { ...request, quantity: request.quantity - (instead?.filled ?? 0) };
  const opening = openingQuantity(open, book.holder, others);
  const atMarket = request.side === 'BUY' ? ask : bid;
  const marginPrice = hasLimit(request) ? request.price : hasTrigger(request) ? request.triggerPrice : atMarket;
  const required = orderMargin({ ...request, marginPrice }, opening);
  const objection = firstObjection(request, instrument, last) ?? moneyObjection(open, book, others, required);
  return { instrument, opening, marginPrice, required: required.toFixed(), objection };
}

/** When the exchange takes an order up: at once, an after-market one at the next 09:15 in India. Epoch ms. */
export function takenUpAt(order: Pick<ExchangeOrder, 'variety' | 'receivedAt'>): number {
  const quarterMs = 900_000;
  return order.variety === 'AMO' ? nextIstHour(order.receivedAt - quarterMs, 9) + quarterMs : order.receivedAt;
}

function moneyObjection(request: PlaceRequest, book: AccountBook, others: readonly ExchangeOrder[], required: Big): Refusal | null {
  if (request.product === 'DELIVERY' && request.side === 'SELL') {
    const available = sellable(request, book.holder, others);
    if (request.quantity > available) return refuse('HOLDING', { available: String(Math.max(0, available)) }).refusal;
  }
  const { available } = fundsOf(book.holder, others, '0');
  if (required.lte(0) || required.lte(available)) return null;
  return refuse('MARGIN', { required: required.toFixed(2), available: new Big(available).toFixed(2) }).refusal;
}

/** What only shows after the order was accepted: the exchange itself refuses, or a planted risk check does. */
function lateRefusal(request: PlaceRequest, instrument: Instrument, effects: Effects): Refusal | null {
  return exchangeObjection(request, instrument) ?? (effects.rejectByRisk ? refuse('RISK').refusal : null);
}

function agendaOf(request: PlaceRequest, now: number, transitMs: number, rejected: Refusal | null): Step[] {
  const taken = takenUpAt({ variety: request.variety, receivedAt: now });
  const acknowledged: Step = rejected ? { do: 'reject', at: taken + transitMs, refusal: rejected } : { do: 'open', at: taken + transitMs };
  const steps: Step[] = [{ do: 'validate', at: taken + Math.floor(transitMs / 2) }, acknowledged];
  if (request.lifeMs !== undefined) steps.push({ do: 'cancel', at: taken + Math.max(request.lifeMs, transitMs) });
  return steps;
}

/** Prices an order type does not use count as 0. */
function tidy<Request extends PlaceRequest>(request: Request): Request {
  return { ...request, price: hasLimit(request) ? request.price : '0', triggerPrice: hasTrigger(request) ? request.triggerPrice : '0' };
}
