import type { Account } from '../brokers/account.ts';
import { istText } from '../clock.ts';
import type { Journal } from '../journal/journal.ts';
import { AutoConnect, type Round, type TrySignIn } from './auto-connect.ts';
import type { SignIn, SignInParts } from './sign-in.ts';

/** A session that lasted less is not signed in again at once a second time. */
const STEADY_MS = 600_000;

export interface UnattendedParts extends SignInParts {
  journal: Pick<Journal, 'note'>;
}

/** What the gateway does about its session without a person, and what it says of it. */
export class Unattended {
  /** What brokers said that were tried at the start and did not connect, by name. */
  readonly refusals = new Map<string, string>();
  /** Why there is no session, where something is known. */
  why: string | null = null;
  readonly #parts: UnattendedParts;
  readonly #auto: AutoConnect;
  /** Sessions in a row that were lost soon. */
  #shortLived = 0;
  /** The account whose login is missed. */
  #missed: Account | null = null;

  /** `trySignIn`: makes a broker the active session. */
  constructor(parts: UnattendedParts, signIn: Pick<SignIn, 'restMs'>, trySignIn: TrySignIn) {
    this.#parts = parts;
    this.#auto = new AutoConnect({ ...parts, restMs: (name) => signIn.restMs(name), signIn: trySignIn });
  }

  /** Why there is no session, what to do, and when the gateway signs in by itself again (epoch ms; null where it does not). */
  outlook(): { message: string; nextTryAt: number | null } {
    const { nextAt, names } = this.#auto;
    const why = this.why ?? 'No broker is connected. POST /broker/connect?broker=NAME connects one';
    const next = nextAt === null ? '' : `. ${names.join(', ')}: tried again by itself at ${istText(nextAt)} IST`;
    return { message: why + next, nextTryAt: nextAt };
  }

  /** Resolves when no first try is under way or to come, or after `waitMs`. */
  settled(waitMs: number): Promise<void> {
    return this.#auto.settled(waitMs);
  }

  /** Tries brokers in order until one connects. Resolves after the first round. Never rejects. */
  begin(names: readonly string[]): Promise<void> {
    return this.#auto.begin({
      names,
      onFailed: (round) => {
        this.#tellFailed(round);
        if (round.first) for (const [name, { message }] of round.failures) this.refusals.set(name, message);
      },
    });
  }

  /** A session came up: nothing is missed any more. */
  up(): void {
    this.why = null;
    this.end();
  }

  /** A person chose: what was lost before tells nothing of the new session. */
  chosen(): void {
    this.#shortLived = 0;
  }

  /** Ends whatever is tried; the first of the brokers that were. */
  end(): string | undefined {
    const [name] = this.#auto.names;
    this.#missed = null;
    this.#auto.cancel();
    return name;
  }

  /** A session is over after `lastedMs`. It is signed in again where no person is needed, as in practice mode; else a person is told. */
  lost(account: Account, reason: string, lastedMs: number): void {
    const { id: name, traits } = account.broker;
    this.why = reason;
    this.#missed = account;
    this.#parts.log.warn({ broker: name, account: account.id, reason }, 'The broker session ended');
    const forgotten = this.#forget(account, reason);
    if (!traits.unattended && this.#parts.config.mode !== 'practice') {
      void forgotten.then(() => this.#needLogin(account, `${name} needs a person to sign in`));
      return;
    }
    const earlier = lastedMs < STEADY_MS ? this.#shortLived : 0;
    this.#shortLived = earlier + 1;
    void this.#auto.begin({ names: [name], earlier, after: forgotten, onFailed: (round) => this.#afterLoss(account, round) });
  }

  /** A dead login goes before anybody signs in again. Never rejects. */
  async #forget(account: Account, reason: string): Promise<void> {
    const forgotten = this.#parts.logins.forget(account.broker.id).catch(() => undefined);
    await Promise.all([forgotten, this.#note('session.lost', account, { reason })]);
  }

  #afterLoss(account: Account, round: Round): void {
    const message = this.#tellFailed(round);
    if (round.left.length === 0) void this.#needLogin(account, message);
    else if (round.first) void this.#note('session.login_failed', account, { message });
  }

  #tellFailed({ failures, left }: Round): string {
    for (const [broker, { message: reason, cause }] of failures) {
      this.#parts.log.warn({ broker, reason, cause, again: left.includes(broker) }, 'Auto-connect failed');
    }
    this.why = [...failures.values()].map(({ message }) => message).join('; ');
    return this.why;
  }

  /** A person is told what to do, unless it was done meanwhile. */
  async #needLogin(account: Account, reason: string): Promise<void> {
    if (this.#missed !== account) return;
    const name = account.broker.id;
    this.why = `${reason}. Run: npm run login -- ${name}, then POST /broker/connect?broker=${name}`;
    this.#parts.log.error({ broker: name, account: account.id }, this.why);
    await this.#note('session.login_needed', account, { message: this.why });
  }

  async #note(kind: string, { broker, id }: Account, detail: Record<string, unknown>): Promise<void> {
    await this.#parts.journal.note({ kind, broker: broker.id, account: id, detail }).catch(() => undefined);
  }
}
