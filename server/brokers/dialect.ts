import type { BrokerEnv } from './broker.ts';
import type { CallRequest, Reply } from './http.ts';

/** No answer, one that says no, or one that cannot be read. What a dialect leaves out is not so. */
export interface Refused {
  success: false;
  message: string;
  /** The broker refused the login itself. */
  expired?: boolean;
  /** It says that it has nothing of what was asked for. */
  empty?: boolean;
  /** Its own code for the refusal. Absent where no refusal could be read. */
  code?: string;
  /** Of an order call: nothing was done, for certain (section 7 of the sheet). */
  definite?: boolean;
  /** An order that the refusal names all the same. */
  orderId?: string;
  /** HTTP status, told by the client; 0 without an answer. */
  status?: number;
  /** There was an answer, and it cannot be read. */
  unread?: boolean;
  /** Not even a connection was made. */
  unreached?: boolean;
}
export type Answer<Data = unknown> = { success: true; data: Data } | Refused;

export type Call = Omit<CallRequest, 'mutating'>;

/** What one broker's HTTP interface has of its own. `Login` is what signs its calls, `Data` what its envelope holds. */
export interface Dialect<Login, Data = unknown> {
  /** The broker's name in messages. */
  name: string;
  /** The login before the first and after the last. */
  nobody: Login;
  headers(login: Login, env: BrokerEnv, call: Call): Record<string, string>;
  /** What an answer says, a good one by its body alone; null when it cannot be read. */
  read(reply: Reply, call: Call): Answer<Data> | null;
  /** How long a question may wait for its answer, where that is longer than usual; an order call never waits longer. ms. */
  readTimeoutMs?: number;
  /** The statuses a good answer to a question comes with; 200 alone unless told. */
  good?(status: number): boolean;
}

/** The message for an answer that says nothing. */
export function unreadable(name: string, status: number): string {
  return `${name} answered HTTP ${status} with a body that cannot be read`;
}
