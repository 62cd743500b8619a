import type { Account, Accounts } from '../brokers/account.ts';
import type { LoginFailure } from '../brokers/broker.ts';
import { type Clock, Cut, within } from '../clock.ts';
import type { Budgets } from './budgets.ts';
import type { ClockOffset } from './clock-offset.ts';
import { Retired, type RetiredParts } from './retired.ts';
import { SignIn } from './sign-in.ts';
import { Unattended, type UnattendedParts } from './unattended.ts';

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
  /** When the gateway signs in by itself again; null where it does not. */
  nextTryAt: number | null;
  /** Our clock less the broker's, ms, and when it was told. */
  clock: { offsetMs: number; at: number } | null;
}

/** How long a shutdown waits for the sends that have begun, where nobody follows at once. */
const CLOSE_WAIT_MS = 1000;
/** The end of a login goes by the wall clock, which is looked at this often: it may be set, and a machine may have slept. */
const LOOK_MS = 30_000;

export interface SessionParts extends UnattendedParts, RetiredParts {
  /** How long a stop waits for sends that have begun; 1 s unless given. */
  stopWaitMs?: number;
  /** A session came up; called after it became the active one. */
  onUp(account: Account): void;
  /** A session ended or was replaced; called when it no longer is the active one. */
  onDown(account: Account): void;
}

interface Active {
  account: Account;
  expiresAt: number;
  /** Epoch ms, and monotonic ms. */
  since: number;
  began: number;
  offset: ClockOffset;
  /** Cut when it is no longer the active one. */
  over: Cut;
}

/** The one active broker session, and read-only handles of replaced ones while their orders are unresolved. */
export class Sessions implements Accounts {
  readonly budgets: Budgets;
  readonly #parts: SessionParts;
  readonly #clock: Clock;
  readonly #signIn: SignIn;
  readonly #unattended: Unattended;
  readonly #stop = new AbortController();
  readonly #retired: Retired;
  /** Doors that were shut and whose last sends are not over yet. */
  readonly #shutting = new Set<Promise<void>>();
  #active: Active | null = null;
  /** Sign-ins run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** How often a person disconnected: what was asked before does not come up any more. */
  #disconnects = 0;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#retired = new Retired(parts);
    this.#signIn = new SignIn(parts);
    this.budgets = this.#signIn.budgets;
    this.#unattended = new Unattended(parts, this.#signIn, (name, wanted) => this.#inTurn(name, () => wanted.aborted));
  }

  /** What brokers said that were tried at the start and did not connect, by name. */
  get refusals(): ReadonlyMap<string, string> {
    return this.#unattended.refusals;
  }

  active(): Account | null {
    if (this.#active && this.#active.expiresAt <= this.#clock.now()) this.#lose(this.#active.account, 'the login has expired');
    return this.#active && !this.#active.account.door.isShut ? this.#active.account : null;
  }

  /** How the session stands now. */
  state(): SessionState {
    const now = this.active() && this.#active;
    const { since = null, expiresAt: endsAt = null, offset = null } = now ?? {};
    const { message, nextTryAt } = this.#unattended.outlook();
    const clock = offset?.get() ?? null;
    return { active: now !== null, since, endsAt, message: now ? null : message, nextTryAt: now ? null : nextTryAt, clock };
  }

  activeName(): string | null {
    return this.active()?.broker.id ?? null;
  }

  settled(waitMs: number): Promise<void> {
    return this.#unattended.settled(waitMs);
  }

  of(broker: string, account: string): Account | null {
    const active = this.active();
    if (active?.broker.id === broker && active.id === account) return active;
    return this.#retired.of(broker, account);
  }

  /** Tries the brokers in order until one connects, then goes on in the background with those whose credentials were not refused. Resolves after the first round. Never rejects. */
  autoConnect(names: readonly string[]): Promise<void> {
    return this.#unattended.begin(names);
  }

  /** Signs in and makes it the active session; when that fails the old session stays, or what is tried by itself goes on. */
  async connect(name: string): Promise<SessionChange | { success: false; message: string }> {
    const before = this.#disconnects;
    const result = await this.#inTurn(name, () => this.#disconnects !== before);
    if (!result.success) return { success: false, message: result.message };
    this.#unattended.chosen();
    return result;
  }

  /** Ends the session, and what signs in by itself. Once it has answered nothing leaves any more: the sends that had begun are over by then. */
  async disconnect(): Promise<SessionChange | { success: false; message: string }> {
    const account = this.active();
    this.#disconnects += 1;
    const tried = this.#unattended.end();
    const name = account?.broker.id ?? tried;
    if (name === undefined) {
      await Promise.all(this.#shutting);
      return { success: false, message: 'Broker Not Connected' };
    }
    const message = account ? `Disconnected from ${name}` : `${name} is not signed in again by itself`;
    this.#unattended.why = message;
    if (account) {
      this.#leave();
      const shut = this.#shut(account);
      this.#retire(account);
      await shut;
    }
    await Promise.all(account ? [] : this.#shutting);
    await this.#note('session.disconnected', { broker: name, ...(account && { account: account.id }) });
    return { success: true, message, broker: name };
  }

  /** Forgets every session; logins stay stored. Sends that have begun are given a while. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#unattended.end();
    const last = this.#leave();
    const accounts = [...this.#retired.stop(), ...(last ? [last.account] : [])];
    for (const account of accounts) void this.#shut(account);
    await within(this.#clock, this.#parts.stopWaitMs ?? CLOSE_WAIT_MS, Promise.all(this.#shutting));
    await Promise.all(accounts.map((account) => account.broker.close()));
  }

  #inTurn(name: string, isOver: () => boolean): Promise<SessionChange | LoginFailure> {
    const result = this.#turn.then(() => this.#connect(name, isOver));
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Does nothing once `isOver`, also when it turns so meanwhile. */
  async #connect(name: string, isOver: () => boolean): Promise<SessionChange | LoginFailure> {
    let lost: string | null = null;
    let account: Account | null = null;
    const refused = (): LoginFailure | null => {
      if (this.#stop.signal.aborted) return { success: false, message: 'The gateway is stopping' };
      return isOver() ? { success: false, message: `${name} was disconnected meanwhile` } : null;
    };
    const before = refused();
    if (before) return before;
    const opened = await this.#signIn.open(name, (reason) => {
      lost = reason;
      if (account) this.#lose(account, reason);
    });
    if ('success' in opened) return refused() ?? opened;
    const late = refused();
    if (late) {
      await opened.account.broker.close().catch(() => undefined);
      return late;
    }
    account = opened.account;
    await this.#activate(opened, lost);
    return { success: true, message: `Connected to ${name}`, broker: name };
  }

  async #activate({ account, ...login }: Omit<Active, 'since' | 'began' | 'over'>, lost: string | null): Promise<void> {
    const replaced = this.#leave()?.account ?? null;
    this.#unattended.up();
    this.#active = { account, ...login, since: this.#clock.now(), began: this.#clock.mono(), over: new Cut() };
    void this.#endInTime(this.#active);
    if (lost !== null) this.#lose(account, lost);
    if (replaced) {
      const shut = this.#shut(replaced);
      this.#retire(replaced);
      await shut;
    }
    await this.#note('session.connected', { broker: account.broker.id, account: account.id });
    this.#parts.log.info({ broker: account.broker.id, account: account.id }, 'Broker connected');
    this.#tell('onUp', account);
  }

  /** A login whose time is over is found so at once, and not by the next order. */
  async #endInTime({ account, expiresAt, over }: Active): Promise<void> {
    while (!over.aborted) {
      const left = expiresAt - this.#clock.now();
      if (left <= 0) return this.#lose(account, 'the login has expired');
      await this.#clock.sleep(Math.min(left, LOOK_MS), over);
    }
  }

  /** There is no active session from now on; the one there was. */
  #leave(): Active | null {
    const last = this.#active;
    last?.over.abort();
    this.#active = null;
    return last;
  }

  /** Nothing leaves through the account's door from now on. Resolves when what had begun is over. */
  async #shut(account: Account): Promise<void> {
    const shut = account.door.shut();
    this.#shutting.add(shut);
    await shut;
    this.#shutting.delete(shut);
  }

  #retire(account: Account): void {
    this.#tell('onDown', account);
    void this.#retired.keep(account);
  }

  /** What the rest of the gateway makes of a session's coming or going is its own: it never stops one. */
  #tell(what: 'onUp' | 'onDown', account: Account): void {
    try {
      this.#parts[what](account);
    } catch (error) {
      this.#parts.log.error(
        { broker: account.broker.id, account: account.id, error: String(error) },
        `A follower of sessions failed (${what})`,
      );
    }
  }

  /** The broker said the login is dead, or its time is over: inactive at once. */
  #lose(account: Account, reason: string): void {
    const lost = this.#active;
    if (lost?.account !== account) return;
    this.#leave();
    void this.#shut(account);
    this.#retire(account);
    this.#unattended.lost(account, reason, this.#clock.mono() - lost.began);
  }

  async #note(kind: string, detail: { broker: string; account?: string }): Promise<void> {
    await this.#parts.journal.note({ kind, ...detail }).catch(() => undefined);
  }
}
