import type { BrokerEnv, Read, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Dialect } from '../dialect.ts';
import { failure } from '../parse.ts';
import { envelope, isDefinite, isExpired, isRateRefusal, orderAnswer, refusalText } from './wire.ts';

export const ROOT = '/rest/secure/angelbroking';
/** Most reads are limited to one a second; one that was refused for it is asked once more after that. */
const RATE_PAUSE_MS = 1_000;
/** Stands for the rate refusal, which comes without a code. */
const RATE = 'RATE';

/** `feed` opens the price socket; empty when the login came without one. */
export interface Tokens {
  jwt: string;
  feed: string;
}

/** SmartAPI's REST interface with the token of one login. */
export interface Api extends Omit<Client<Tokens>, 'read' | 'change'> {
  /** A GET of a path below the secured root. `data` may be null, which is how Angel One says that a list is empty. */
  read(path: string): Promise<Read>;
  /** One order call, sent once; `code` is Angel One's error code, empty without one. */
  change(operation: 'placeOrder' | 'modifyOrder' | 'cancelOrder', body: Record<string, string>): Promise<{ sent: Sent; code: string }>;
}

const dialect: Dialect<Tokens> = {
  name: 'Angel One',
  nobody: { jwt: '', feed: '' },
  /** The three about the machine must be there; what they say is not checked. */
  headers({ jwt }, { credentials, localAddress = '127.0.0.1' }) {
    return {
      'content-type': 'application/json',
      'x-usertype': 'USER',
      'x-sourceid': 'WEB',
      'x-clientlocalip': localAddress,
      'x-clientpublicip': localAddress,
      'x-macaddress': '00:00:00:00:00:00',
      'x-privatekey': credentials.API_KEY ?? '',
      ...(jwt ? { authorization: `Bearer ${jwt}` } : {}),
    };
  },
  read({ status, text, json }) {
    if (isRateRefusal(status, text)) return { success: false, message: text.trim(), code: RATE, definite: true };
    const body = envelope.safeParse(json()).data;
    if (!body) return null;
    const { done, refused, data, code, message } = body;
    if (done) return { success: true, data };
    return {
      success: false,
      message: refusalText(code, message),
      code,
      expired: isExpired(code),
      definite: refused && idIn(data) === '' && isDefinite(code, message),
    };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);
  return {
    ...client,
    async read(path) {
      let answer = await client.get(ROOT + path);
      if (!answer.success && answer.code === RATE) {
        await env.clock.sleep(RATE_PAUSE_MS);
        answer = await client.get(ROOT + path);
      }
      return answer.success ? answer : failure(answer.message);
    },
    async change(operation, json) {
      let code = '';
      const call = { method: 'POST', path: `${ROOT}/order/v1/${operation}`, json } as const;
      const sent = await client.change(
        call,
        (data) => ({ orderId: idIn(data) }),
        (refusal) => {
          code = refusal.code ?? '';
        },
      );
      return { sent, code };
    },
  };
}

function idIn(data: unknown): string {
  return orderAnswer.safeParse(data).data?.orderid ?? '';
}
