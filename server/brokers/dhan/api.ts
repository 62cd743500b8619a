import type { BrokerEnv, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import type { Dialect } from '../dialect.ts';
import { isDefinite, isExpired, orderAnswer, problem, problemText } from './wire.ts';

interface Login {
  client: string;
  token: string;
}

/** Dhan's REST interface with the token of one login. */
export interface Api extends Omit<Client<Login>, 'change'> {
  change(method: 'POST' | 'PUT' | 'DELETE', path: string, json?: unknown): Promise<Sent>;
}

/** There is no envelope: what is no problem is what was asked for. */
const dialect: Dialect<Login> = {
  name: 'Dhan',
  nobody: { client: '', token: '' },
  headers: ({ client, token }) => ({ 'access-token': token, 'client-id': client }),
  read({ status, json }) {
    const body = json();
    const told = problem.safeParse(body).data;
    if (!told) return body === undefined ? null : { success: true, data: body };
    const [expired, definite] = [isExpired(status, told), isDefinite(status, told)];
    return { success: false, message: problemText(told), code: told.errorCode ?? '', expired, definite };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);
  return {
    ...client,
    change: (method, path, json) =>
      client.change({ method, path, json }, (body) => {
        const answer = orderAnswer.safeParse(body).data;
        if (!answer) return null;
        if (answer.orderStatus !== 'REJECTED') return { orderId: answer.orderId };
        // A placement is refused for certain; of a change it leaves open what the order is now.
        const message = `Dhan rejected order ${answer.orderId}`;
        return { orderId: method === 'POST' ? '' : answer.orderId, refused: true, message };
      }),
  };
}
