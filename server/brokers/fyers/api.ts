import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Answer, Dialect } from '../dialect.ts';
import { type Envelope, envelope, identified, isDefinite, isExpired, UNACKNOWLEDGED } from './wire.ts';

/** FYERS' REST interface with the token of one login. What an answer brings is its whole body. */
export interface Api extends Omit<Client<string, Envelope>, 'change'> {
  /** A question; the data is what the body holds under `key`. */
  member(path: string, key: string, query?: Record<string, string>): Promise<Answer>;
  change(method: 'POST' | 'PATCH' | 'DELETE', path: string, json: unknown): Promise<Sent>;
}

const dialect: Dialect<string, Envelope> = {
  name: 'FYERS',
  nobody: '',
  headers: (token, { credentials }): Record<string, string> => (token ? { authorization: `${credentials.APP_ID}:${token}` } : {}),
  read({ status, json }) {
    const body = envelope.safeParse(json()).data;
    if (body?.s !== 'error') return body ? { success: true, data: body } : null;
    return {
      success: false,
      message: body.message || `FYERS answered HTTP ${status}, code ${body.code ?? 'none'}, without a reason`,
      expired: isExpired(status, body),
      definite: isDefinite(status, body),
      orderId: idOf(body),
    };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);
  return {
    ...client,
    async member(path, key, query) {
      const answer = await client.get(path, query);
      if (!answer.success) return answer;
      const data = answer.data[key] ?? null;
      return data === null ? { success: false, message: `FYERS answered without ${key}` } : { success: true, data };
    },
    change: (method, path, json) =>
      client.change({ method, path, json }, (body) =>
        body.code === UNACKNOWLEDGED
          ? { message: body.message || 'FYERS has no acknowledgement yet', data: undefined }
          : { orderId: idOf(body) },
      ),
  };
}

function idOf(body: Envelope): string {
  return identified.safeParse(body).data?.id ?? '';
}
