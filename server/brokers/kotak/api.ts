import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Dialect } from '../dialect.ts';
import { CallError, createHttp, type Http } from '../http.ts';
import { clientAddress, EMPTY_CODE, isDeadLogin, isDefinite, orderAnswer, problemOf, UNREGISTERED_ADDRESS_CODE } from './answers.ts';

/** One login: the trade token, and the host that serves this customer. */
export interface Session {
  token: string;
  sid: string;
  baseUrl: string;
}
type Login = Session & { http: Http };

/** Kotak Neo's REST interface: sign-in on the fixed host, all else on the host a login names. */
export interface Api extends Omit<Client<Session>, 'signIn' | 'change'> {
  signIn(session: Session): void;
  /** Kotak has accepted the login: only from now on does its refusal end a session. */
  trust(): void;
  change(path: string, fields: Record<string, string>): Promise<Sent>;
}

const SIGN_IN = '/login/';
/** Market data needs the access token alone, and its refusals are not about the login. */
const MARKET = '/script-details/';
const ADDRESS_LOOKUP_MS = 2_000;

const nowhere: Http = {
  call: () => Promise.reject(new CallError(false, 'Not signed in to Kotak')),
  close: async () => undefined,
};

/** Met after twenty quick orders: a minute without answers. A read holds up those behind it, so that it does not wait for all of that. */
const READ_TIMEOUT_MS = 20_000;

const dialect: Dialect<Login> = {
  name: 'Kotak',
  readTimeoutMs: READ_TIMEOUT_MS,
  nobody: { token: '', sid: '', baseUrl: '', http: nowhere },
  headers({ token, sid }, { credentials }, { path }) {
    const access = { authorization: credentials.ACCESS_TOKEN ?? '' };
    if (path.startsWith(MARKET)) return access;
    const app = { ...access, 'neo-fin-key': 'neotradeapi' };
    return path.startsWith(SIGN_IN) ? app : { ...app, auth: token, sid };
  },
  read(reply, { path }) {
    const { status } = reply;
    const body = reply.json();
    const problem = problemOf(body);
    if (!problem) return typeof body === 'object' && body !== null ? { success: true, data: body } : null;
    const dead = isDeadLogin(status, problem);
    return {
      success: false,
      message: problem.message,
      code: String(problem.code ?? ''),
      expired: dead && !path.startsWith(SIGN_IN) && !path.startsWith(MARKET),
      empty: !dead && status === 200 && problem.code === EMPTY_CODE,
      // A refusal that names an order number contradicts itself: it is not believed.
      definite: isDefinite(status, problem) && !namesOrder(body),
    };
  },
  good: (status) => status >= 200 && status < 300,
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect, ({ path }, { http }) => (path.startsWith(SIGN_IN) ? null : http));
  let retired: Promise<unknown> = Promise.resolve();

  /** Calls in flight end; nobody waits for them before the next login. */
  function signOut(): void {
    retired = Promise.all([retired, client.login().http.close()]);
    client.signOut();
  }

  /** The address Kotak sees us at, in words; empty when it does not say. */
  async function seenAddress({ token, sid }: Session): Promise<string> {
    const call = { method: 'GET', path: '/login/1.0/get-client-ip', headers: { auth: token, sid }, timeoutMs: ADDRESS_LOOKUP_MS } as const;
    const answer = await client.ask(call);
    const [seen] = (answer.success && clientAddress.safeParse(answer.data).data?.data) || [];
    return seen ? ` and sees this gateway at ${seen.ip}` : '';
  }

  async function change(path: string, fields: Record<string, string>): Promise<Sent> {
    const used = client.login();
    const call = { method: 'POST', path, form: { jData: JSON.stringify(fields) } } as const;
    let code: string | undefined;
    const sent = await client.change(call, orderAnswer, (refusal) => {
      code = refusal.code;
    });
    if (code !== String(UNREGISTERED_ADDRESS_CODE)) return sent;
    const hint = `Kotak takes orders from registered addresses only${await seenAddress(used)}`;
    return { ...sent, message: `${sent.message}: ${hint}; register it in Kotak Neo under Trade API, or set KOTAK_LOCAL_ADDRESS` };
  }

  return {
    ...client,
    signIn(session) {
      signOut();
      client.signIn({ ...session, http: createHttp({ ...env, origin: session.baseUrl }) });
    },
    signOut,
    trust: () => client.signIn(client.login(), true),
    change,
    close: async () => {
      signOut();
      await Promise.all([client.close(), retired]);
    },
  };
}

function namesOrder(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'nOrdNo' in body && Boolean(body.nOrdNo);
}
