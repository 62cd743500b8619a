import type { BrokerEnv, Read, Sent } from './broker.ts';
import { CallError, type CallRequest, createHttp, type Http, type Reply } from './http.ts';
import { failure } from './parse.ts';
import { type Reading, send } from './send-once.ts';

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
  /** The statuses a good answer to a question comes with; 200 alone unless told. */
  good?(status: number): boolean;
}

export interface Reached<Data> {
  reply: Reply;
  said: Answer<Data> | null;
}

/** One account's REST interface: the calls of its newest login. */
export interface Client<Login, Data = unknown> {
  /** The broker's, in messages. */
  readonly name: string;
  login(): Readonly<Login>;
  /** Uses `login` from now on; `trusted` once the broker has accepted it: only then does its refusal end a session. */
  signIn(login: Login, trusted?: boolean): void;
  signOut(): void;
  /** Ends the login at the broker with this call. */
  logout(call: Call): Promise<Read>;
  /** Asks; `once`: the call changes something, so it is not to be repeated. Headers of the call's own come on top of the login's. */
  ask(call: Call, once?: boolean): Promise<Answer<Data>>;
  /** A call with its answer as it came and as the dialect reads it, good or not. */
  reach(call: Call, once?: boolean): Promise<Reached<Data> | Refused>;
  get(path: string, query?: Record<string, string>): Promise<Answer<Data>>;
  /** A `get` that tells no more than any read. */
  read(path: string, query?: Record<string, string>): Promise<Read>;
  /**
   * Places, changes or cancels, once. `took` tells what an answer that is no refusal says of the order, null when that cannot be read;
   * `refused` hears the refusal.
   */
  change(call: Call, took: (data: Data) => Partial<Reading> | null, refused?: (refusal: Refused) => void): Promise<Sent>;
  close(): Promise<void>;
}

/** The client of one broker. `hostOf` names the connection of a call that does not go to the API's address. */
export function createClient<Login, Data>(
  env: BrokerEnv,
  dialect: Dialect<Login, Data>,
  hostOf: (call: Call, login: Login) => Http | null = () => null,
): Client<Login, Data> {
  const http = createHttp({ ...env, origin: env.apiUrl });
  let current = { login: dialect.nobody, trusted: false };

  function prepared(call: Call): { host: Http; request: Call } {
    const headers = { ...dialect.headers(current.login, env, call), ...call.headers };
    return { host: hostOf(call, current.login) ?? http, request: { ...call, headers } };
  }

  /** Reads an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, call: Call, used: typeof current): Answer<Data> | null {
    const said = dialect.read(reply, call);
    if (said && !said.success && said.expired && used.trusted) {
      used.trusted = false;
      if (used === current) env.onExpired(said.message);
    }
    return said;
  }

  async function reach(call: Call, once = false): Promise<Reached<Data> | Refused> {
    const used = current;
    const { host, request } = prepared(call);
    try {
      const reply = await host.call({ ...request, mutating: once });
      return { reply, said: open(reply, call, used) };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, status: 0, unreached: !error.sent };
      throw error;
    }
  }

  async function ask(call: Call, once?: boolean): Promise<Answer<Data>> {
    const reached = await reach(call, once);
    if ('success' in reached) return reached;
    const { status } = reached.reply;
    const { said } = reached;
    if (said && !said.success) return { ...said, status };
    const good = dialect.good?.(status) ?? status === 200;
    return said && good && said.data !== undefined ? said : { success: false, message: unreadable(dialect.name, status), status };
  }

  function signOut(): void {
    current = { login: dialect.nobody, trusted: false };
  }

  async function logout(call: Call): Promise<Read> {
    const answer = await ask(call, true);
    if (!answer.success) return failure(answer.message);
    signOut();
    return answer;
  }

  const get = (path: string, query: Record<string, string> = {}) => ask({ method: 'GET', path, query });

  return {
    name: dialect.name,
    login: () => current.login,
    signIn(login, trusted = false) {
      current = { login, trusted };
    },
    signOut,
    logout,
    ask,
    reach,
    get,
    async read(path, query) {
      const answer = await get(path, query);
      return answer.success ? answer : failure(answer.message);
    },
    async change(call, took, refused) {
      const used = current;
      const { host, request } = prepared(call);
      return send(host, request, (reply) => {
        const said = open(reply, call, used);
        if (!said) return null;
        if (said.success) {
          const order = took(said.data);
          return order && { orderId: '', refused: false, data: said.data, ...order };
        }
        refused?.(said);
        return { orderId: said.orderId ?? '', refused: said.definite ?? false, message: said.message };
      });
    },
    close: http.close,
  };
}

export function unreadable(name: string, status: number): string {
  return `${name} answered HTTP ${status} with a body that cannot be read`;
}
