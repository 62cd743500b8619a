import { GatewayError } from './errors.ts';
import type { GatewayEvent, Quote } from './generated/types.gen.ts';
import { memberOf, pause } from './transport.ts';

/** One message of the stream: a numbered event, or the newest quote of an instrument. */
export type StreamMessage = { topic: 'tick'; quote: Quote } | { topic: GatewayEvent['topic']; event: GatewayEvent };

export interface StreamOptions {
  /** Whose ticks to send, `NSE:SBIN`; none unless given. */
  instruments?: readonly string[];
  /** Goes on behind the event of this number; the stream begins now unless given, and with 0 at the first event there is. */
  after?: number;
  /** Ends the stream, and its iteration with it. */
  signal?: AbortSignal;
}

/** Opens one connection. Rejects when there is no answer. */
export type OpenStream = (headers: Record<string, string>, signal: AbortSignal) => Promise<Response>;

/** Three heartbeats of the gateway: a connection that is silent for so long is dead. */
const SILENCE_MS = 45_000;
const LONGEST_WAIT_MS = 5_000;

interface Frame {
  id?: number;
  topic: string;
  data: string;
}

/**
 * The messages of a gateway's stream, over as many connections as it takes: each event once and in order, whatever breaks on the way. Ends with the
 * signal; `opened` is called at each connection. Throws a GatewayError when the gateway refuses the stream: `unauthenticated`, `invalid`.
 */
export async function* streamOf(
  open: OpenStream,
  { after, signal }: StreamOptions,
  opened: () => void = () => undefined,
): AsyncGenerator<StreamMessage, void, undefined> {
  let last = after;
  for (let failures = 0; !signal?.aborted; failures += 1) {
    const connection = new AbortController();
    const both = signal ? AbortSignal.any([signal, connection.signal]) : connection.signal;
    let waitMs = 0;
    try {
      const headers: Record<string, string> = { Accept: 'text/event-stream', ...(last !== undefined && { 'Last-Event-ID': String(last) }) };
      const response = await open(headers, both);
      if (!response.ok || !response.body) throw await refused(response);
      opened();
      for await (const { id, topic, data } of framesOf(response.body, connection)) {
        failures = 0;
        const message = data === '' ? null : messageOf(topic, data);
        // Known before it is told: whoever is told it may end the stream there.
        if (id !== undefined) last = id;
        if (message) yield message;
      }
    } catch (error) {
      if (error instanceof GatewayError && !error.retryAfterMs && error.code !== 'unavailable') throw error;
      waitMs = (error instanceof GatewayError && error.retryAfterMs) || 0;
    } finally {
      connection.abort();
    }
    await pause(Math.max(waitMs, Math.min(LONGEST_WAIT_MS, 200 * 2 ** Math.min(failures, 5)) * (0.5 + Math.random() / 2)), signal);
  }
}

/** The messages of one connection, until it ends, breaks or falls silent. */
async function* framesOf(body: ReadableStream<Uint8Array>, connection: AbortController): AsyncGenerator<Frame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const timer = setTimeout(() => connection.abort(), SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield frameOf(part);
  }
}

function frameOf(text: string): Frame {
  const frame: Frame = { topic: '', data: '' };
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') frame.id = Number(value);
    if (name === 'event') frame.topic = value;
    if (name === 'data') frame.data += value;
  }
  return frame;
}

/** Null for a topic this version does not know. */
function messageOf(topic: string, data: string): StreamMessage | null {
  if (topic === 'tick') return { topic, quote: JSON.parse(data) };
  if (topic === 'order' || topic === 'position' || topic === 'session' || topic === 'notice') return { topic, event: JSON.parse(data) };
  return null;
}

async function refused(response: Response): Promise<GatewayError> {
  const { status } = response;
  const answer: unknown = await response.json().catch(() => undefined);
  const code = status === 401 ? 'unauthenticated' : status === 429 || status >= 500 ? 'unavailable' : 'invalid';
  const seconds = Number(response.headers.get('Retry-After'));
  const said = memberOf(answer, 'message');
  const message = typeof said === 'string' ? said : `The gateway answered with status ${status}`;
  return new GatewayError(code, message, { status, answer, ...(seconds > 0 && { retryAfterMs: seconds * 1000 }) });
}
