import { Big } from '../money.ts';
import { type Holder, positionKey } from './positions.ts';
import {
  type ExchangeOrder,
  type Instrument,
  isFinal,
  isOption,
  type PlaceRequest,
  type Refusal,
  type RefusalCode,
  refuse,
  remaining,
} from './types.ts';

type Rule = (request: PlaceRequest, instrument: Instrument, last: string) => Refusal | null;

/** What every broker's front end and risk desk check. In this order; the first that objects decides. */
const rules: readonly Rule[] = [
  ({ quantity }) => (Number.isSafeInteger(quantity) && quantity >= 1 ? null : no('QUANTITY')),
  ({ quantity }, { lotSize }) => (quantity % lotSize === 0 ? null : no('LOT', { lotSize: String(lotSize) })),
  ({ quantity }, { freezeQuantity: freeze }) =>
    freeze === null || quantity <= freeze ? null : no('FREEZE', { quantity: String(quantity), freeze: String(freeze) }),
  (request, instrument) => {
    const cash = instrument.exchange === 'NSE' || instrument.exchange === 'BSE';
    const fits = request.product === 'INTRADAY' || (request.product === 'DELIVERY') === cash;
    return fits ? null : no('PRODUCT', { exchange: request.exchange, product: request.product });
  },
  (request) => (request.validity === 'IOC' && request.exchange === 'MCX' ? no('VALIDITY') : null),
  (request, instrument) => (hasLimit(request) ? badPrice('PRICE', request.price, instrument) : null),
  (request, instrument) => (hasTrigger(request) ? badPrice('TRIGGER', request.triggerPrice, instrument) : null),
  stopSide,
];

/** What the exchange alone checks, once a broker has taken the order. */
const exchangeRules: readonly Rule[] = [
  // No SL-M on options (NSE, since 2021) nor anywhere on BSE (since 2023).
  ({ orderType }, instrument) => {
    const withdrawn = instrument.exchange === 'BSE' || instrument.exchange === 'BFO' || isOption(instrument);
    return orderType === 'SL-M' && withdrawn ? no('WITHDRAWN') : null;
  },
  stopBand,
];

/** What is wrong with the order itself, or null. `last` is the last price in rupees. */
export function firstObjection(request: PlaceRequest, instrument: Instrument, last: string): Refusal | null {
  return firstOf(rules, request, instrument, last);
}

/** What the exchange will refuse of an order that a broker has taken, or null. */
export function exchangeObjection(request: PlaceRequest, instrument: Instrument): Refusal | null {
  return firstOf(exchangeRules, request, instrument, '0');
}

function firstOf(table: readonly Rule[], ...order: Parameters<Rule>): Refusal | null {
  for (const rule of table) {
    const objection = rule(...order);
    if (objection) return objection;
  }
  return null;
}

/** How much of an order opens or enlarges a position, given the account's net and its other open orders on that side. */
export function openingQuantity(request: PlaceRequest, holder: Holder, open: readonly ExchangeOrder[]): number {
  const net = holder.positions[positionKey(request)]?.net ?? 0;
  const opposite = request.side === 'BUY' ? Math.max(0, -net) : Math.max(0, net);
  return Math.max(0, request.quantity - Math.max(0, opposite - pending(request, open)));
}

/** Shares a DELIVERY sale may still take: the holding, today's purchases, less what is being sold already. */
export function sellable(request: PlaceRequest, holder: Holder, open: readonly ExchangeOrder[]): number {
  const held = holder.holdings[`${request.exchange}:${request.symbol}`]?.quantity ?? 0;
  return held + (holder.positions[positionKey(request)]?.net ?? 0) - pending(request, open);
}

export function hasLimit(order: Pick<PlaceRequest, 'orderType'>): boolean {
  return order.orderType === 'LIMIT' || order.orderType === 'SL';
}

export function hasTrigger(order: Pick<PlaceRequest, 'orderType'>): boolean {
  return order.orderType === 'SL' || order.orderType === 'SL-M';
}

function pending(request: PlaceRequest, open: readonly ExchangeOrder[]): number {
  const key = positionKey(request);
  return open
    .filter((order) => !isFinal(order) && order.side === request.side && positionKey(order) === key)
    .reduce((sum, order) => sum + remaining(order), 0);
}

function badPrice(code: 'PRICE' | 'TRIGGER', text: string, instrument: Instrument): Refusal | null {
  const price = new Big(text);
  if (price.lte(0)) return no(code);
  if (!price.mod(instrument.tick).eq(0)) return no('TICK', { tick: instrument.tick });
  const circuit = { lower: instrument.lowerCircuit, upper: instrument.upperCircuit };
  return price.lt(circuit.lower) || price.gt(circuit.upper) ? no('CIRCUIT', { price: text, ...circuit }) : null;
}

/** A stop waits on the far side of the last price, and its limit lies beyond its trigger. */
function stopSide(request: PlaceRequest, _instrument: Instrument, last: string): Refusal | null {
  if (!hasTrigger(request)) return null;
  const sign = request.side === 'BUY' ? 1 : -1;
  const trigger = new Big(request.triggerPrice);
  if (trigger.cmp(last) * sign < 0) return no('STOP_SIDE', { last, trigger: request.triggerPrice });
  if (request.orderType === 'SL' && new Big(request.price).cmp(trigger) * sign < 0)
    return no('STOP_SIDE', { last, trigger: request.triggerPrice });
  return null;
}

/** How far from its trigger the limit of a stop may lie: a share of the trigger, counted as Rs 50 where it is less (NSE/CM/57613 and its sister circulars). */
const bandShare = { option: '0.2', other: '0.03' } as const;
const LEAST_TRIGGER = 50;

function stopBand({ orderType, price, triggerPrice }: PlaceRequest, instrument: Instrument): Refusal | null {
  if (orderType !== 'SL') return null;
  const trigger = new Big(triggerPrice);
  const counted = trigger.lt(LEAST_TRIGGER) ? new Big(LEAST_TRIGGER) : trigger;
  const allowed = counted.times(bandShare[isOption(instrument) ? 'option' : 'other']);
  const distance = trigger.minus(price).abs();
  if (distance.lte(allowed)) return null;
  return no('STOP_BAND', { price, trigger: triggerPrice, distance: distance.toFixed(), allowed: allowed.toFixed() });
}

function no(code: RefusalCode, facts: Record<string, string> = {}): Refusal {
  return refuse(code, facts).refusal;
}
