import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Call, Dialect } from '../dialect.ts';
import { createHttp } from '../http.ts';
import { changedAnswer, envelope, isDefinite, isExpired, isNotFound, placedAnswer, textOf } from './wire.ts';

export const API_URL = 'https://api.upstox.com';
export const TOKEN_PATH = '/v2/login/authorization/token';

/** Placing, changing and cancelling have a host of their own; whoever overrides the address means one host for all. */
export function orderUrl(apiUrl: string): string {
  return apiUrl === API_URL ? 'https://api-hft.upstox.com' : apiUrl;
}

/** Upstox's REST interface with the token of one login. */
export interface Api extends Omit<Client<string>, 'change'> {
  change(call: Call): Promise<Sent>;
}

const dialect: Dialect<string> = {
  name: 'Upstox',
  nobody: '',
  headers: (token, _env, { path }) => ({
    ...(token ? { authorization: `Bearer ${token}` } : {}),
    ...(path.startsWith('/v2/') ? { 'api-version': '2.0' } : {}),
  }),
  read(reply, { path }) {
    const all = reply.json();
    const body = envelope.safeParse(all).data;
    if (body?.status === 'error') {
      const [expired, definite] = [isExpired(reply.status, body), isDefinite(reply.status, body)];
      return { success: false, message: textOf(body), expired, definite, empty: isNotFound(body) };
    }
    // The token call answers outside the envelope.
    if (path === TOKEN_PATH) return { success: true, data: all };
    return body ? { success: true, data: body.data } : null;
  },
};

export function createApi(env: BrokerEnv): Api {
  const orderHttp = createHttp({ ...env, origin: orderUrl(env.apiUrl) });
  const client = createClient(env, dialect, ({ path }) => (path.startsWith('/v3/order/') ? orderHttp : null));
  return {
    ...client,
    change(call) {
      const headers: Record<string, string> = env.algoId ? { 'x-algo-name': env.algoId } : {};
      const id = call.method === 'POST' ? placedAnswer : changedAnswer;
      return client.change({ ...call, headers }, (data) => ({ orderId: id.safeParse(data).data ?? '' }));
    },
    close: async () => {
      await Promise.all([client.close(), orderHttp.close()]);
    },
  };
}
