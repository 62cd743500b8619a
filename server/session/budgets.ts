import type { Broker, BrokerTraits } from '../brokers/broker.ts';
import { OrderBudget, secondWindow } from '../brokers/order-budget.ts';
import { ReadBudget } from '../brokers/read-budget.ts';
import type { Clock } from '../clock.ts';
import type { Meters } from '../meters.ts';

/** The read budgets of one broker: one and the same where its limits hold for all reads together. */
export interface ReadBudgets {
  readonly positions: ReadBudget;
  readonly orderBook: ReadBudget;
  readonly holdings: ReadBudget;
  /** Of quotes: one of its own where the broker limits them by themselves. */
  readonly quotes: ReadBudget;
  /** Of every other read. */
  readonly others: ReadBudget;
}

export interface BudgetParts {
  clock: Clock;
  /** Budgets are held; off in practice mode with PRACTICE_LIMITS=off. */
  limits: boolean;
  /** Times (epoch ms, ascending) of the order calls of the last day: what an order budget is filled with when it is made. */
  recentSends(broker: string, account: string): Promise<number[]>;
  meters?: Meters | undefined;
}

/** The budgets of every broker this process has talked to. They outlive sessions: a broker counts what it was asked, not who was signed in. */
export class Budgets {
  readonly #parts: BudgetParts;
  readonly #reads = new Map<string, ReadBudgets>();
  readonly #orders = new Map<string, OrderBudget>();

  constructor(parts: BudgetParts) {
    this.#parts = parts;
  }

  reads({ id, traits }: Pick<Broker, 'id' | 'traits'>): ReadBudgets {
    const known = this.#reads.get(id) ?? this.#newReads(traits);
    this.#reads.set(id, known);
    return known;
  }

  /** Rejects when the calls made before cannot be read. */
  async orders({ id, traits }: Pick<Broker, 'id' | 'traits'>, account: string): Promise<OrderBudget> {
    const name = `${id}:${account}`;
    const known = this.#orders.get(name);
    if (known) return known;
    const { clock, limits, recentSends, meters } = this.#parts;
    const sent = limits ? await recentSends(id, account) : [];
    // Another sign-in of the same account may have made it meanwhile.
    const made = this.#orders.get(name) ?? new OrderBudget(clock, limits ? [secondWindow, ...traits.orderLimits] : [], sent, meters);
    this.#orders.set(name, made);
    return made;
  }

  #newReads({ readLimits, readLimitsApart, quoteLimits }: BrokerTraits): ReadBudgets {
    const { clock, limits: held, meters } = this.#parts;
    const budget = (limits = readLimits) => new ReadBudget(clock, held ? limits : [], meters);
    const others = budget();
    const own = () => (readLimitsApart ? budget() : others);
    return { positions: own(), orderBook: own(), holdings: own(), quotes: quoteLimits ? budget(quoteLimits) : others, others };
  }
}
