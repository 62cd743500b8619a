import type { Account } from '../brokers/account.ts';
import type { Broker, LoginFailure } from '../brokers/broker.ts';
import { Door } from '../brokers/door.ts';
import { QuoteRead } from '../brokers/quote-read.ts';
import { SharedRead } from '../brokers/shared-read.ts';
import { type BrokerParts, definitionOf, newBroker, supportedHint, textOf } from './brokers.ts';
import { type BudgetParts, Budgets } from './budgets.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Logins } from './logins.ts';

/** A code of an authenticator changes after 30 s, and brokers take each once. */
const REST_MS = 30_000;

export interface SignInParts extends BrokerParts, BudgetParts {
  logins: Logins;
}

/** A broker that has signed in; instants are epoch ms, UTC. */
export interface SignedIn {
  account: Account;
  expiresAt: number;
  offset: ClockOffset;
}

/** Signs in to brokers, by the stored login of the day or by the settings. */
export class SignIn {
  /** The budgets of every broker, for whoever reads past a session. */
  readonly budgets: Budgets;
  readonly #parts: SignInParts;
  /** When a sign-in to a broker last reached it, monotonic ms. */
  readonly #reached = new Map<string, number>();

  constructor(parts: SignInParts) {
    this.#parts = parts;
    this.budgets = new Budgets(parts);
  }

  /** `onExpired` hears when the broker says the login is dead, maybe before this has resolved. Never rejects. */
  async open(name: string, onExpired: (reason: string) => void): Promise<SignedIn | LoginFailure> {
    const offset = new ClockOffset(this.#parts.clock);
    let broker: Broker;
    try {
      broker = newBroker(this.#parts, name, onExpired, (ms) => offset.hear(ms));
    } catch (error) {
      return { success: false, cause: 'credentials', message: `${textOf(error)}. ${supportedHint}` };
    }
    const opened = await this.#open(broker, name);
    if (!('success' in opened)) return { ...opened, offset };
    await broker.close().catch(() => undefined);
    return opened;
  }

  /** How long (ms) nobody may sign in to a broker by itself: a code that was used is not used again, and no login is hammered. */
  restMs(name: string): number {
    const { clock, config } = this.#parts;
    const reached = this.#reached.get(name);
    // The practice exchange takes a code twice.
    if (reached === undefined || config.mode === 'practice') return 0;
    return Math.max(0, reached + (definitionOf(this.#parts, name).loginRestMs ?? REST_MS) - clock.mono());
  }

  async #open(broker: Broker, name: string): Promise<Omit<SignedIn, 'offset'> | LoginFailure> {
    const { logins, clock } = this.#parts;
    try {
      const stored = await logins.read(name);
      this.budgets.reads(broker).others.count();
      const connected = await broker.connect(stored);
      if (connected.success || connected.cause !== 'unreachable') this.#reached.set(name, clock.mono());
      if (!connected.success) return { success: false, cause: connected.cause ?? 'credentials', message: connected.message };
      await logins.write(name, connected.account, connected.login);
      const account = await this.#account(broker, connected.account);
      return { account, expiresAt: Date.parse(connected.login.expiresAt) };
    } catch (error) {
      // The store, mostly: that passes.
      return { success: false, cause: 'broker', message: textOf(error) };
    }
  }

  async #account(broker: Broker, id: string): Promise<Account> {
    const reads = this.budgets.reads(broker);
    return {
      broker,
      id,
      positions: new SharedRead(() => broker.positions(), reads.positions),
      orderBook: new SharedRead(() => broker.orders(), reads.orderBook),
      holdings: new SharedRead(() => broker.holdings(), reads.holdings),
      quotes: new QuoteRead(broker, reads.quotes),
      reads: reads.others,
      budget: await this.budgets.orders(broker, id),
      door: new Door(this.#parts.held),
    };
  }
}
