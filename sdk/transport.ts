/** One answer of the gateway: served (2xx with a body of its own), refused (another status), or silence where none came or none was readable. */
export type Answer<Body> =
  | { kind: 'served'; status: number; headers: Headers; body: Body }
  | { kind: 'refused'; status: number; headers: Headers; body: unknown }
  | { kind: 'silence'; aborted: boolean; cause: unknown };

export interface Outcome<Body> {
  answer: Answer<Body>;
  /** Some attempt may have been carried out although its own answer does not say so. */
  inDoubt: boolean;
}

export interface CallOptions {
  /** Ends the wait. An order already sent is not taken back by it. */
  signal?: AbortSignal;
  /** Longest wait for one answer; the gateway's own setting otherwise. */
  timeoutMs?: number;
}

export interface Policy extends CallOptions {
  timeoutMs: number;
  /** How often a call is repeated; 0 for what must be sent once. */
  retries: number;
}

/** What the generated functions resolve to. */
export interface Fields<Body> {
  data: Body | undefined;
  error: unknown;
  response?: Response | undefined;
}

const BACKOFF_MS = 300;
const LONGEST_BACKOFF_MS = 5_000;
/** A gateway that asks for more patience than this gets its caller's decision instead. */
const LONGEST_WAIT_MS = 10_000;

/** Sends a call, again while the policy and the answers allow it. Never rejects: silence is an answer too. */
export async function exchange<Body>(send: (signal: AbortSignal) => Promise<Fields<Body>>, policy: Policy): Promise<Outcome<Body>> {
  let inDoubt = false;
  for (let attempt = 0; ; attempt++) {
    if (policy.signal?.aborted) return { answer: { kind: 'silence', aborted: true, cause: policy.signal.reason }, inDoubt };
    const answer = await sendOnce(send, policy);
    inDoubt ||= leavesDoubt(answer);
    const waitMs = Math.max(backoffMs(attempt), retryAfterMs(answer) ?? 0);
    if (attempt >= policy.retries || !isPassing(answer) || waitMs > LONGEST_WAIT_MS) return { answer, inDoubt };
    await pause(waitMs, policy.signal);
  }
}

/** How long the answer asks to wait, milliseconds; undefined when it does not say. */
export function retryAfterMs(answer: Answer<unknown>): number | undefined {
  const text = answer.kind === 'silence' ? null : answer.headers.get('Retry-After');
  if (!text) return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

async function sendOnce<Body>(send: (signal: AbortSignal) => Promise<Fields<Body>>, policy: Policy): Promise<Answer<Body>> {
  const timeout = AbortSignal.timeout(policy.timeoutMs);
  const { data, error, response } = await send(policy.signal ? AbortSignal.any([policy.signal, timeout]) : timeout);
  const garbled = response?.ok && !isGatewayBody(data);
  if (!response || error instanceof Error || garbled)
    return { kind: 'silence', aborted: policy.signal?.aborted ?? false, cause: error ?? new Error('The answer is not one of the gateway') };
  const { status, headers } = response;
  return data === undefined ? { kind: 'refused', status, headers, body: error } : { kind: 'served', status, headers, body: data };
}

/** `{success, ...}`, a test report, or the bare list a trade book can be. */
function isGatewayBody(body: unknown): boolean {
  return Array.isArray(body) || typeof memberOf(body, 'success') === 'boolean' || typeof memberOf(body, 'passed') === 'number';
}

export function memberOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
}

/** Worth another try: no answer, a server in trouble, or a gateway that says when to come back. */
function isPassing(answer: Answer<unknown>): boolean {
  if (answer.kind === 'silence') return true;
  return answer.status === 429 || answer.status === 409 || answer.status >= 500 || answer.headers.has('Retry-After');
}

/** 409 is a twin of the call that is still at work. */
function leavesDoubt(answer: Answer<unknown>): boolean {
  return answer.kind === 'silence' || answer.status === 409 || answer.status >= 500;
}

function backoffMs(attempt: number): number {
  return Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Ends early with the signal. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}
