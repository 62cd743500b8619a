import { z } from 'zod';
import { type BrokerId, brokerIds, exchanges, orderTypes, productTypes, transactionTypes } from '../../contract/words.ts';

/** What is traded. Emulators derive their broker's own symbol and token from these facts. */
export interface Instrument {
  exchange: z.infer<typeof Exchange>;
  /** Plain exchange name: SBIN, NIFTY26DECFUT, NIFTY26DEC26000CE. */
  symbol: string;
  name: string;
  underlying: string;
  kind: 'EQ' | 'INDEX' | 'FUT' | 'CE' | 'PE';
  isin: string | null;
  exchangeToken: number;
  /** YYYY-MM-DD, null for shares. */
  expiry: string | null;
  strike: string | null;
  /** Quantities are multiples of this: shares 1, NFO and BFO units a lot, MCX and CDS count whole lots and so 1. */
  lotSize: number;
  /** The largest quantity one order may have; null where the exchange sets none. */
  freezeQuantity: number | null;
  /** Units one quantity stands for: 1, on MCX and CDS the units of a lot. An emulator that counts units there divides by it. */
  multiplier: number;
  /** Rupees, as decimal text. */
  tick: string;
  basePrice: string;
  lowerCircuit: string;
  upperCircuit: string;
}

/** One row of a broker's instrument master: what is traded, an index, or a row that only fills the file. Emulators print it in their broker's form. */
export interface Listed extends Instrument {
  /** Of a share: its series on NSE (EQ), its group on BSE (A). Null for all else. */
  series: string | null;
  /** A contract that is not the last one of its month. */
  weekly: boolean;
  /** The share or index a contract is on; null where none is listed: commodities, currencies, and all that is no contract. */
  base: Instrument | null;
  /** Why a careful reader leaves the row out: a test symbol, a contract past its expiry, a bond among the shares. Null for an ordinary row. */
  oddity: 'dummy' | 'expired' | 'bond' | null;
}

export function isOption({ kind }: Pick<Instrument, 'kind'>): boolean {
  return kind === 'CE' || kind === 'PE';
}

export interface Quote {
  last: string;
  bid: string;
  ask: string;
  open: string;
  high: string;
  low: string;
  /** Yesterday's close. */
  close: string;
  volume: number;
}

const Exchange = z.enum(exchanges);
const Broker = z.enum(brokerIds);
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const count = z.int().min(0);

export const refusalCodes = [
  'INSTRUMENT',
  'QUANTITY',
  'LOT',
  'FREEZE',
  'PRICE',
  'TRIGGER',
  'STOP_SIDE',
  'STOP_BAND',
  'TICK',
  'CIRCUIT',
  'PRODUCT',
  'VALIDITY',
  'MARGIN',
  'HOLDING',
  'WITHDRAWN',
  'RISK',
  'NOT_FOUND',
  'FINISHED',
  'IN_TRANSIT',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** Why the exchange, or the broker's risk check before it, says no. An emulator puts it into its broker's words and fills in the facts. */
export const Refusal = z.object({ code: z.enum(refusalCodes), facts: z.record(z.string(), z.string()) });
export type Refusal = z.infer<typeof Refusal>;

export const orderStates = [
  'RECEIVED',
  'VALIDATION',
  'OPEN_PENDING',
  'AMO_RECEIVED',
  'OPEN',
  'TRIGGER_PENDING',
  'MODIFY_VALIDATION',
  'MODIFY_PENDING',
  'MODIFIED',
  'CANCEL_PENDING',
  'FILLED',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
] as const;
export const OrderState = z.enum(orderStates);
export type OrderState = z.infer<typeof OrderState>;

/** Parts an order is filled in, counted from the moment it could trade. Without `rest` the remainder rests for good. */
export const FillPlan = z.array(z.object({ quantity: z.union([z.int().min(1), z.literal('rest')]), afterMs: z.number().min(0) }));
export type FillPlan = z.infer<typeof FillPlan>;

export const Change = z.object({
  orderType: z.enum(orderTypes).optional(),
  /** The new total, filled part included. */
  quantity: count.optional(),
  price: decimal.optional(),
  triggerPrice: decimal.optional(),
  protectionPercent: decimal.optional(),
});
export type Change = z.infer<typeof Change>;
const AgreedChange = Change.required({ orderType: true, quantity: true, price: true, triggerPrice: true });

const due = { at: z.number() };
const Step = z.discriminatedUnion('do', [
  z.object({ ...due, do: z.literal('validate') }),
  z.object({ ...due, do: z.literal('open') }),
  z.object({ ...due, do: z.literal('fill'), quantity: z.union([z.int().min(1), z.literal('rest')]) }),
  z.object({ ...due, do: z.literal('change'), change: AgreedChange, back: OrderState }),
  z.object({ ...due, do: z.literal('cancel') }),
  z.object({ ...due, do: z.literal('reject'), refusal: Refusal }),
]);
export type Step = z.infer<typeof Step>;

export const PlaceRequest = z.object({
  exchange: Exchange,
  symbol: z.string(),
  side: z.enum(transactionTypes),
  orderType: z.enum(orderTypes),
  product: z.enum(productTypes),
  quantity: z.int(),
  price: decimal.default('0'),
  triggerPrice: decimal.default('0'),
  variety: z.enum(['NORMAL', 'AMO']).default('NORMAL'),
  validity: z.enum(['DAY', 'IOC']).default('DAY'),
  tag: z.string().nullable().default(null),
  /** Books MARKET as LIMIT this many percent beyond the last price. */
  protectionPercent: decimal.optional(),
  /** The rest is cancelled after this long. */
  lifeMs: z.number().min(0).optional(),
  /** An emulator's own fields, kept with the order. */
  details: z.record(z.string(), z.string()).default({}),
});
export type PlaceRequest = z.infer<typeof PlaceRequest>;

export type NewOrder = z.input<typeof PlaceRequest>;

export const ExchangeOrder = PlaceRequest.extend({
  account: Broker,
  orderId: z.string(),
  serial: z.string(),
  exchangeOrderId: z.string().nullable(),
  /** The type asked for; orderType is the one it is booked as now. */
  askedType: z.enum(orderTypes),
  byHand: z.boolean(),
  state: OrderState,
  refusal: Refusal.nullable(),
  filled: count,
  /** Sum of quantity x price of the fills. */
  filledValue: decimal,
  modifications: count,
  /** How much of it opened or enlarged a position when it came, and at which price margin is held for that. */
  opening: count,
  marginPrice: decimal,
  plan: FillPlan.nullable(),
  planStarted: z.boolean(),
  agenda: z.array(Step),
  receivedAt: z.number(),
  updatedAt: z.number(),
  /** Reads do not show the order before this. */
  visibleAt: z.number(),
  history: z.array(
    z.object({
      state: OrderState,
      at: z.number(),
      quantity: count,
      filled: count,
      price: decimal,
      triggerPrice: decimal,
      average: decimal,
    }),
  ),
});
export type ExchangeOrder = z.infer<typeof ExchangeOrder>;

export const Trade = z.object({
  tradeId: z.string(),
  orderId: z.string(),
  account: Broker,
  exchange: Exchange,
  symbol: z.string(),
  side: z.enum(transactionTypes),
  product: z.enum(productTypes),
  quantity: z.int().min(1),
  price: decimal,
  at: z.number(),
});
export type Trade = z.infer<typeof Trade>;

/** What a planted fault does inside the engine. */
export interface Effects {
  visibleAfterMs?: number;
  plan?: FillPlan;
  rejectByRisk?: boolean;
  /** Positions are read as they were this long ago. */
  lagMs?: number;
}

export type Placed = { ok: true; order: ExchangeOrder } | { ok: false; refusal: Refusal };

export interface AccountTraits {
  /** Refusals this broker answers with an accepted order that turns REJECTED in the book, instead of an error. */
  refusedInBook: readonly RefusalCode[];
  /** The broker's order id from a serial of 19 ascending digits. */
  orderId(serial: string): string;
}

const finalStates: readonly OrderState[] = ['FILLED', 'REJECTED', 'CANCELLED', 'EXPIRED'];

export function isFinal(order: ExchangeOrder): boolean {
  return finalStates.includes(order.state);
}

export function remaining(order: ExchangeOrder): number {
  return order.quantity - order.filled;
}

export function refuse(code: RefusalCode, facts: Record<string, string> = {}): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: { code, facts } };
}

export type { BrokerId };
