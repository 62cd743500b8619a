import type { HoldingRow, OrderRow, OrderState, PositionRow, TradeRow, UnreadableRow } from '../../contract/rows.ts';
import type { BrokerId, OrderStatus } from '../../contract/words.ts';
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Channel, FeedInstrument } from './feed.ts';
import type { InstrumentName } from './instrument.ts';

/** What placeOrder sends: exactly the members of the spec, numbers as plain decimal text (prices in rupees). */
export interface BrokerOrder {
  symbol: string;
  token: string;
  exchange: string;
  transactiontype: string;
  ordertype: string;
  producttype: string;
  quantity: string;
  price: string;
  triggerprice: string;
  variety: string;
  duration: 'DAY';
  tradingsymbol: string;
}

/** What modifyOrder sends: the id, the variety, and only the members the caller gave. */
export interface BrokerChange {
  orderid: string;
  variety: string;
  ordertype?: string;
  quantity?: string;
  price?: string;
  triggerprice?: string;
}

export interface Failure {
  success: false;
  message: string;
}
/** A read of the broker; `data` is its own payload. A failed read is a Failure or a throw, never an empty success. */
export type Read = { success: true; message?: string; data: unknown } | Failure;
/**
 * A read of rows; `data` the broker's rows as they came, `normalized` the same rows, in the same order, in our words. Rows that cannot be read are
 * missing in `normalized` and stand in `unreadable`, which is absent when there are none.
 */
export type Listing<Row> =
  | { success: true; message?: string; data: unknown[]; normalized: Row[]; unreadable?: readonly Unreadable[] }
  | Failure;

/** A row that cannot be read, the same object as in `data`, with what can be read of its name. Without symbol and token it may be any instrument's. */
export type Unreadable = Readonly<UnreadableRow>;

/**
 * The fate of one mutating call, which was sent at most once.
 * accepted: the broker took it. rejected: it definitely did not (section 7 of the sheet).
 * not_sent: nothing left the house. unknown: it may or may not live; evidence decides, never another send.
 */
export interface Sent {
  fate: 'accepted' | 'rejected' | 'unknown' | 'not_sent';
  /** Broker order id as text, empty when none. */
  order_id: string;
  message?: string;
  data?: unknown;
  /** Our clock minus the broker's, ms, from the answer's HTTP Date; absent when unknown. */
  clockOffsetMs?: number;
}

/** A broker login that can be kept: token texts by name, and when it dies (ISO, UTC). */
export interface StoredLogin {
  values: Record<string, string>;
  expiresAt: string;
}

/**
 * Why a sign-in failed. unreachable: not even a connection was made. broker: it was reached and gave no answer, none that can be read, or one that says
 * it cannot now. credentials: all else, a setting or a person is needed; in doubt this, because refused logins lock accounts.
 */
export type LoginCause = 'unreachable' | 'broker' | 'credentials';
/** Without a cause: the credentials. */
export interface LoginFailure extends Failure {
  cause?: LoginCause;
}
export type Connected = { success: true; message?: string; account: string; login: StoredLogin; data?: unknown } | LoginFailure;

/**
 * What an instrument trades at: rupees as exact decimal text, null where the broker does not say; volume in its own unit; `at` epoch ms of the quote,
 * null when it has none.
 */
export interface BrokerQuote {
  lastPrice: string | null;
  bid: string | null;
  ask: string | null;
  open: string | null;
  high: string | null;
  low: string | null;
  /** The day before's. */
  close: string | null;
  volume: number | null;
  at: number | null;
}
/** What a broker would hold for an order, and what is free for it, rupees as exact text; null where this answer does not say. */
export type Margin = { success: true; required: string; available: string | null; data: unknown } | Failure;

/** Whether one more call may go out now, after a wait where it needs one. */
export type Room = () => Promise<boolean>;
/** In the order asked for. */
export type Quotes = { success: true; quotes: (BrokerQuote | null)[] } | Failure;

/** One signed-in (or not yet signed-in) account at one broker. */
export interface Broker {
  readonly id: BrokerId;
  readonly traits: BrokerTraits;
  /** Signs in: with `stored` when it still lives, else with the configured credentials. Failure messages name the settings. */
  connect(stored: StoredLogin | null): Promise<Connected>;
  /** Revokes the login at the broker. Only `npm run login -- <id> --logout` calls it. */
  logout(): Promise<Read>;
  /** Ends sockets and timers of this instance; keeps the login alive. */
  close(): Promise<void>;
  profile(): Promise<Read>;
  funds(): Promise<Read>;
  holdings(): Promise<Listing<HoldingRow>>;
  positions(): Promise<Listing<PositionRow>>;
  orders(): Promise<Listing<OrderRow>>;
  /** The order book rows that carry our tag, where the broker can look one up. */
  ordersByTag?(tag: string): Promise<Listing<OrderRow>>;
  placeOrder(order: BrokerOrder, tag: string): Promise<Sent>;
  modifyOrder(change: BrokerChange): Promise<Sent>;
  cancelOrder(orderId: string): Promise<Sent>;
  /** What an order would bind. `last` reads the last price, rupees, where the calculator has none of its own; null where nobody knows it. */
  orderMargin?(order: BrokerOrder, last: () => Promise<string | null>): Promise<Margin>;
  /** Last traded price in rupees and when it was read (epoch ms); null when the broker has none. */
  lastPrice?(exchange: string, symbol: string, token: string): Promise<{ price: number; at: number } | null>;
  /**
   * Quotes of many instruments in as few calls as the broker allows; null for those it knows nothing of. Indices stand on NSE_INDEX, BSE_INDEX and
   * MCX_INDEX. `room` is asked before each call; false: it may not go out.
   */
  quotes?(instruments: readonly FeedInstrument[], room?: Room): Promise<Quotes>;
  /** Trade book, in the order the spec resolves it. */
  tradebook?(): Promise<Listing<TradeRow>>;
  readonly client?: { tradebook?(): Promise<unknown> };
  /** Addresses of today's instrument files, where the broker names them after a login. */
  masterFiles?(): Promise<readonly string[]>;
  /** Live prices and order updates: the sockets they come over. */
  readonly feed?: readonly Channel[];
  trade_book?(): Promise<unknown>;
  get_tradebook?(): Promise<unknown>;
  get_trade_book?(): Promise<unknown>;
}

/** A sliding window of a broker's published limit. */
export interface Window {
  requests: number;
  perMs: number;
}

export interface BrokerTraits {
  /** Order windows beyond the 9 a second that hold for all. */
  orderLimits: readonly Window[];
  /** Budget of order-book, position and other reads. */
  readLimits: readonly Window[];
  /** The read budget holds for the order book, the positions, the holdings and all other reads each by itself. */
  readLimitsApart?: boolean;
  /** Budget of the calls for quotes; absent: they count as other reads. */
  quoteLimits?: readonly Window[];
  /** Most instruments that one read of quotes is worth, 50 unless told. */
  quotesARead?: number;
  /** Signing in needs no person. */
  unattended: boolean;
  /**
   * What this broker trades an instrument by, token or symbol, as the adapter sends it: the same text for every spelling that reaches the broker
   * as one, in orders and in the broker's own rows. Null where the name lacks it.
   */
  tradedBy(name: InstrumentName): string | null;
  /** Whether the sellable quantity of the holdings falls with today's sales; absent: not known. */
  holdingsFall?: boolean;
  /** How long the positions may be behind the fills; 5 s unless the broker is known to take longer. */
  positionsLagMs?: number;
  /** Rupees free for new orders, exact text, from the `data` of a funds answer; null when it does not say. */
  availableFunds?(funds: unknown): string | null;
}

/** Takes our credentials out of what a broker says: it may repeat what it was sent. */
export interface Redactor {
  hide(text: string): string;
  /** A login, or a part of one: its texts are hidden from now on. */
  learn(login: unknown): void;
}

/** What an adapter is built from. */
export interface BrokerEnv {
  /** Credentials by setting name without the broker's prefix, e.g. API_KEY; absent ones are undefined. */
  credentials: Readonly<Record<string, string | undefined>>;
  /** Hides them, and the tokens of logins, in what the broker says. */
  redactor: Redactor;
  /** Addresses, the broker's own unless overridden. */
  apiUrl: string;
  loginUrl: string;
  feedUrl: string;
  /** Local address outgoing sockets bind to. */
  localAddress: string | undefined;
  /** Exchange-issued algo id, sent on every order when set. */
  algoId: string | undefined;
  /** Percent of market protection for MARKET and SL-M orders, exact text; undefined leaves the band to the broker. */
  marketProtection: string | undefined;
  /** Whether an exchange (our word) trades at an instant (epoch ms), at the exchanges' own hours in practice mode, too. */
  isOpen(exchange: string, at: number): boolean;
  clock: Clock;
  random: Random;
  log: Log;
  /** Called once when the broker says the login is dead. */
  onExpired(reason: string): void;
  /** Hears our clock minus the broker's, ms, of each answer with an HTTP Date, reads included. */
  onOffset?(clockOffsetMs: number): void;
  /** Why nothing that changes something may leave now, logins included; null when it may. */
  held?(): string | null;
}

/** Percentages a broker takes: between which, and with how many decimal places at most. */
export interface Percentages {
  least: number;
  most: number;
  places: number;
}

/** What one folder under brokers/ exports. */
export interface BrokerDefinition {
  id: BrokerId;
  name: string;
  /** Credential settings without the prefix, in the order people should see them. */
  settings: readonly string[];
  urls: { api: string; login: string; feed: string /** Its instrument files. */; master: string };
  /** How long (ms) after a login the next one may be tried by itself, 30 s unless told. */
  loginRestMs?: number;
  /** What <ID>_MARKET_PROTECTION may be. Absent: the broker takes no percentage, and the setting is refused. */
  marketProtection?: Percentages;
  create(env: BrokerEnv): Broker;
  /** Signing in through a browser: the page to open, and what comes back on the redirect. */
  login?: {
    /** `state` travels along where the broker brings one back. */
    url(env: BrokerEnv, state?: string): string;
    /** The member of the redirect's query that a code stands in, and the one our state comes back in; absent where the broker brings none back. */
    codeIn: string;
    stateIn?: string;
    exchange(env: BrokerEnv, query: Readonly<Record<string, string>>): Promise<Connected>;
  };
}

/** The order record's word for a state. A cancelled order is CANCELLED whatever it filled: its filled quantity says the rest. */
export function statusOf(state: OrderState, filled: number): OrderStatus {
  if (state === 'FILLED' || state === 'REJECTED' || state === 'CANCELLED' || state === 'UNKNOWN') return state;
  if (state === 'EXPIRED') return 'CANCELLED';
  return filled > 0 ? 'PARTIALLY_FILLED' : 'PLACED';
}

/**
 * Shares that DELIVERY sells may take: the sellable holdings with what the DELIVERY position `net` has added to them or taken from them today.
 * Where holdings fall with today's sales, a sale out of them shows in both and counts once; where that is not known, the larger sum counts.
 */
export function heldQuantity(sellable: number, net: number, holdingsFall?: boolean): number {
  return sellable + (holdingsFall === false ? net : Math.max(net, 0));
}

export type { BrokerId, HoldingRow, OrderRow, OrderState, PositionRow, TradeRow };
