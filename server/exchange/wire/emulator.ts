import type { Account } from '../account.ts';
import type { Exchange } from '../exchange.ts';
import type { AccountTraits, BrokerId, Instrument } from '../types.ts';
import type { Operation } from './faults.ts';
import type { LongReply, WireReply, WireRequest } from './message.ts';
import type { Stream } from './stream.ts';

/** One call of a route. `account` already carries the effects of planted faults. */
export interface Call {
  request: WireRequest;
  /** Percent-decoded path variables. */
  params: Readonly<Record<string, string>>;
  account: Account;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/orders/:variety/:order_id`; literal segments win over variables. */
  path: string;
  operation: Operation;
  /** Served without a login. */
  open?: boolean;
  /** Name of a request limit that holds for this route instead of its operation's. */
  limit?: string;
  /** A promise only of what takes long to make. */
  handle(call: Call): WireReply | LongReply | Promise<WireReply>;
}

/** At most so many requests in a sliding window, over the operations or named routes it covers. */
export interface RequestLimit {
  covers: readonly string[];
  requests: number;
  perMs: number;
}

/** The broker's own words for what goes wrong outside a handler. */
export interface FaultWords {
  rateLimited(): WireReply;
  sessionExpired(): WireReply;
  unregisteredAddress(address: string): WireReply;
  /** A 4xx after which the order may exist. */
  timedOut(): WireReply;
  serverError(status: number): WireReply;
  notFound(): WireReply;
}

/** What a broker offers by address: its API, its login page, its feed, and its instrument files. */
export interface EmulatorUrls {
  api: string;
  login: string;
  feed: string;
  master: string;
}

/** One broker's wire protocol over the exchange. */
export interface Emulator {
  id: BrokerId;
  /** Setting name without the broker's prefix -> the value that signs in here. */
  credentials: Readonly<Record<string, string>>;
  traits: AccountTraits;
  /** How a caller names an instrument in orders for this broker: its trading symbol and token. */
  named(instrument: Instrument): { symbol: string; token: string };
  /** Addresses for the adapter, given http://127.0.0.1:PORT. */
  urls(origin: string): EmulatorUrls;
  limits: readonly RequestLimit[];
  words: FaultWords;
  /** The correlation tag of a placing request, read without judging the rest. */
  tagOf(request: WireRequest): string | null;
  serve(exchange: Exchange): EmulatorService;
}

/** What a broker is known to do in two ways, by name; false is the usual one. */
export type Switches = Record<string, boolean>;

/** An emulator at work on an exchange. */
export interface EmulatorService {
  routes: readonly Route[];
  /** The refusal of a request whose login does not hold, or null. */
  unauthorised(request: WireRequest): WireReply | null;
  /** Read at each request. */
  switches?: Switches;
  /** Its sockets, by path. An emulator without answers every handshake 404. */
  streams?: readonly Stream[];
}
