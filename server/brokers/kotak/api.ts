import type { BrokerEnv, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Http, type Reply } from '../http.ts';
import { type Reading, send } from '../send-once.ts';
import {
  bodyOf,
  clientAddress,
  EMPTY_CODE,
  isDeadLogin,
  isDefinite,
  orderAnswer,
  type Problem,
  problemOf,
  UNREGISTERED_ADDRESS_CODE,
} from './answers.ts';

/** One login: the trade token, and the host that serves this customer. */
export interface Session {
  token: string;
  sid: string;
  baseUrl: string;
}

/** `empty`: Kotak has no rows. `expired`: it refused the login itself. `unread`: no answer, or one that says nothing; `unreached`: not even a connection. */
export type Failed = { success: false; kind: 'empty' | 'expired' | 'refused' | 'unread'; unreached?: boolean; message: string };
export type Answer = { success: true; body: unknown } | Failed;

/** Kotak Neo's REST interface: sign-in on the fixed host, all else on the host a login names. */
export interface Api {
  signIn(session: Session): void;
  /** The newest login; null before the first. */
  session(): Session | null;
  /** Kotak has accepted the login: only from now on does its refusal end a session. */
  trust(): void;
  forget(): void;
  /** A sign-in step. */
  login(path: string, headers: Record<string, string>, json: unknown): Promise<Answer>;
  get(path: string): Promise<Answer>;
  /** A report asked for with a body. */
  ask(path: string, fields: Record<string, string>): Promise<Answer>;
  /** Market data, which needs the access token alone. */
  market(path: string): Promise<Answer>;
  change(path: string, fields: Record<string, string>): Promise<Sent>;
  close(): Promise<void>;
}

const NOT_SIGNED_IN = 'Not signed in to Kotak';
const ADDRESS_LOOKUP_MS = 2_000;

export function createApi(env: BrokerEnv): Api {
  const connection = { localAddress: env.localAddress, clock: env.clock, log: env.log };
  const loginHost = createHttp({ origin: env.apiUrl, ...connection });
  const accessHeader = { authorization: env.credentials.ACCESS_TOKEN ?? '' };
  let current: (Session & { http: Http; trusted: boolean }) | null = null;
  let retired: Promise<unknown> = Promise.resolve();
  const finKey = { 'neo-fin-key': 'neotradeapi' };

  /** Calls in flight end; nobody waits for them before the next login. */
  function retire(): void {
    if (current) retired = Promise.all([retired, current.http.close()]);
    current = null;
  }

  function sessionHeaders(session: Session): Record<string, string> {
    return { ...accessHeader, ...finKey, auth: session.token, sid: session.sid };
  }

  /** Notes the end of `used`, the login the call went out with. */
  function noteEnd(used: typeof current, message: string): void {
    if (!used?.trusted) return;
    used.trusted = false;
    if (used === current) env.onExpired(message);
  }

  function open(reply: Reply, used: typeof current): Answer {
    const body = bodyOf(reply);
    const problem = problemOf(body);
    const ok = reply.status >= 200 && reply.status < 300;
    if (problem) {
      const kind = kindOf(reply.status, problem);
      if (kind === 'expired') noteEnd(used, problem.message);
      return { success: false, kind, message: problem.message };
    }
    if (ok && typeof body === 'object' && body !== null) return { success: true, body };
    return unread(`Kotak answered HTTP ${reply.status} with a body that cannot be read`);
  }

  async function request(http: Http, call: CallRequest, used: typeof current): Promise<Answer> {
    try {
      return open(await http.call(call), used);
    } catch (error) {
      if (error instanceof CallError) return { ...unread(error.message), unreached: !error.sent };
      throw error;
    }
  }

  async function onTradingHost(call: Omit<CallRequest, 'mutating' | 'headers'>): Promise<Answer> {
    const used = current;
    if (!used) return unread(NOT_SIGNED_IN);
    return await request(used.http, { ...call, headers: sessionHeaders(used), mutating: false }, used);
  }

  /** The address Kotak sees us at, in words; empty when it does not say. */
  async function seenAddress(session: Session): Promise<string> {
    const call = { method: 'GET', path: '/login/1.0/get-client-ip', mutating: false, timeoutMs: ADDRESS_LOOKUP_MS } as const;
    const answer = await request(loginHost, { ...call, headers: sessionHeaders(session) }, null);
    const [seen] = (answer.success && clientAddress.safeParse(answer.body).data?.data) || [];
    return seen ? ` and sees this gateway at ${seen.ip}` : '';
  }

  async function change(path: string, fields: Record<string, string>): Promise<Sent> {
    const used = current;
    if (!used) return { fate: 'not_sent', order_id: '', message: NOT_SIGNED_IN };
    let unregistered = false;
    const call = { method: 'POST', path, headers: sessionHeaders(used), form: { jData: JSON.stringify(fields) } } as const;
    const sent = await send(used.http, call, (reply): Reading | null => {
      const body = bodyOf(reply);
      const accepted = orderAnswer(body);
      if (accepted) return { ...accepted, refused: false, data: body };
      const problem = problemOf(body);
      if (!problem) return null;
      if (isDeadLogin(reply.status, problem)) noteEnd(used, problem.message);
      unregistered = problem.code === UNREGISTERED_ADDRESS_CODE;
      // A refusal that names an order number contradicts itself: it is not believed.
      return { orderId: '', refused: isDefinite(reply.status, problem) && !namesOrder(body), message: problem.message };
    });
    if (!unregistered) return sent;
    const hint = `Kotak takes orders from registered addresses only${await seenAddress(used)}`;
    return { ...sent, message: `${sent.message}: ${hint}; register it in Kotak Neo under Trade API, or set KOTAK_LOCAL_ADDRESS` };
  }

  return {
    signIn(session) {
      retire();
      current = { ...session, http: createHttp({ origin: session.baseUrl, ...connection }), trusted: false };
    },
    session: () => current,
    trust() {
      if (current) current.trusted = true;
    },
    forget: retire,
    login: (path, headers, json) =>
      request(loginHost, { method: 'POST', path, headers: { ...accessHeader, ...finKey, ...headers }, json, mutating: true }, null),
    get: (path) => onTradingHost({ method: 'GET', path }),
    ask: (path, fields) => onTradingHost({ method: 'POST', path, form: { jData: JSON.stringify(fields) } }),
    async market(path) {
      if (!current) return unread(NOT_SIGNED_IN);
      return await request(current.http, { method: 'GET', path, headers: accessHeader, mutating: false }, null);
    },
    change,
    close: async () => {
      retire();
      await Promise.all([loginHost.close(), retired]);
    },
  };
}

function kindOf(status: number, problem: Problem): Failed['kind'] {
  if (isDeadLogin(status, problem)) return 'expired';
  if (status === 200 && problem.code === EMPTY_CODE) return 'empty';
  return status >= 500 ? 'unread' : 'refused';
}

export function unread(message: string): Failed {
  return { success: false, kind: 'unread', message };
}

function namesOrder(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'nOrdNo' in body && Boolean(body.nOrdNo);
}
