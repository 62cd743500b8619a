import type { BrokerEnv, Read, Sent } from './broker.ts';
import { type Answer, type Call, type Dialect, type Refused, unreadable } from './dialect.ts';
import { CallError, createHttp, type Http, type Reply } from './http.ts';
import { failure } from './parse.ts';
import { type Reading, send } from './send-once.ts';

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
  const session = createSession(env, dialect);

  /** The call as it goes out now: where to, with what, and how its answer is read. */
  function prepared(call: Call) {
    const used = session.current();
    const headers = { ...dialect.headers(used.login, env, call), ...call.headers };
    const read = (reply: Reply) => session.noted(dialect.read(reply, call), used);
    return { host: hostOf(call, used.login) ?? http, request: { ...call, headers }, read };
  }

  async function reach(call: Call, once = false): Promise<Reached<Data> | Refused> {
    const { host, request, read } = prepared(call);
    const patience = once || dialect.readTimeoutMs === undefined ? {} : { timeoutMs: dialect.readTimeoutMs };
    try {
      const reply = await host.call({ ...patience, ...request, mutating: once });
      return { reply, said: read(reply) };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, status: 0, unreached: !error.sent };
      throw error;
    }
  }

  async function ask(call: Call, once?: boolean): Promise<Answer<Data>> {
    const reached = await reach(call, once);
    return 'success' in reached ? reached : answerOf(dialect, reached);
  }

  const change: Client<Login, Data>['change'] = async (call, took, refused) => {
    const { host, request, read } = prepared(call);
    return send(host, request, (reply) => readingOf(read(reply), took, refused));
  };

  const get = (path: string, query: Record<string, string> = {}) => ask({ method: 'GET', path, query });
  const plain = (answer: Answer<Data>): Read => (answer.success ? answer : failure(answer.message));

  return {
    name: dialect.name,
    login: () => session.current().login,
    signIn: session.signIn,
    signOut: session.signOut,
    async logout(call) {
      const answer = await ask(call, true);
      if (answer.success) session.signOut();
      return plain(answer);
    },
    ask,
    reach,
    get,
    read: async (path, query) => plain(await get(path, query)),
    change,
    close: http.close,
  };
}

/** The login in use, and what answers mean for it. */
function createSession<Login, Data>(env: BrokerEnv, { nobody }: Dialect<Login, Data>) {
  let current = { login: nobody, trusted: false };
  function signIn(login: Login, trusted = false): void {
    env.redactor.learn(login);
    current = { login, trusted };
  }
  return {
    current: () => current,
    signIn,
    signOut: () => signIn(nobody),
    /** Passes an answer on, its message without our credentials, and notes the end of `used`, the login the call went out with. */
    noted(answer: Answer<Data> | null, used: typeof current): Answer<Data> | null {
      if (!answer || answer.success) return answer;
      const said = { ...answer, message: env.redactor.hide(answer.message) };
      if (said.expired && used.trusted) {
        used.trusted = false;
        if (used === current) env.onExpired(said.message);
      }
      return said;
    },
  };
}

function answerOf<Login, Data>(
  { name, good = (status) => status === 200 }: Dialect<Login, Data>,
  { reply, said }: Reached<Data>,
): Answer<Data> {
  const { status } = reply;
  if (said && !said.success) return { ...said, status };
  return said && good(status) && said.data !== undefined
    ? said
    : { success: false, message: unreadable(name, status), status, unread: true };
}

function readingOf<Data>(
  said: Answer<Data> | null,
  took: (data: Data) => Partial<Reading> | null,
  refused: ((refusal: Refused) => void) | undefined,
): Reading | null {
  if (!said) return null;
  if (said.success) {
    const order = took(said.data);
    return order && { orderId: '', refused: false, data: said.data, ...order };
  }
  refused?.(said);
  return { orderId: said.orderId ?? '', refused: said.definite ?? false, message: said.message };
}
