import type { Account, Accounts } from '../brokers/account.ts';
import type { Broker, Failure } from '../brokers/broker.ts';
import { Door } from '../brokers/door.ts';
import { QuoteRead } from '../brokers/quote-read.ts';
import { SharedRead } from '../brokers/shared-read.ts';
import { type Clock, within } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { type BrokerParts, newBroker, supportedHint, textOf } from './brokers.ts';
import { type BudgetParts, Budgets } from './budgets.ts';
import { ClockOffset } from './clock-offset.ts';
import type { Logins } from './logins.ts';

/** A change of the session that took place. */
export type SessionChange = { success: true; message: string; broker: string };

/** How the session stands; instants are epoch ms, UTC. */
export interface SessionState {
  active: boolean;
  since: number | null;
  /** When its login ends by itself. */
  endsAt: number | null;
  /** Why there is none, and what to do. */
  message: string | null;
  /** Our clock less the broker's, ms, and when it was told. */
  clock: { offsetMs: number; at: number } | null;
}

/** A replaced session's account stays readable this long for its unresolved orders. */
const RETIRED_MS = 180_000;
const RETIRED_CHECK_MS = 1000;
/** A send that found the session still active has written that down by then. */
const RETIRED_FIRST_CHECK_MS = 250;
/** How long a shutdown waits for the sends that have begun, where nobody follows at once. */
const CLOSE_WAIT_MS = 1000;

export interface SessionParts extends BrokerParts, BudgetParts {
  logins: Logins;
  journal: Pick<Journal, 'note'>;
  /** How long a stop waits for sends that have begun; 1 s unless given. */
  stopWaitMs?: number;
  /** Orders of this account are not resolved yet: it stays readable for them. */
  hasOpen(account: Account): boolean | Promise<boolean>;
  /** A session came up; called after it became the active one. */
  onUp(account: Account): void;
  /** A session ended or was replaced; called when it no longer is the active one. */
  onDown(account: Account): void;
}

const stopping: Failure = { success: false, message: 'The gateway is stopping' };

interface Active {
  account: Account;
  expiresAt: number;
  /** Epoch ms. */
  since: number;
  offset: ClockOffset;
}

/** The one active broker session, and read-only handles of replaced ones while their orders are unresolved. */
export class Sessions implements Accounts {
  /** The budgets of every broker, for whoever reads past a session. */
  readonly budgets: Budgets;
  /** What brokers said that were tried at the start and did not connect, by name. */
  readonly refusals = new Map<string, string>();
  readonly #parts: SessionParts;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #firstRound = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  readonly #retired = new Map<string, Account>();
  /** Doors that were shut and whose last sends are not over yet. */
  readonly #shutting = new Set<Promise<void>>();
  #active: Active | null = null;
  /** Why there is no session, where something is known. */
  #why: string | null = null;
  /** Connects run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.budgets = new Budgets(parts);
    this.#clock = parts.clock;
    this.#log = parts.log;
  }

  active(): Account | null {
    if (this.#active && this.#active.expiresAt <= this.#clock.now()) this.#lose(this.#active.account, 'the login has expired');
    return this.#active && !this.#active.account.door.isShut ? this.#active.account : null;
  }

  /** How the session stands now. */
  state(): SessionState {
    const now = this.active() && this.#active;
    const { since = null, expiresAt: endsAt = null, offset = null } = now ?? {};
    const message = this.#why ?? 'No broker is connected. POST /broker/connect?broker=NAME connects one';
    return { active: now !== null, since, endsAt, message: now ? null : message, clock: offset?.get() ?? null };
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
      this.refusals.set(name, result.message);
      this.#log.warn({ broker: name, reason: result.message }, 'Auto-connect failed');
      this.#why = result.message;
    }
    this.#firstRound.resolve();
  }

  /** Signs in and makes it the active session; when that fails the old session stays. */
  connect(name: string): Promise<SessionChange | Failure> {
    const result = this.#turn.then(() => this.#connect(name));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Ends the session. Once it has answered nothing leaves any more: the sends that had begun are over by then. */
  async disconnect(): Promise<SessionChange | Failure> {
    const account = this.active();
    if (!account) {
      await Promise.all(this.#shutting);
      return { success: false, message: 'Broker Not Connected' };
    }
    this.#active = null;
    this.#why = `Disconnected from ${account.broker.id}`;
    const shut = this.#shut(account);
    void this.#retire(account);
    await shut;
    await this.#note('session.disconnected', account);
    return { success: true, message: `Disconnected from ${account.broker.id}`, broker: account.broker.id };
  }

  /** Forgets every session; logins stay stored. Sends that have begun are given a while. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#firstRound.resolve();
    const accounts = [...this.#retired.values(), ...(this.#active ? [this.#active.account] : [])];
    this.#active = null;
    this.#retired.clear();
    for (const account of accounts) void this.#shut(account);
    await within(this.#clock, this.#parts.stopWaitMs ?? CLOSE_WAIT_MS, Promise.all(this.#shutting));
    await Promise.all(accounts.map((account) => account.broker.close()));
  }

  async #connect(name: string): Promise<SessionChange | Failure> {
    let broker: Broker;
    let lost: string | null = null;
    let account: Account | null = null;
    const offset = new ClockOffset(this.#clock);
    const onExpired = (reason: string) => {
      lost = reason;
      if (account) this.#lose(account, reason);
    };
    try {
      broker = newBroker(this.#parts, name, onExpired, (ms) => offset.hear(ms));
    } catch (error) {
      return { success: false, message: `${textOf(error)}. ${supportedHint}` };
    }
    const opened = await this.#open(broker, name);
    const refused = this.#stop.signal.aborted ? stopping : 'success' in opened ? opened : null;
    if (refused || 'success' in opened) {
      await broker.close().catch(() => undefined);
      return refused ?? stopping;
    }
    const before = this.#active?.account ?? null;
    account = opened.account;
    this.#active = { ...opened, since: this.#clock.now(), offset };
    this.#why = null;
    if (lost !== null) this.#lose(account, lost);
    if (before) {
      const shut = this.#shut(before);
      void this.#retire(before);
      await shut;
    }
    await this.#note('session.connected', account);
    this.#log.info({ broker: name, account: account.id }, 'Broker connected');
    this.#tell('onUp', account);
    return { success: true, message: `Connected to ${name}`, broker: name };
  }

  async #open(broker: Broker, name: string): Promise<{ account: Account; expiresAt: number } | Failure> {
    const { logins } = this.#parts;
    try {
      const stored = await logins.read(name);
      this.budgets.reads(broker).others.count();
      const connected = await broker.connect(stored);
      if (!connected.success) return { success: false, message: connected.message };
      await logins.write(name, connected.account, connected.login);
      const account = await this.#account(broker, connected.account);
      return { account, expiresAt: Date.parse(connected.login.expiresAt) };
    } catch (error) {
      return { success: false, message: textOf(error) };
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

  /** Nothing leaves through the account's door from now on. Resolves when what had begun is over. */
  async #shut(account: Account): Promise<void> {
    const shut = account.door.shut();
    this.#shutting.add(shut);
    await shut;
    this.#shutting.delete(shut);
  }

  /** What the rest of the gateway makes of a session's coming or going is its own: it never stops one. */
  #tell(what: 'onUp' | 'onDown', account: Account): void {
    try {
      this.#parts[what](account);
    } catch (error) {
      this.#log.error({ broker: account.broker.id, account: account.id, error: String(error) }, `A follower of sessions failed (${what})`);
    }
  }

  /** The broker said the login is dead, or its time is over: inactive at once, then one new login where that needs no person. */
  #lose(account: Account, reason: string): void {
    if (this.#active?.account !== account) return;
    this.#active = null;
    this.#why = reason;
    void this.#shut(account);
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
    if (!this.#active) this.#why = message;
    await this.#note('session.login_needed', account, { message });
  }

  /** Keeps a replaced account readable while orders of it are unresolved, then closes it. */
  async #retire(account: Account): Promise<void> {
    this.#tell('onDown', account);
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
    try {
      return await this.#parts.hasOpen(account);
    } catch {
      return true;
    }
  }

  async #note(kind: string, account: Account, detail: Record<string, unknown> = {}): Promise<void> {
    await this.#parts.journal.note({ kind, broker: account.broker.id, account: account.id, detail }).catch(() => undefined);
  }
}
