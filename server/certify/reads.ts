import type { Broker, HoldingRow, Listing, OrderRow, PositionRow, Read, TradeRow } from '../brokers/broker.ts';
import type { ReadBudget } from '../brokers/read-budget.ts';
import type { Clock } from '../clock.ts';
import { textOf } from '../session/brokers.ts';
import type { ReadBudgets } from '../session/budgets.ts';

export const readNames = ['profile', 'funds', 'holdings', 'positions', 'orders', 'trades'] as const;
export type ReadName = (typeof readNames)[number];

/** What every read answered, one after the other. `trades` is null where the adapter has no trade book. */
export interface Round {
  profile: Read;
  funds: Read;
  holdings: Listing<HoldingRow>;
  positions: Listing<PositionRow>;
  orders: Listing<OrderRow>;
  trades: Listing<TradeRow> | null;
}

/** How long each read took, ms, round by round. */
export type Latencies = Record<ReadName, number[]>;

/** Reads once, each read in its turn of the broker's limits. What throws becomes a failure. */
export interface Reader {
  round(latencies: Latencies): Promise<Round>;
  orders(): Promise<Listing<OrderRow>>;
  /** Rupees; null where the broker tells none or its adapter does not ask. */
  lastPrice(exchange: string, symbol: string, token: string): Promise<number | null>;
}

export function createReader(broker: Broker, budgets: ReadBudgets, clock: Clock): Reader {
  async function read<Answer>(budget: ReadBudget, ask: () => Promise<Answer>, took: (ms: number) => void) {
    // A running gateway reads under the same limits: this rank leaves it a quarter of them.
    await budget.take('books');
    const began = clock.mono();
    try {
      return await ask();
    } catch (error) {
      return { success: false as const, message: textOf(error) };
    } finally {
      took(clock.mono() - began);
    }
  }
  return {
    async round(latencies) {
      const took = (name: ReadName) => (ms: number) => void latencies[name].push(ms);
      return {
        profile: await read(budgets.others, () => broker.profile(), took('profile')),
        funds: await read(budgets.others, () => broker.funds(), took('funds')),
        holdings: await read(budgets.holdings, () => broker.holdings(), took('holdings')),
        positions: await read(budgets.positions, () => broker.positions(), took('positions')),
        orders: await read(budgets.orderBook, () => broker.orders(), took('orders')),
        trades: broker.tradebook ? await read(budgets.others, async () => await tradesOf(broker), took('trades')) : null,
      };
    },
    orders: () =>
      read(
        budgets.orderBook,
        () => broker.orders(),
        () => undefined,
      ),
    async lastPrice(exchange, symbol, token) {
      if (!broker.lastPrice) return null;
      await budgets.others.take('books');
      return (await broker.lastPrice(exchange, symbol, token))?.price ?? null;
    },
  };
}

async function tradesOf(broker: Broker): Promise<Listing<TradeRow>> {
  return (await broker.tradebook?.()) ?? { success: false, message: 'no trade book' };
}

/** Least and median of some milliseconds, whole. */
export function timing(ms: readonly number[]): { least: number; median: number } {
  const sorted = ms.toSorted((a, b) => a - b);
  return { least: Math.round(sorted[0] ?? 0), median: Math.round(sorted[sorted.length >> 1] ?? 0) };
}

export function noLatencies(): Latencies {
  return { profile: [], funds: [], holdings: [], positions: [], orders: [], trades: [] };
}
