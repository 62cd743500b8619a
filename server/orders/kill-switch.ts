import type { KillSwitchState } from '../../contract/kill-switch.ts';
import type { Failure } from '../brokers/broker.ts';
import { type Clock, within } from '../clock.ts';
import type { Turn, TurnKeeper } from '../journal/kill-switch-record.ts';
import type { Log } from '../log.ts';

/** Stops what can grow a position at once; cancels and orders that reduce one pass. Remembered, so that a restart does not release it. */
export interface KillSwitch {
  readonly on: boolean;
  /** When it was turned to where it stands, epoch ms; null: never turned. */
  readonly since: number | null;
  /** Who turned it: a user's name, `signal` or `setting`; null: nobody, or not known. */
  readonly by: string | null;
  /**
   * Applies at once, before anything is awaited; resolves when it is stored. Rejects when the first try to store it fails or nothing came of it
   * within 5 s: it holds all the same and storing goes on. To set it to where it stands is no turn.
   */
  set(on: boolean, by: string): Promise<void>;
}

interface Parts {
  keeper: TurnKeeper;
  clock: Clock;
  log: Log;
  /** The KILL_SWITCH setting: turns it on now; false leaves what is remembered. */
  turnOn: boolean;
}

const ANSWER_MS = 5000;
const RETRY_MS = 1000;
const STOP_MS = 300;

/** The kill switch as it is remembered. Rejects when that cannot be read. `stop` gives turns that wait a moment to be stored. */
export async function createKillSwitch({ keeper, clock, log, turnOn }: Parts): Promise<KillSwitch & { stop(): Promise<void> }> {
  let now = await keeper.read();
  const stopping = new AbortController();
  const store = storing({ keeper, clock, log, stop: stopping.signal });

  async function set(on: boolean, by: string): Promise<void> {
    if (on !== now.on) {
      const turn = { on, since: clock.now(), by, number: now.number + 1 };
      now = turn;
      log.warn({ on, by }, 'Kill switch');
      store.add(turn);
    }
    const stored = store.stored(now.number).then(() => true);
    if (!(await within(clock, ANSWER_MS, stored))) throw new Error(`The store did not answer within ${ANSWER_MS / 1000} s`);
  }

  // Not stored is told in the log; the setting itself turns it on again at the next start.
  if (turnOn) await set(true, 'setting').catch(() => undefined);
  return {
    get on() {
      return now.on;
    },
    get since() {
      return now.since;
    },
    get by() {
      return now.by;
    },
    set,
    async stop() {
      stopping.abort();
      await within(clock, STOP_MS, store.ended());
    },
  };
}

interface Waiting {
  turn: Turn;
  failed: boolean;
  /** Settles with the first try. */
  told: PromiseWithResolvers<void>;
}

/** Stores turns one after the other; one that fails is tried again unless a later one waits or the gateway stops. */
function storing({ keeper, clock, log, stop }: Omit<Parts, 'turnOn'> & { stop: AbortSignal }) {
  const waiting: Waiting[] = [];
  let running = false;
  let ended = Promise.resolve();

  async function run(): Promise<void> {
    running = true;
    for (let first = waiting[0]; first && !(first.failed && stop.aborted); first = waiting[0]) {
      const { on, by } = first.turn;
      try {
        await keeper.write(first.turn);
        waiting.shift();
        first.told.resolve();
        if (first.failed) log.warn({ on, by }, 'The kill switch is stored now');
      } catch (error) {
        if (!first.failed) log.error({ on, by, error: String(error) }, 'The kill switch holds but could not be stored; it is tried again');
        first.failed = true;
        first.told.reject(error);
        if (waiting.length === 1) await clock.sleep(RETRY_MS, stop);
        if (waiting.length > 1) waiting.shift();
      }
    }
    running = false;
  }

  return {
    add(turn: Turn): void {
      const told = Promise.withResolvers<void>();
      waiting.push({ turn, failed: false, told });
      if (!running) ended = run();
    },
    ended: () => ended,
    async stored(number: number): Promise<void> {
      await waiting.find((one) => one.turn.number === number)?.told.promise;
    },
  };
}

export interface KillSwitchOperations {
  killSwitch(): Promise<KillSwitchState>;
  /** Holds at once; a Failure says that it is not stored yet. `by` is the user's name. */
  setKillSwitch(on: boolean, by: string): Promise<KillSwitchState | Failure>;
}

/** The two operations of the contract. */
export function killSwitchOperations(killSwitch: KillSwitch): KillSwitchOperations {
  function state(): KillSwitchState {
    const { on, since, by } = killSwitch;
    return { success: true, on, since: since === null ? null : new Date(since).toISOString(), by };
  }
  return {
    killSwitch: async () => state(),
    async setKillSwitch(on, by) {
      try {
        await killSwitch.set(on, by);
        return state();
      } catch {
        const word = killSwitch.on ? 'on' : 'off';
        const message = `The kill switch is ${word} and this holds now, but it is not stored yet: a restart before it is would forget it. Storing is tried again.`;
        return { success: false, message };
      }
    },
  };
}
