import type { CancelOrderRequest, ModifyOrderRequest, PlaceOrderRequest } from '../../contract/orders.ts';
import type { Read } from '../brokers/broker.ts';
import type { Clock, Random } from '../clock.ts';
import type { PlaceReply } from '../gateway.ts';
import type { Log } from '../log.ts';
import type { Accounts } from './account.ts';
import type { Attempt, Journal } from './attempt.ts';
import { Changing } from './change.ts';
import { Guard } from './guard.ts';
import type { KillSwitch } from './kill-switch.ts';
import { Mutexes } from './mutex.ts';
import { Placing } from './place.ts';
import { Pursuits } from './pursuits.ts';
import { Sending } from './send.ts';
import { Settler } from './settle.ts';

const SHUTDOWN_WAIT_MS = 1000;
const EXPIRE_EVERY_MS = 10_000;

export interface DeskParts {
  clock: Clock;
  random: Random;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  killSwitch: KillSwitch;
  /** Names this process in the journal. */
  owner: string;
  /** Told after a modify or cancel that may have reached the broker. */
  orderChanged(): void;
}

/** The order desk: everything that mutates at the broker goes through it. Its parts are all parameters, so that a seed replays a day. */
export interface Desk {
  place(request: PlaceOrderRequest, options: { replayOnly: boolean }): Promise<PlaceReply>;
  modify(request: ModifyOrderRequest): Promise<Read>;
  cancel(request: CancelOrderRequest): Promise<Read>;
  /** Takes over what an earlier process left open. Call once, before the first place. Returns how many. */
  recover(): Promise<number>;
  /** Orders whose truth is not known. */
  unresolved(): Attempt[];
  /** A session came up, or its order updates do again: unresolved orders are read at once. */
  sessionUp(): void;
  /** The broker says an order changed, null when not which: it is read if anyone waits for it. */
  orderNews(orderId: string | null): void;
  /** Refuses new orders, gives those in flight 1 s; the rest is found again at the next start. */
  stop(): Promise<void>;
}

export function createDesk(parts: DeskParts): Desk {
  const { clock, journal, owner } = parts;
  const stopping = new AbortController();
  const stop = stopping.signal;
  const settler = new Settler({ ...parts, stop });
  const guard = new Guard(clock, journal);
  const pursuits = new Pursuits({ ...parts, settler, guard, stop }, owner);
  const sending = new Sending({ ...parts, settler, guard, pursuits, stop });
  const placing = new Placing({ ...parts, sending, settler, pursuits, mutexes: new Mutexes(clock) });
  const changing = new Changing({ ...parts, changed: () => parts.orderChanged() });

  async function expireForever(): Promise<void> {
    while (!stop.aborted) {
      await clock.sleep(EXPIRE_EVERY_MS, stop);
      if (!stop.aborted) await journal.expire(clock.now()).catch(() => undefined);
    }
  }

  return {
    place: (request, options) => placing.place(request, options),
    modify: (request) => changing.modify(request),
    cancel: (request) => changing.cancel(request),
    async recover() {
      await guard.remember();
      const found = await pursuits.recover();
      void expireForever();
      return found;
    },
    unresolved: () => pursuits.open,
    sessionUp: () => pursuits.hurry(),
    orderNews: (orderId) => pursuits.news(orderId),
    async stop() {
      await placing.stop(SHUTDOWN_WAIT_MS);
      stopping.abort();
    },
  };
}
