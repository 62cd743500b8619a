import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { failure } from '../parse.ts';
import { type Reading, send } from '../send-once.ts';
import { type Body, envelope, isDefinite, isExpired, isRateRefusal, orderAnswer } from './wire.ts';

const ROOT = '/rest/secure/angelbroking';
/** Most reads are limited to one a second; one that was refused for it is asked once more after that. */
const RATE_PAUSE_MS = 1_000;
/** Stands for the rate refusal, which comes without a code. */
const RATE = 'RATE';

/** `expired`: Angel One refused the token itself. */
export type Answer = { success: true; data: unknown } | { success: false; message: string; expired: boolean; rate?: boolean };

/** `feed` opens the price socket; empty when the login came without one. */
export interface Tokens {
  jwt: string;
  feed: string;
}

/** SmartAPI's REST interface with the token of one login. */
export interface Api {
  /** Uses `tokens` from now on; `trusted` once Angel One has accepted it: only then does its refusal end a session. */
  signIn(tokens: Tokens, trusted: boolean): void;
  /** Of the newest login; empty texts without one. */
  tokens(): Tokens;
  /** One call of a path from the root; asked once. */
  request(request: CallRequest): Promise<Answer>;
  /** A GET of a path below the secured root. `data` may be null, which is how Angel One says that a list is empty. */
  read(path: string): Promise<Read>;
  /** One order call, sent once; `code` is Angel One's error code, empty without one. */
  change(operation: 'placeOrder' | 'modifyOrder' | 'cancelOrder', body: Record<string, string>): Promise<{ sent: Sent; code: string }>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  const address = env.localAddress ?? '127.0.0.1';
  let login = { jwt: '', feed: '', trusted: false };

  /** The three about the machine must be there; what they say is not checked. */
  function headers(): Record<string, string> {
    return {
      'content-type': 'application/json',
      'x-usertype': 'USER',
      'x-sourceid': 'WEB',
      'x-clientlocalip': address,
      'x-clientpublicip': address,
      'x-macaddress': '00:00:00:00:00:00',
      'x-privatekey': env.credentials.API_KEY ?? '',
      ...(login.jwt ? { authorization: `Bearer ${login.jwt}` } : {}),
    };
  }

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login): Body | null {
    if (isRateRefusal(reply.status, reply.text)) return { done: false, code: RATE, message: reply.text.trim(), data: undefined };
    const body = envelope.safeParse(reply.json()).data ?? null;
    if (body && isExpired(body.code) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(body.message);
    }
    return body;
  }

  async function request(call: CallRequest): Promise<Answer> {
    const used = login;
    try {
      const reply = await http.call({ ...call, headers: headers() });
      const body = open(reply, used);
      if (body?.done && reply.status === 200 && body.data !== undefined) return { success: true, data: body.data };
      if (body && !body.done) return { success: false, message: body.message, expired: isExpired(body.code), rate: body.code === RATE };
      return { success: false, message: `Angel One answered HTTP ${reply.status} with a body that cannot be read`, expired: false };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, expired: false };
      throw error;
    }
  }

  async function read(path: string): Promise<Read> {
    const call = { method: 'GET', path: ROOT + path, mutating: false } as const;
    let answer = await request(call);
    if (!answer.success && answer.rate) {
      await env.clock.sleep(RATE_PAUSE_MS);
      answer = await request(call);
    }
    return answer.success ? answer : failure(answer.message);
  }

  const change: Api['change'] = async (operation, json) => {
    const used = login;
    let code = '';
    const call = { method: 'POST', path: `${ROOT}/order/v1/${operation}`, headers: headers(), json } as const;
    const sent = await send(http, call, (reply): Reading | null => {
      const body = open(reply, used);
      if (!body) return null;
      code = body.code;
      const orderId = orderAnswer.safeParse(body.data).data?.orderid ?? '';
      if (body.done) return { orderId, refused: false, data: body.data };
      const refused = orderId === '' && (body.code === RATE || isDefinite(body.code));
      return { orderId: '', refused, message: body.message };
    });
    return { sent, code };
  };

  return {
    signIn: ({ jwt, feed }, trusted) => {
      login = { jwt, feed, trusted };
    },
    tokens: () => login,
    request,
    read,
    change,
    close: http.close,
  };
}
