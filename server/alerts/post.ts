import { Agent, request } from 'undici';
import type { Clock } from '../clock.ts';

/** What became of one delivery. */
export type Delivered =
  | { ok: true }
  /** `hopeless`: it will be refused again for what it holds. `pauseMs`: what the receiver asked to wait. */
  | { ok: false; why: string; hopeless: boolean; pauseMs: number };

/** A way alerts leave. Never rejects; its answers hold neither addresses nor secrets. */
export interface Channel {
  name: 'webhook' | 'telegram';
  host: string;
  /** Sends one alert: `body` is its JSON text. */
  send(body: string): Promise<Delivered>;
  close(): Promise<void>;
}

export interface Answer {
  status: number;
  /** The first of it. */
  text: string;
  retryAfter: string | null;
}

/** A receiver that takes longer has failed. */
const PATIENCE_MS = 10_000;
const MOST_ANSWER = 4096;
const LONGEST_PAUSE_MS = 3_600_000;

/** Posts JSON to one host, over at most two connections of its own. */
export class Poster {
  readonly #agent = new Agent({ connections: 2, pipelining: 1, connect: { timeout: PATIENCE_MS } });
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The answer, at most 10 s later; redirects are not followed. Rejects in words that hold no address. */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    const patience = new AbortController();
    const over = new AbortController();
    void this.#clock.sleep(PATIENCE_MS, over.signal).then(() => patience.abort());
    try {
      const response = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'broker-gateway', ...headers },
        body,
        dispatcher: this.#agent,
        signal: patience.signal,
      });
      const retryAfter = response.headers['retry-after'];
      return {
        status: response.statusCode,
        text: await beginning(response.body),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      };
    } catch (error) {
      throw new Error(patience.signal.aborted ? 'no answer within 10 s' : codeOf(error));
    } finally {
      over.abort();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** The rest is thrown away, with its connection where it does not end. */
async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MOST_ANSWER) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, MOST_ANSWER);
}

/** Codes of the system and of the client name no host that is not the receiver's own; messages may. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^[A-Z0-9_]{3,40}$/.test(code) ? code : 'the connection failed';
}

/** Statuses that say something of the moment or of the address, and nothing of this one alert. */
const elsewhere = new Set([401, 403, 404, 407, 408, 410, 425, 429]);

/** What an answer that is no 2xx means. `text`: what the receiver said of it, where that may be told. */
export function refusedBy({ status, retryAfter }: Answer, text = ''): Extract<Delivered, { ok: false }> {
  const seconds = retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : 0;
  const why = `HTTP ${status}${text === '' ? '' : `: ${text}`}`;
  const hopeless = status >= 400 && status < 500 && !elsewhere.has(status);
  return { ok: false, why, hopeless, pauseMs: Math.min(LONGEST_PAUSE_MS, seconds * 1000) };
}

/** What an error of a connection means. */
export function failedBy(error: unknown): Extract<Delivered, { ok: false }> {
  return { ok: false, why: error instanceof Error ? error.message : 'the connection failed', hopeless: false, pauseMs: 0 };
}
