import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Dialect } from '../dialect.ts';
import { envelope, isDefinite, isExpired, orderAnswer } from './wire.ts';

/** Kite's REST interface with the token of one login. */
export interface Api extends Omit<Client<string>, 'change'> {
  change(method: 'POST' | 'PUT' | 'DELETE', path: string, form?: Record<string, string>): Promise<Sent>;
}

const kite: Dialect<string> = {
  name: 'Zerodha',
  nobody: '',
  headers: (token, { credentials }) => ({
    'x-kite-version': '3',
    ...(token ? { authorization: `token ${credentials.API_KEY}:${token}` } : {}),
  }),
  read(reply) {
    const body = envelope.safeParse(reply.json()).data;
    if (body?.status !== 'error') return body ? { success: true, data: body.data } : null;
    const { status } = reply;
    return { success: false, message: body.message, expired: isExpired(status, body), definite: isDefinite(status, body) };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, kite);
  return {
    ...client,
    change: (method, path, form) =>
      client.change({ method, path, ...(form ? { form } : {}) }, (data) => ({
        orderId: orderAnswer.safeParse(data).data?.order_id ?? '',
      })),
  };
}
