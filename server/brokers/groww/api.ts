import type { z } from 'zod';
import type { BrokerEnv, Failure, Sent } from '../broker.ts';
import { type Client, createClient } from '../client.ts';
import { type Dialect, unreadable } from '../dialect.ts';
import { failure } from '../parse.ts';
import { isDefinite, isExpired, open, orderAnswer, socketLogin as socketAnswer } from './wire.ts';

const SOCKET_PATH = '/v1/api/apex/v1/socket/token/create/';
/** Trades an API key and a proof for a token: signed with the key, answered without an envelope. */
export const TOKEN_PATH = '/v1/token/api/access';

export type SocketLogin = z.infer<typeof socketAnswer>;

/** Groww's REST interface with the token of one login. */
export interface Api extends Omit<Client<string>, 'change'> {
  change(path: string, json: Record<string, unknown>): Promise<Sent>;
  /** What a socket signs in with, for the public key of its own pair. */
  socketLogin(publicKey: string): Promise<{ success: true; data: SocketLogin } | Failure>;
}

const dialect: Dialect<string> = {
  name: 'Groww',
  nobody: '',
  headers: (token) => ({ authorization: `Bearer ${token}`, 'x-api-version': '1.0' }),
  read(reply, { path }) {
    const { status } = reply;
    if (path === TOKEN_PATH && status === 200) return { success: true, data: reply.json() };
    const answer = open(reply);
    if (answer?.ok) return { success: true, data: answer.payload };
    const message = answer?.message ?? unreadable(dialect.name, status);
    const expired = path !== TOKEN_PATH && isExpired(status, message);
    if (!answer) return expired ? { success: false, message, expired } : null;
    return { success: false, message, expired, code: answer.code ?? '', definite: isDefinite(status, answer.code) };
  },
};

export function createApi(env: BrokerEnv): Api {
  const client = createClient(env, dialect);

  /** Groww was seen to redirect this call; on the same host the redirect is followed, once. */
  async function socketLogin(publicKey: string): ReturnType<Api['socketLogin']> {
    const ask = (path: string) => client.reach({ method: 'POST', path, json: { socketKey: publicKey } }, true);
    let reached = await ask(SOCKET_PATH);
    const first = 'reply' in reached ? reached.reply : null;
    const moved = first && [307, 308].includes(first.status) ? pathOnHost(env.apiUrl, first.headers.location ?? '') : null;
    if (moved !== null) reached = await ask(moved);
    if ('success' in reached) return failure(reached.message);
    const { reply, said } = reached;
    if (said && !said.success) return failure(said.message);
    const told = socketAnswer.safeParse(said ? said.data : reply.json());
    return reply.status === 200 && told.success ? { success: true, data: told.data } : failure(unreadable(client.name, reply.status));
  }

  return {
    ...client,
    change: (path, json) =>
      client.change({ method: 'POST', path, json }, (data) => ({ orderId: orderAnswer.safeParse(data).data?.groww_order_id ?? '' })),
    socketLogin,
  };
}

/** Where a redirect leads below our address of the API; null when it leads away from it. */
function pathOnHost(apiUrl: string, location: string): string | null {
  const base = new URL(apiUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const target = URL.parse(location, `${base.origin}${prefix}${SOCKET_PATH}`);
  return target?.origin === base.origin && target.pathname.startsWith(`${prefix}/`)
    ? target.pathname.slice(prefix.length) + target.search
    : null;
}
