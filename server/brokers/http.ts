import { setImmediate as nextTurn } from 'node:timers/promises';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type Clock, Cut } from '../clock.ts';
import type { Log } from '../log.ts';
import { permissionToLeave } from './door.ts';
import { readJson } from './parse.ts';
import { rowCaches } from './row-cache.ts';

const CONNECT_TIMEOUT_MS = 2_000;
const TOTAL_TIMEOUT_MS = 7_000;
const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
/** Shorter than the idle time of the load balancers in front of brokers (60 s and more), long enough to stay warm between reads. */
const KEEP_ALIVE_MS = 50_000;

export type Query = Readonly<Record<string, string | readonly string[]>>;

export interface CallRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the origin, parts already percent-encoded. */
  path: string;
  /** A list stands for the name given again for each. */
  query?: Query;
  headers?: Readonly<Record<string, string>>;
  /** At most one of form, json and body. */
  form?: Readonly<Record<string, string>>;
  json?: unknown;
  body?: string;
  /** Changes something at the broker: sent once, whatever happens. */
  mutating: boolean;
  /** Its rows are never those of before: none of them is kept. */
  changing?: boolean;
  timeoutMs?: number;
}

export interface Reply {
  status: number;
  /** Lower-case names; repeated ones joined by a comma. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The value of the text; undefined when it is no JSON. A row that stood in the answer of before is the same object, frozen. */
  json(): unknown;
  /** Our clock minus the broker's HTTP Date, ms, of one-second grain; absent without a readable Date. */
  clockOffsetMs?: number;
}

/** A call without an answer. `sent` is false only when no byte of the request was written, so that nothing can have arrived. */
export class CallError extends Error {
  readonly sent: boolean;
  constructor(sent: boolean, message: string) {
    super(message);
    this.sent = sent;
  }
}

export interface Http {
  call(request: CallRequest): Promise<Reply>;
  /** Lets calls in flight end, then closes the sockets. */
  close(): Promise<void>;
}

/** Marks what comes out of the connector itself: name look-up, refused or timed-out connection, TLS. */
class NotConnected extends Error {
  readonly code: string;
  constructor(cause: unknown) {
    super('not connected');
    this.code = codeOf(cause);
  }
}

/** A mutating call that was not allowed to leave when its bytes were about to be written. */
class KeptBack extends Error {}

export interface HttpOptions {
  origin: string;
  localAddress?: string | undefined;
  clock: Clock;
  log: Log;
  /** Hears the clockOffsetMs of every answer that has one. */
  onOffset?: ((clockOffsetMs: number) => void) | undefined;
  /** Asked before each mutating call's bytes, beside the send's own permission. */
  held?: (() => string | null) | undefined;
}

/**
 * One keep-alive pool towards one broker. `origin` may carry a path prefix; names are dialled over IPv4 alone, and `localAddress` binds the sockets.
 * `call` follows no redirect and repeats nothing but a read whose kept-alive socket had died. It answers with any HTTP status
 * and throws CallError otherwise; neither its errors nor its log lines hold headers, queries or bodies.
 */
export function createHttp(options: HttpOptions): Http {
  const { clock, log } = options;
  const base = new URL(options.origin);
  const prefix = base.pathname.replace(/\/$/, '');
  const pool = createPool(base.origin, options.localAddress);
  const cacheOf = rowCaches();
  let closed = false;

  async function exchange(request: CallRequest, over: Cut, mayLeave: () => string | null): Promise<Reply> {
    const path = prefix + request.path + queryText(request.query);
    const answer = await ask(pool, { method: request.method, path, ...payload(request) }, over, mayLeave);
    // undici frees the socket one turn later; a caller that goes on at once would open a cold one beside it.
    await nextTurn();
    const reply = replyOf(answer, clock.now(), (text) =>
      request.mutating || request.changing ? readJson(text) : cacheOf(path).read(text),
    );
    if (reply.clockOffsetMs !== undefined) options.onOffset?.(reply.clockOffsetMs);
    return reply;
  }

  async function call(request: CallRequest): Promise<Reply> {
    if (closed) throw new CallError(false, `The connection to ${base.host} is closed`);
    const started = clock.mono();
    const timeoutMs = request.timeoutMs ?? TOTAL_TIMEOUT_MS;
    // Ends the wait when there is an answer, and the call when there is none in time.
    const over = new Cut();
    let late = false;
    void clock.sleep(timeoutMs, over).then(() => {
      if (over.aborted) return;
      late = true;
      over.abort();
    });
    // Asked later, from the socket's own turn of the event loop, which knows nothing of the send this call belongs to.
    const permission = permissionToLeave();
    const mayLeave = () => (request.mutating ? (options.held?.() ?? permission()) : null);
    const said = { method: request.method, host: base.host, path: prefix + request.path };
    try {
      const go = () => exchange(request, over, mayLeave);
      const reply = await (request.mutating ? go() : go().catch((error) => again(error, go)));
      log.debug({ ...said, status: reply.status, ms: Math.round(clock.mono() - started) }, 'broker call');
      return reply;
    } catch (error) {
      const failure = describe(error, base.host, late ? timeoutMs : null);
      log.warn({ ...said, sent: failure.sent, ms: Math.round(clock.mono() - started) }, failure.message);
      throw failure;
    } finally {
      over.abort();
    }
  }

  return {
    call,
    close: async () => {
      closed = true;
      if (!pool.closed) await pool.close();
    },
  };
}

function createPool(origin: string, localAddress: string | undefined): Pool {
  // The address a broker has on record is an IPv4 one.
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, family: 4 });
  return new Pool(origin, {
    connect: (target, callback) =>
      connect({ ...target, localAddress: localAddress ?? null }, (...[error, socket]) =>
        error ? callback(new NotConnected(error), null) : callback(null, socket),
      ),
    // One request at a time on a socket: undici re-queues only requests that wait behind another.
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxResponseSize: MAX_ANSWER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/**
 * One request, its answer read as a whole: undici's own `request` makes a stream of each answer, and more for each signal, which nobody here needs.
 * Ends with `over`; what still waits for a socket then is never written. `mayLeave` is asked right before the first byte is.
 */
function ask(pool: Pool, options: Dispatcher.DispatchOptions, over: Cut, mayLeave: () => string | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let [status, headers]: [number, Answer['headers']] = [0, {}];
    let underWay: Dispatcher.DispatchController | null = null;
    function stop(): void {
      const reason = new Error('given up');
      if (underWay) underWay.abort(reason);
      else reject(reason);
    }
    over.addEventListener('abort', stop);
    pool.dispatch(options, {
      onRequestStart(controller) {
        underWay = controller;
        if (over.aborted) return stop();
        const reason = mayLeave();
        if (reason !== null) controller.abort(new KeptBack(reason));
      },
      onResponseStart(_, code, fields) {
        [status, headers] = [code, fields];
      },
      onResponseData(_, part) {
        parts.push(part);
      },
      onResponseEnd() {
        over.removeEventListener('abort', stop);
        resolve({ status, headers, text: textOf(parts) });
      },
      onResponseError(_, error) {
        over.removeEventListener('abort', stop);
        reject(error);
      },
    });
  });
}

function replyOf({ status, headers: fields, text }: Answer, now: number, read: (text: string) => unknown): Reply {
  const headers: Record<string, string> = {};
  for (const name in fields) headers[name] = String(fields[name] ?? '');
  const brokerTime = Date.parse(headers.date ?? '');
  const clockOffset = Number.isNaN(brokerTime) ? {} : { clockOffsetMs: Math.round(now - brokerTime) };
  return { status, headers, text, json: once(() => read(text)), ...clockOffset };
}

/** UTF-8, without a byte order mark. */
function textOf(parts: readonly Buffer[]): string {
  const [only] = parts;
  const text = (parts.length === 1 && only ? only : Buffer.concat(parts)).toString('utf8');
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function queryText(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each] as [string, string]));
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

function payload(request: CallRequest): { headers: Record<string, string>; body?: string } {
  const headers = { 'user-agent': 'broker-gateway', accept: 'application/json', ...request.headers };
  if (request.form) {
    return {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(request.form).toString(),
    };
  }
  if (request.json !== undefined) {
    return { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(request.json) };
  }
  return request.body === undefined ? { headers } : { headers, body: request.body };
}

const deadSocketCodes = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];

async function again(error: unknown, repeat: () => Promise<Reply>): Promise<Reply> {
  if (error instanceof NotConnected || !deadSocketCodes.includes(codeOf(error))) throw error;
  return repeat();
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
}

function describe(error: unknown, host: string, timedOutMs: number | null): CallError {
  if (error instanceof NotConnected) return new CallError(false, `No connection to ${host} (${error.code})`);
  if (error instanceof KeptBack) return new CallError(false, error.message);
  if (timedOutMs !== null) return new CallError(true, `No answer from ${host} within ${timedOutMs / 1000} s`);
  return new CallError(true, `The connection to ${host} was lost before its answer (${codeOf(error)})`);
}
