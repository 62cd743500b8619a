import type { IncomingMessage } from 'node:http';
import { systemRandom } from '../clock.ts';
import type { Account, Exchange } from './exchange.ts';
import type { Operation } from './faults.ts';
import type { Stream } from './stream.ts';
import type { AccountTraits, BrokerId, Instrument } from './types.ts';

/** A request as it came over the wire. Path without query, without doubled slashes. */
export interface SimRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
  /** Where this face answers, e.g. http://127.0.0.1:5110. */
  origin: string;
}

export interface SimReply {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** One call of a route. `account` already carries the effects of planted faults. */
export interface Call {
  request: SimRequest;
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
  handle(call: Call): SimReply;
}

/** At most so many requests in a sliding window, over the operations or named routes it covers. */
export interface RequestLimit {
  covers: readonly string[];
  requests: number;
  perMs: number;
}

/** The broker's own words for what goes wrong outside a handler. */
export interface FaultWords {
  rateLimited(): SimReply;
  sessionExpired(): SimReply;
  unregisteredAddress(address: string): SimReply;
  /** A 4xx after which the order may exist. */
  timedOut(): SimReply;
  serverError(status: number): SimReply;
  notFound(): SimReply;
}

/** One broker's wire protocol over the exchange. */
export interface Face {
  id: BrokerId;
  /** Setting name without the broker's prefix -> the value that signs in here. */
  credentials: Readonly<Record<string, string>>;
  traits: AccountTraits;
  /** How a caller names an instrument in orders for this broker: its trading symbol and token. */
  named(instrument: Instrument): { symbol: string; token: string };
  /** Addresses for the adapter's API, login and feed, given http://127.0.0.1:PORT. */
  urls(origin: string): { api: string; login: string; feed: string };
  limits: readonly RequestLimit[];
  words: FaultWords;
  /** The correlation tag of a placing request, read without judging the rest. */
  tagOf(request: SimRequest): string | null;
  serve(exchange: Exchange): FaceService;
}

/** A face at work on an exchange. */
export interface FaceService {
  routes: readonly Route[];
  /** The refusal of a request whose login does not hold, or null. */
  unauthorised(request: SimRequest): SimReply | null;
  /** Its sockets, by path. A face without answers every handshake 404. */
  streams?: readonly Stream[];
}

/** A JSON answer. */
export function json(status: number, body: unknown): SimReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

/** A login token nobody can guess, also by who knows the seed. */
export function newToken(): string {
  return Buffer.from(systemRandom.bytes(24)).toString('base64url');
}
