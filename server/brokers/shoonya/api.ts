import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Answer, Call, Dialect } from '../dialect.ts';
import { failure } from '../parse.ts';
import {
  accountCalls,
  changedAnswer,
  encodedCalls,
  isDefinite,
  isEmpty,
  isExpired,
  placedAnswer,
  refusal,
  session,
  sourcedCalls,
  success,
} from './wire.ts';

export type Fields = Readonly<Record<string, string>>;

export interface Login {
  token: string;
  user: string;
  account: string;
}

/** Shoonya's REST interface with the token of one login: a POST by name with one JSON text, all values strings. */
export interface Api extends Omit<Client<Login>, 'ask' | 'read' | 'change' | 'logout'> {
  /** Asks; a list as well as an object is a success. `once`: the call is not to be repeated. */
  request(name: string, fields?: Fields, once?: boolean): Promise<Answer>;
  /** An object with stat Ok. */
  read(name: string): Promise<Read>;
  /** Places, changes or cancels, once. */
  change(name: 'PlaceOrder' | 'ModifyOrder' | 'CancelOrder', fields: Fields): Promise<Sent>;
  /** Ends the login at Shoonya. */
  logout(): Promise<Read>;
}

/** Trades a code for a token; its answer alone has no stat. */
export const TOKEN_CALL = 'GenAcsTok';

const dialect: Dialect<Login> = {
  name: 'Shoonya',
  nobody: { token: '', user: '', account: '' },
  headers: ({ token }) => ({ ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'text/plain' }),
  read({ status, json }, { path }) {
    const body = json();
    const refused = refusal.safeParse(body);
    if (refused.success) {
      const message = refused.data.emsg ?? `HTTP ${status} without a reason`;
      const expired = isExpired(status, message);
      return { success: false, message, expired, empty: !expired && isEmpty(message), definite: isDefinite(status, message) };
    }
    const told = Array.isArray(body) || (path === `/${TOKEN_CALL}` ? session : success).safeParse(body).success;
    return told ? { success: true, data: body } : null;
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);

  function callOf(name: string, fields: Fields = {}): Call {
    const { user, account } = client.login();
    const who = {
      uid: user,
      ...(accountCalls.includes(name) && { actid: account }),
      ...(sourcedCalls.includes(name) && { ordersource: 'API' }),
    };
    return { method: 'POST', path: `/${name}`, body: bodyOf(name, { ...who, ...fields }) };
  }

  const request: Api['request'] = (name, fields, once) => client.ask(callOf(name, fields), once);

  return {
    ...client,
    request,
    async read(name) {
      const answer = await request(name);
      if (!answer.success) return failure(answer.message);
      return Array.isArray(answer.data) ? failure(`Shoonya answered ${name} with a list`) : answer;
    },
    change(name, fields) {
      const id = name === 'PlaceOrder' ? placedAnswer : changedAnswer;
      return client.change(callOf(name, fields), (body) =>
        success.safeParse(body).success ? { orderId: id.safeParse(body).data ?? '' } : null,
      );
    },
    logout: () => client.logout(callOf('Logout')),
  };
}

/** The body is cut at every `&`: some calls are documented to want it percent-encoded, everything else takes it as a JSON escape. */
function bodyOf(name: string, fields: Fields): string {
  const escaped = encodedCalls.includes(name) ? '%26' : '\\u0026';
  return `jData=${JSON.stringify(fields).replaceAll('&', escaped)}`;
}
