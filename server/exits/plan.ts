import { z } from 'zod';
import type { ExitPlan } from '../../contract/exits.ts';

const Resting = z.object({
  order_id: z.string(),
  order_type: z.string(),
  /** Of the whole order, and what of it had filled when it was planned. */
  quantity: z.number(),
  filled: z.number(),
  price: z.number().nullable(),
  trigger_price: z.number().nullable(),
});
/** A resting order of the exit side, as the plan found it. */
export type Resting = z.infer<typeof Resting>;

export const Leg = z.object({
  instrument: z.string().nullable(),
  exchange: z.string(),
  symbol: z.string(),
  token: z.string(),
  product: z.string(),
  holding: z.boolean(),
  /** Positive long; of shares held from earlier days what may be sold. */
  net: z.number(),
  /** Null where there is nothing to exit. */
  side: z.enum(['BUY', 'SELL']).nullable(),
  /** What is to be closed, and what of it can be sent once nothing rests on that side: without orders of ours whose fate is not known. */
  target: z.number(),
  quantity: z.number(),
  lastPrice: z.number().nullable(),
  /** The most that one order may have; null where nobody says. */
  most: z.number().nullable(),
  /** What every quantity is a multiple of; null where nobody says. */
  lot: z.number().nullable().default(null),
  rests: z.array(Resting),
  warnings: z.array(z.string()),
});
/** The exit of one position, as it is written down before anything is sent. Quantities in the broker's own unit. */
export type Leg = z.infer<typeof Leg>;

/** What an exit is to do, and what holds for all of it. `at`: when the broker was read, epoch ms. */
export const Plan = z.object({ at: z.number(), legs: z.array(Leg), warnings: z.array(z.string()) });
export type Plan = z.infer<typeof Plan>;

/** What of a resting order may still fill. */
export function openOf({ quantity, filled }: Pick<Resting, 'quantity' | 'filled'>): number {
  return Math.max(0, quantity - filled);
}

/** The members of a leg that plan and report share. */
export function shownLeg(leg: Leg) {
  const { instrument, exchange, symbol, token, product, holding, net, side, quantity, lastPrice, warnings } = leg;
  return {
    instrument,
    exchange,
    symbol,
    token,
    product_type: product,
    holding,
    net_quantity: net,
    side,
    quantity,
    last_price: lastPrice,
    warnings,
  };
}

export function shownResting(resting: Resting) {
  const { order_id, order_type, price, trigger_price } = resting;
  return { order_id, order_type, quantity: openOf(resting), price, trigger_price };
}

/** The plan as callers get it. */
export function shownPlan({ at, legs, warnings }: Plan, broker: string): ExitPlan {
  const positions = legs.map((leg) => ({ ...shownLeg(leg), cancels: leg.rests.map(shownResting) }));
  return { success: true, at: new Date(at).toISOString(), broker, positions, warnings };
}
