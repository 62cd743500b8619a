import type { BrokerChange, BrokerEnv, BrokerOrder } from './broker.ts';
import { Refusal, translate } from './parse.ts';

/** The members of an order that are words, under the names our answers call them by. */
const members = {
  variety: 'variety',
  exchange: 'exchange',
  order_type: 'ordertype',
  product_type: 'producttype',
  transaction_type: 'transactiontype',
} as const;
type Field = keyof typeof members;
type Words = Readonly<Record<string, string>>;

/** What one broker, with the exchanges behind it, takes: its row of the table that all ten are judged by. */
export interface OrderRules {
  /** Its name in messages. */
  broker: string;
  /** Its words for ours. They are looked up in this order, so that the first word it lacks is the one named. */
  words: Readonly<Record<Field, Words>>;
  /** Words of ours it takes no orders with, and why. */
  refused?: Readonly<Partial<Record<Field, Words>>>;
  /** CARRYFORWARD is a product for shares too. */
  carriesShares?: true;
  /** Exchanges where SL-M is for futures alone. Set at the brokers that pass an SL-M on; at them it is refused on BSE altogether. */
  stopMarketFutures?: readonly string[];
  /** Of an order on a refused exchange the quantity does not change, or nothing does. */
  refusedChange?: 'quantity' | 'exchange';
  /** Once some of an order is filled its quantity does not change, or nothing does: the broker does not say whether a new one counts that part. */
  filledChange?: 'quantity' | 'order_id';
  /** A price that the order's type has no use for is refused in a change when it is above 0, or whenever it is given. */
  unusedPrice?: 'above 0' | 'given';
}

const shares: readonly string[] = ['NSE', 'BSE'];
const limits: readonly string[] = ['LIMIT', 'SL'];
const stops: readonly string[] = ['SL', 'SL-M'];

/** Whether an order of this type of ours goes out with a limit price of the caller's. */
export function hasLimit(type: string): boolean {
  return limits.includes(type);
}

/** Whether an order of this type of ours waits for a trigger. */
export function hasTrigger(type: string): boolean {
  return stops.includes(type);
}

/** The broker's words for those of an order. Throws Refusal, which names the field, for what the broker or the exchange does not take. */
export function checkOrder(order: BrokerOrder, rules: OrderRules): Record<Field, string> {
  const { exchange, ordertype, producttype } = order;
  const words = Object.fromEntries(
    Object.keys(rules.words).map((field) => [field, wordFor(field as Field, order[members[field as Field]], rules)]),
  );
  const isShare = shares.includes(exchange);
  if (producttype === 'DELIVERY' && !isShare)
    throw new Refusal(`product_type: DELIVERY is for NSE and BSE; use CARRYFORWARD on ${exchange}`);
  if (producttype === 'CARRYFORWARD' && isShare && !rules.carriesShares)
    throw new Refusal(`product_type: CARRYFORWARD is not for ${exchange} equity; use DELIVERY`);
  checkStopMarket(ordertype, exchange, order.tradingsymbol.trim(), rules);
  checkStopVariety(order.variety, ordertype);
  wholeQuantity(order.quantity);
  return words as Record<Field, string>;
}

/** The broker's word for one of ours. Throws Refusal for one it lacks or refuses. */
export function wordFor(field: Field, ours: string, { words, refused }: OrderRules): string {
  const why = found(refused?.[field], ours);
  if (why !== undefined) throw new Refusal(`${field}: ${why}`);
  return translate(words[field], field, ours);
}

function found(table: Words | undefined, ours: string): string | undefined {
  return table && Object.hasOwn(table, ours) ? table[ours] : undefined;
}

/** Variety STOPLOSS with a type that does not wait for the trigger is refused. */
export function checkStopVariety(variety: string, type: string): void {
  if (variety === 'STOPLOSS' && !hasTrigger(type))
    throw new Refusal(`order_type: variety STOPLOSS needs SL or SL-M; ${type} would trade without waiting for the trigger`);
}

/** Stop orders without a limit were withdrawn on BSE and for options; what is not plainly a future counts as an option. */
function checkStopMarket(type: string, exchange: string, symbol: string, { stopMarketFutures }: OrderRules): void {
  if (type !== 'SL-M' || !stopMarketFutures) return;
  const isOption = stopMarketFutures.includes(exchange) && !/\bFUT\b|FUT$/.test(symbol);
  if (exchange.startsWith('B') || isOption)
    throw new Refusal(`order_type: SL-M is not taken for ${symbol} on ${exchange}; use SL with a limit price`);
}

/** The broker chooses how far a price that moved away is followed. */
const BROKERS_BAND = '-1';

/** The percent of market protection that an order of this type of ours goes out with, as set or -1; null for one with a limit of its own. */
export function protectionOf(type: string, percent: string | undefined): string | null {
  return type === 'MARKET' || type === 'SL-M' ? (percent ?? BROKERS_BAND) : null;
}

/** A quantity as a number. Throws Refusal when it is no whole number above 0. */
export function wholeQuantity(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Refusal(`quantity: "${text}" is not a whole number above 0`);
  return value;
}

/** The order a change means, in our words: the type it has after the change, and what else the broker's rules ask about. */
export interface Changed {
  type: string;
  exchange?: string;
  symbol?: string;
  filled?: number;
  quantity?: number;
}

/** Whether a change may go to an order. Throws Refusal, which names the field, for what the broker or the exchange does not take. */
export function checkChange(change: BrokerChange, order: Changed, rules: OrderRules): void {
  const { type, exchange = '', symbol = '', filled = 0 } = order;
  const given = (field: string | undefined) => field && (field !== 'quantity' || change.quantity !== undefined);
  const why = found(rules.refused?.exchange, exchange);
  if (why !== undefined && given(rules.refusedChange)) throw new Refusal(`${rules.refusedChange}: ${why}; cancel it instead`);
  checkStopMarket(type, exchange, symbol, rules);
  if (filled > 0 && given(rules.filledChange)) {
    const part = order.quantity === undefined ? filled : `${filled} of ${order.quantity}`;
    throw new Refusal(
      `${rules.filledChange}: ${part} are filled, and ${rules.broker} does not say whether a new quantity counts them; cancel the rest and place a new order`,
    );
  }
  if (!hasLimit(type)) checkUnused('price', change.price, type, rules);
  if (!hasTrigger(type)) checkUnused('trigger_price', change.triggerprice, type, rules);
  if (change.quantity !== undefined) wholeQuantity(change.quantity);
}

function checkUnused(field: string, given: string | undefined, type: string, { unusedPrice }: OrderRules): void {
  if (given === undefined || unusedPrice === undefined) return;
  if (unusedPrice === 'given' || Number(given) > 0)
    throw new Refusal(`${field}: ${type} has none; leave it out, or name an order_type that has one`);
}

/** The prices that an order of this type of ours goes out with, as they came; null for one it has no use for. Throws Refusal for one it needs that is not above 0. */
export function pricesOf(type: string, price: string, trigger: string): { price: string | null; trigger: string | null } {
  return {
    price: hasLimit(type) ? positive('price', price, type) : null,
    trigger: hasTrigger(type) ? positive('trigger_price', trigger, type) : null,
  };
}

function positive(field: string, text: string, type: string): string {
  if (!(Number(text) > 0)) throw new Refusal(`${field}: ${type} needs a ${field} above 0`);
  return text;
}

/** Before the first session orders are collected for so long. */
const PRE_OPEN_MS = 15 * 60_000;

/** Whether an exchange's session is on, pre-open included, at an instant (epoch ms): what is sent for after it would trade now. */
export function inSession({ isOpen }: Pick<BrokerEnv, 'isOpen'>, exchange: string, at: number): boolean {
  return isOpen(exchange, at) || isOpen(exchange, at + PRE_OPEN_MS);
}
