import type { BrokerEnv, Sent } from '../broker.ts';
import { CallError, type CallRequest, createHttp, type Reply } from '../http.ts';
import { type Reading, send } from '../send-once.ts';
import { type Envelope, envelope, identified, isDefinite, isExpired, UNACKNOWLEDGED } from './wire.ts';

/** `expired`: FYERS refused the token itself. */
export type Answer<Data> = { success: true; data: Data } | { success: false; message: string; expired: boolean };

/** FYERS' REST interface with the token of one login. */
export interface Api {
  /** Uses `token` from now on; `trusted` once FYERS has accepted it: only then does its refusal end a session. */
  signIn(token: string, trusted: boolean): void;
  /** The newest token; empty before the first login. */
  token(): string;
  /** One call; the data is the whole body. */
  request(request: CallRequest): Promise<Answer<Envelope>>;
  /** A read; the data is what the body holds under `key`. */
  read(path: string, key: string, query?: Record<string, string>): Promise<Answer<unknown>>;
  change(method: 'POST' | 'PATCH' | 'DELETE', path: string, json: unknown): Promise<Sent>;
  close(): Promise<void>;
}

export function createApi(env: BrokerEnv): Api {
  const http = createHttp({ origin: env.apiUrl, localAddress: env.localAddress, clock: env.clock, log: env.log });
  let login = { token: '', trusted: false };

  function headers(): Record<string, string> {
    return login.token ? { authorization: `${env.credentials.APP_ID}:${login.token}` } : {};
  }

  /** Parses an answer and notes the end of `used`, the login the call went out with. */
  function open(reply: Reply, used: typeof login): Envelope | undefined {
    const body = envelope.safeParse(reply.json()).data;
    if (body && isExpired(reply.status, body) && used.trusted) {
      used.trusted = false;
      if (used === login) env.onExpired(body.message ?? 'FYERS refused the token');
    }
    return body;
  }

  async function request(call: CallRequest): Promise<Answer<Envelope>> {
    const used = login;
    try {
      const reply = await http.call({ ...call, headers: headers() });
      const body = open(reply, used);
      if (body?.s === 'ok' && reply.status === 200) return { success: true, data: body };
      if (body?.s === 'error') return { success: false, message: errorText(reply, body), expired: isExpired(reply.status, body) };
      return { success: false, message: `FYERS answered HTTP ${reply.status} with a body that cannot be read`, expired: false };
    } catch (error) {
      if (error instanceof CallError) return { success: false, message: error.message, expired: false };
      throw error;
    }
  }

  async function read(path: string, key: string, query: Record<string, string> = {}): Promise<Answer<unknown>> {
    const answer = await request({ method: 'GET', path, query, mutating: false });
    if (!answer.success) return answer;
    const data = answer.data[key] ?? null;
    return data === null ? { success: false, message: `FYERS answered without ${key}`, expired: false } : { success: true, data };
  }

  async function change(method: 'POST' | 'PATCH' | 'DELETE', path: string, json: unknown): Promise<Sent> {
    const used = login;
    return send(http, { method, path, headers: headers(), json }, (reply): Reading | null => {
      const body = open(reply, used);
      if (!body) return null;
      const orderId = identified.safeParse(body).data?.id ?? '';
      if (body.s === 'error') return { orderId, refused: isDefinite(reply.status, body), message: errorText(reply, body) };
      if (body.code === UNACKNOWLEDGED) return { orderId: '', refused: false, message: body.message || 'FYERS has no acknowledgement yet' };
      return { orderId, refused: false, data: body };
    });
  }

  return {
    signIn: (token, trusted) => {
      login = { token, trusted };
    },
    token: () => login.token,
    request,
    read,
    change,
    close: http.close,
  };
}

function errorText(reply: Reply, body: Envelope): string {
  return body.message || `FYERS answered HTTP ${reply.status}, code ${body.code ?? 'none'}, without a reason`;
}
