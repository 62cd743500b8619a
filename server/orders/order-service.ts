import type { CancelOrderRequest, ModifyOrderRequest, PlaceOrderRequest } from '../../contract/orders.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Read } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Wake } from '../brokers/wake.ts';
import type { Clock, Random } from '../clock.ts';
import type { Instruments } from '../instruments/instruments.ts';
import type { Attempt } from '../journal/attempt.ts';
import type { Journal } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import type { Meters } from '../meters.ts';
import type { ElsewhereOrder, KnownOrder } from './account-book.ts';
import type { PlaceReply } from './answer.ts';
import { Changing } from './change.ts';
import { Following } from './following.ts';
import type { KillSwitch } from './kill-switch.ts';
import { LiveBook } from './live-book.ts';
import type { Outcome } from './outcome.ts';
import { type PlaceOptions, Placing } from './place.ts';
import { Sending } from './send.ts';
import {
  type HeldPosition,
  heldPositions,
  keyOf,
  type Reducing,
  type RestingOrder,
  restingOrders,
  type Standing,
  standingOf,
} from './standing.ts';

/** Where nobody follows at once. */
const SHUTDOWN_WAIT_MS = 1000;
const EXPIRE_EVERY_MS = 10_000;
/** Keys that have expired are forgotten once an hour. */
const LEARN_EVERY = 360;

export interface OrderServiceParts {
  clock: Clock;
  random: Random;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  killSwitch: KillSwitch;
  /** What the brokers list. */
  instruments: Pick<Instruments, 'of'>;
  /** The one-symbol-one-position rule is off. */
  guardOff: boolean;
  /** Names this process in the journal. */
  owner: string;
  /** Trading day (`YYYY-MM-DD`, IST) of the session an order is for that is sent at an instant (epoch ms). */
  sessionDay(variety: string, exchange: string, at: number): string;
  /** When the first session of an exchange on a trading day opens, epoch ms. */
  opensAt(exchange: string, day: string): number;
  /** How long a stop waits for orders in flight; 1 s unless given. */
  stopWaitMs?: number;
  /** Told after a modify or cancel that may have reached the broker (`change`), and after every place (`records`). */
  wake: Wake;
  /** Hears how long the steps of an order take. */
  meters?: Meters | undefined;
}

/** How far the store is behind what is known of orders. */
export interface JournalLag {
  /** Orders with a step that is kept in memory only. */
  orders: number;
  /** Age of the oldest such step, ms; 0 where there is none. */
  oldestMs: number;
}

/** Everything that changes something at the broker goes through it. Its parts are all parameters, so that a seed replays a day. */
export interface OrderService {
  place(request: PlaceOrderRequest, options: PlaceOptions): Promise<PlaceReply>;
  modify(request: ModifyOrderRequest): Promise<Read>;
  cancel(request: CancelOrderRequest): Promise<Read>;
  /** Rebuilds the live book from what an earlier process left. Call once, before the first place. Returns how many attempts were open. */
  recover(): Promise<number>;
  /** Orders whose truth is not known. */
  unresolved(): Attempt[];
  /** What is not written yet. */
  lag(): JournalLag;
  /** Ids of the broker's orders that may be such an attempt's, where nobody can tell. */
  candidates(attempt: Attempt): Promise<readonly string[]>;
  /** What a person found out about one of those; the attempt as it then stands. Rejects in words for that person. */
  resolve(key: string, outcome: Outcome): Promise<Attempt>;
  /** Whether an account has attempts whose truth is not known. */
  hasOpen(account: Account): boolean;
  /** How much of a position can be reduced now, by the newest reads and our own orders since. */
  standing(account: Account, position: Reducing): Standing;
  /** Open positions by our own books. */
  held(account: Account): HeldPosition[];
  /** Counts a resting order that was placed elsewhere as ours are: an exit is about to cancel it, and what it fills meanwhile must be known at once. */
  countElsewhere(account: Account, order: ElsewhereOrder): void;
  /** Orders of ours at rest, by the live book. */
  resting(account: Account): RestingOrder[];
  /** What the live book knows of the order that has an id today: it may be newer than the order book. Null where it does not count it. */
  known(account: Account, orderId: string): KnownOrder | null;
  /** Equal for every spelling of one instrument. */
  instrumentKey(account: Account, name: InstrumentName): string;
  /** Reads unresolved orders at once: all of them when a session or its order updates came up, those that the broker's news may mean. */
  wake: Wake;
  /** Refuses new orders, gives those in flight a while; the rest is found again at the next start. */
  stop(): Promise<void>;
}

export function createOrderService(given: OrderServiceParts): OrderService {
  const { clock, journal, accounts } = given;
  const stopping = new AbortController();
  const stop = stopping.signal;
  const book = new LiveBook({ ...given, stop });
  const parts = { ...given, book, stop };
  const following = new Following(parts, given.owner);
  const sending = new Sending({ ...parts, following });
  const placing = new Placing({ ...parts, following, sending });
  const changing = new Changing(parts);

  async function expireForever(): Promise<void> {
    for (let rounds = 1; ; rounds += 1) {
      await clock.sleep(EXPIRE_EVERY_MS, stop);
      if (stop.aborted) return;
      await journal.expire(clock.now()).catch(() => undefined);
      if (rounds % LEARN_EVERY === 0) await book.learnKeys(journal).catch(() => undefined);
    }
  }

  return {
    place: (request, options) => placing.place(request, options).finally(() => given.wake('records')),
    modify: (request) => changing.modify(request),
    cancel: (request) => changing.cancel(request),
    async recover() {
      const found = await following.recover();
      void expireForever();
      return found;
    },
    unresolved: () => following.open,
    lag: () => book.lag(),
    candidates: (attempt) => following.candidates(attempt),
    resolve: (key, outcome) => following.resolve(key, outcome),
    hasOpen: ({ broker, id }) =>
      book.entries().some(({ attempt }) => attempt !== null && attempt.broker === broker.id && attempt.account === id),
    standing: (account, position) => standingOf(book, account, position),
    held: (account) => heldPositions(book, account),
    countElsewhere: (account, order) => book.of(account).countElsewhere(order),
    resting: (account) => restingOrders(book, account),
    known: (account, orderId) => book.of(account).known(orderId),
    instrumentKey: (account, name) => keyOf(book, account, name),
    wake(reason, orderId = null) {
      if (reason === 'news') return following.wake(orderId);
      if (reason !== 'session' && reason !== 'live') return;
      const account = accounts.active();
      if (account) book.of(account);
      following.wake(null);
    },
    async stop() {
      await placing.stop(given.stopWaitMs ?? SHUTDOWN_WAIT_MS);
      stopping.abort();
    },
  };
}
