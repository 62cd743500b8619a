import type { LoginCause, LoginFailure } from '../brokers/broker.ts';
import { type Clock, Cut, type Random, type Signal, within } from '../clock.ts';

/** Pauses between tries double from the first to the last, moved by chance. */
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;
const CHANCE = 0.2;
/** Causes that pass without anybody's doing. */
const passing: readonly (LoginCause | undefined)[] = ['unreachable', 'broker'];

/** Signs in to one broker, unless `wanted` is cut before that is done. Never rejects. */
export type TrySignIn = (name: string, wanted: Signal) => Promise<{ success: true } | LoginFailure>;

export interface AutoConnectParts {
  clock: Clock;
  random: Random;
  signIn: TrySignIn;
  /** How long (ms) a broker's login has to rest from now on. */
  restMs(name: string): number;
}

/** What a round of tries came to. */
export interface Round {
  failures: ReadonlyMap<string, LoginFailure>;
  /** Those that are tried again; when (epoch ms) stands in `nextAt`. */
  left: readonly string[];
  first: boolean;
}

export interface Course {
  /** Tried in order, round by round, until one connects. */
  names: readonly string[];
  /** Tries shortly before, which make the first pause; none: it is tried at once. */
  earlier?: number;
  /** What has to be over before the first try. Never rejects. */
  after?: Promise<void>;
  /** Hears each round in which none connected. */
  onFailed(round: Round): void;
}

/**
 * Signs in without a person, for as long as the cause of a failure is not the credentials: until one is connected, all that is left are refused
 * credentials, or somebody decides otherwise. One course at a time.
 */
export class AutoConnect {
  readonly #parts: AutoConnectParts;
  #wanted: Cut | null = null;
  #names: readonly string[] = [];
  #nextAt: number | null = null;
  #firstRound = Promise.withResolvers<void>();

  constructor(parts: AutoConnectParts) {
    this.#parts = parts;
  }

  /** The brokers that are tried; none when nothing is. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** When they are tried next, epoch ms; null when nothing waits. */
  get nextAt(): number | null {
    return this.#nextAt;
  }

  /** Resolves when no first try of a course is under way or to come, or after `waitMs`. */
  async settled(waitMs: number): Promise<void> {
    await within(this.#parts.clock, waitMs, this.#firstRound.promise);
  }

  /** Begins a course; the one before ends. Resolves after its first round. */
  begin(course: Course): Promise<void> {
    this.cancel();
    const wanted = new Cut();
    const firstRound = Promise.withResolvers<void>();
    [this.#wanted, this.#names, this.#firstRound] = [wanted, course.names, firstRound];
    void this.#run(course, wanted, firstRound.resolve).finally(() => wanted.aborted || this.cancel());
    return firstRound.promise;
  }

  /** Ends whatever is tried, also a sign-in under way. */
  cancel(): void {
    this.#wanted?.abort();
    [this.#wanted, this.#names, this.#nextAt] = [null, [], null];
    this.#firstRound.resolve();
  }

  async #run({ names, earlier = 0, after, onFailed }: Course, wanted: Cut, firstOver: () => void): Promise<void> {
    const { clock } = this.#parts;
    await after;
    for (let [left, tries] = [names, earlier]; left.length > 0; tries += 1) {
      const pauseMs = this.#pauseMs(left, tries);
      if (wanted.aborted) return;
      if (pauseMs > 0) {
        this.#nextAt = clock.now() + pauseMs;
        // Nobody waits for what comes later.
        firstOver();
        await clock.sleep(pauseMs, wanted);
        if (wanted.aborted) return;
        this.#nextAt = null;
      }
      const failures = await this.#round(left, wanted);
      if (!failures) return;
      left = left.filter((name) => passing.includes(failures.get(name)?.cause));
      this.#names = left;
      onFailed({ failures, left, first: tries === earlier });
    }
  }

  /** Null when one connected, or nobody wants it any more. */
  async #round(names: readonly string[], wanted: Cut): Promise<Map<string, LoginFailure> | null> {
    const failures = new Map<string, LoginFailure>();
    for (const name of names) {
      const tried = await this.#parts.signIn(name, wanted);
      if (tried.success || wanted.aborted) return null;
      failures.set(name, tried);
    }
    return failures;
  }

  #pauseMs(names: readonly string[], tries: number): number {
    const steady = tries === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
    const moved = steady * (1 + CHANCE * (2 * this.#parts.random.next() - 1));
    return Math.max(moved, ...names.map((name) => this.#parts.restMs(name)));
  }
}
