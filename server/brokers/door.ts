import { AsyncLocalStorage } from 'node:async_hooks';

type Leave = () => string | null;

/** Why nothing leaves any more through the door of an ended session. */
export const SESSION_ENDED = 'The broker session has ended';

const permission = new AsyncLocalStorage<Leave>();

/** Where the mutating calls of one session go out. Shut, it lets nothing through any more. */
export class Door {
  readonly #sends = new Set<Promise<unknown>>();
  readonly #held: Leave;
  #shut = false;

  /** `held`: why nothing of this process may leave, whatever the session says. */
  constructor(held: Leave = () => null) {
    this.#held = held;
  }

  /** Why nothing may leave now through this door or any other; null when it may. */
  get held(): string | null {
    return this.#held();
  }

  get isShut(): boolean {
    return this.#shut;
  }

  /**
   * Runs one send. `leave` is asked in the turn of the event loop that writes the bytes (again for every request the adapter sends within);
   * a text it answers is why nothing may leave. Behind a shut door the work still runs, so that its adapter says "not sent" in its own way.
   */
  async send<T>(leave: Leave, work: () => Promise<T>): Promise<T> {
    const sending = permission.run(
      () => (this.#shut ? SESSION_ENDED : (this.#held() ?? leave())),
      async () => await work(),
    );
    this.#sends.add(sending);
    try {
      return await sending;
    } finally {
      this.#sends.delete(sending);
    }
  }

  /** From now on nothing leaves through this door. Resolves when the sends that had begun are over. */
  async shut(): Promise<void> {
    this.#shut = true;
    await Promise.allSettled(this.#sends);
  }
}

/** The permission of the send that runs now, to be asked later, where the bytes are written. */
export function permissionToLeave(): Leave {
  return permission.getStore() ?? (() => null);
}

/** For whoever writes a mutating call's bytes: why it may not leave, null when it may. Null outside any send (logins). */
export function mayLeave(): string | null {
  return permissionToLeave()();
}
