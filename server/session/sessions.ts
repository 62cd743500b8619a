import type { Broker, Failure, Listing, OrderRow, PositionRow } from '../brokers/broker.ts';
import { type Clock, within } from '../clock.ts';
import type { SessionChange } from '../gateway.ts';
import type { Log } from '../log.ts';
import type { Account, Accounts } from '../orders/account.ts';
import type { Journal } from '../orders/attempt.ts';
import { Limiter, ReadBudget, secondWindow } from '../orders/limiter.ts';
import { SharedRead } from '../orders/shared-read.ts';
import { type BrokerParts, newBroker, supportedHint, textOf } from './brokers.ts';
import type { Logins } from './logins.ts';

/** A replaced session's account stays readable this long for its unresolved orders. */
const RETIRED_MS = 180_000;
const RETIRED_CHECK_MS = 1000;
/** A send that found the session still active has written that down by then. */
const RETIRED_FIRST_CHECK_MS = 250;

export interface SessionParts extends BrokerParts {
  logins: Logins;
  journal: Journal;
  /** Order and read budgets are held; off in practice mode with PRACTICE_LIMITS=off. */
  limits: boolean;
  /** Times (epoch ms, ascending) of the order calls of the last day: what fills the limiter at start. */
  recentSends(broker: string, account: string): Promise<number[]>;
  /** A session came up; called after it became the active one. */
  onUp(account: Account): void;
  /** A session ended or was replaced; called when it no longer is the active one. */
  onDown(account: Account): void;
}

/** The one active broker session, and read-only handles of replaced ones while their orders are unresolved. */
export class Sessions implements Accounts {
  readonly #parts: SessionParts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #firstRound = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #retired = new Map<string, Account>();
  #active: { account: Account; expiresAt: number } | null = null;
  /** Connects run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  active(): Account | null {
    if (this.#active && this.#active.expiresAt <= this.#clock.now()) this.#lose(this.#active.account, 'the login has expired');
    return this.#active?.account ?? null;
  }

  activeName(): string | null {
    return this.active()?.broker.id ?? null;
  }

  async settled(waitMs: number): Promise<void> {
    await within(this.#clock, waitMs, this.#firstRound.promise);
  }

  of(broker: string, account: string): Account | null {
    const active = this.active();
    if (active?.broker.id === broker && active.id === account) return active;
    return this.#retired.get(`${broker}:${account}`) ?? null;
  }

  /** Tries the brokers in order until one connects. Never throws: a failure does not stop the start. */
  async autoConnect(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const result = await this.connect(name);
      if (result.success) break;
      this.#log.warn({ broker: name, reason: result.message }, 'Auto-connect failed');
    }
    this.#firstRound.resolve();
  }

  /** Signs in and makes it the active session; when that fails the old session stays. */
  connect(name: string): Promise<SessionChange | Failure> {
    const result = this.#turn.then(() => this.#connect(name));
    this.#turn = result;
    return result;
  }

  async disconnect(): Promise<SessionChange | Failure> {
    const account = this.active();
    if (!account) return { success: false, message: 'Broker Not Connected' };
    this.#active = null;
    await this.#note('session.disconnected', account);
    void this.#retire(account);
    return { success: true, message: `Disconnected from ${account.broker.id}`, broker: account.broker.id };
  }

  /** Forgets every session; logins stay stored. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#firstRound.resolve();
    const accounts = [...this.#retired.values(), ...(this.#active ? [this.#active.account] : [])];
    this.#active = null;
    this.#retired.clear();
    await Promise.all(accounts.map((account) => account.broker.close()));
  }

  async #connect(name: string): Promise<SessionChange | Failure> {
    let broker: Broker;
    let lost: string | null = null;
    let account: Account | null = null;
    try {
      broker = newBroker(this.#parts, name, (reason) => {
        lost = reason;
        if (account) this.#lose(account, reason);
      });
    } catch (error) {
      return { success: false, message: `${textOf(error)}. ${supportedHint}` };
    }
    const opened = await this.#open(broker, name);
    if ('success' in opened) {
      await broker.close().catch(() => undefined);
      return opened;
    }
    const before = this.#active?.account ?? null;
    account = opened.account;
    this.#active = opened;
    if (lost !== null) this.#lose(account, lost);
    if (before) void this.#retire(before);
    await this.#note('session.connected', account);
    this.#log.info({ broker: name, account: account.id }, 'Broker connected');
    this.#parts.onUp(account);
    return { success: true, message: `Connected to ${name}`, broker: name };
  }

  async #open(broker: Broker, name: string): Promise<{ account: Account; expiresAt: number } | Failure> {
    const { logins } = this.#parts;
    try {
      const connected = await broker.connect(await logins.read(name));
      if (!connected.success) return { success: false, message: connected.message };
      await logins.write(name, connected.account, connected.login);
      const account = await this.#account(broker, connected.account);
      return { account, expiresAt: Date.parse(connected.login.expiresAt) };
    } catch (error) {
      return { success: false, message: textOf(error) };
    }
  }

  async #account(broker: Broker, id: string): Promise<Account> {
    const { limits, recentSends } = this.#parts;
    const { orderLimits, readLimits, readLimitsApart } = broker.traits;
    const budget = () => new ReadBudget(this.#clock, limits ? readLimits : []);
    const reads = budget();
    const windows = limits ? [secondWindow, ...orderLimits] : [];
    return {
      broker,
      id,
      positions: new SharedRead<Listing<PositionRow>>(() => broker.positions(), readLimitsApart ? budget() : reads),
      orderBook: new SharedRead<Listing<OrderRow>>(() => broker.orders(), readLimitsApart ? budget() : reads),
      reads,
      limiter: new Limiter(this.#clock, windows, limits ? await recentSends(broker.id, id) : []),
    };
  }

  /** The broker said the login is dead, or its time is over: inactive at once, then one new login where that needs no person. */
  #lose(account: Account, reason: string): void {
    if (this.#active?.account !== account) return;
    this.#active = null;
    const name = account.broker.id;
    this.#log.warn({ broker: name, account: account.id, reason }, 'The broker session ended');
    const noted = this.#note('session.lost', account, { reason });
    void this.#retire(account);
    void noted.then(() => this.#signInAgain(account));
  }

  /** Once, by itself where no person is needed; else, and when that fails, a person is told what to do. Never rejects. */
  async #signInAgain(account: Account): Promise<void> {
    const name = account.broker.id;
    // First, or it could take the new login away.
    await this.#parts.logins.forget(name).catch(() => undefined);
    if (this.#stop.signal.aborted) return;
    let reason = `${name} needs a person to sign in`;
    if (account.broker.traits.unattended) {
      const result = await this.connect(name);
      if (result.success || this.#stop.signal.aborted) return;
      reason = result.message;
    }
    const message = `${reason}. Run: npm run login -- ${name}, then POST /broker/connect?broker=${name}`;
    this.#log.error({ broker: name, account: account.id }, message);
    await this.#note('session.login_needed', account, { message });
  }

  /** Keeps a replaced account readable while orders of it are unresolved, then closes it. */
  async #retire(account: Account): Promise<void> {
    this.#parts.onDown(account);
    const name = `${account.broker.id}:${account.id}`;
    this.#retired.set(name, account);
    const until = this.#clock.mono() + RETIRED_MS;
    await this.#clock.sleep(RETIRED_FIRST_CHECK_MS, this.#stop.signal);
    while (this.#clock.mono() < until && !this.#stop.signal.aborted && (await this.#hasOpen(account))) {
      await this.#clock.sleep(RETIRED_CHECK_MS, this.#stop.signal);
    }
    if (this.#retired.get(name) === account) this.#retired.delete(name);
    await account.broker.close().catch(() => undefined);
  }

  async #hasOpen(account: Account): Promise<boolean> {
    const open = await this.#parts.journal.open().catch(() => null);
    return open === null || open.some((attempt) => attempt.broker === account.broker.id && attempt.account === account.id);
  }

  async #note(kind: string, account: Account, detail: Record<string, unknown> = {}): Promise<void> {
    await this.#parts.journal.note({ kind, broker: account.broker.id, account: account.id, detail }).catch(() => undefined);
  }
}
