import type { Sent } from './broker.ts';
import { CallError, type CallRequest, type Http, type Reply } from './http.ts';
import { Refusal } from './parse.ts';

/** What one broker's own tables make of an answer to a mutating call. */
export interface Reading {
  /** Order id as text, empty when the answer holds none. */
  orderId: string;
  /** The broker's table (section 7 of its sheet) says that nothing was done. */
  refused: boolean;
  message?: string | undefined;
  data?: unknown;
}

/** Words that leave open whether an order lives, whatever status and error type stand beside them. */
const doubtful = /timed? ?-?out|confirm before placing|order ?book|may have been/i;

/** Sends one mutating call, once, and judges its fate. `read` is the broker's table; null means the answer cannot be read. */
export async function send(http: Http, request: Omit<CallRequest, 'mutating'>, read: (reply: Reply) => Reading | null): Promise<Sent> {
  try {
    return sentFrom(await http.call({ ...request, mutating: true }), read);
  } catch (error) {
    if (error instanceof CallError) return sentFrom(error, read);
    throw error;
  }
}

/** Runs `work`; a Refusal it throws becomes a rejection, since nothing was sent. */
export async function refusable(work: () => Promise<Sent>): Promise<Sent> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { fate: 'rejected', order_id: '', message: error.message };
    throw error;
  }
}

/**
 * The rule all brokers share. Accepted needs 2xx and an order id. Rejected needs the broker's table, a status outside 3xx and 5xx,
 * and a text without doubt. Not sent needs a connection that was never made. All else is unknown.
 */
export function sentFrom(outcome: Reply | CallError, read: (reply: Reply) => Reading | null): Sent {
  if (outcome instanceof CallError) {
    return { fate: outcome.sent ? 'unknown' : 'not_sent', order_id: '', message: outcome.message };
  }
  const reading = read(outcome);
  const fate = reading ? fateOf(outcome, reading) : 'unknown';
  const message =
    reading?.message ??
    (fate === 'unknown' ? `HTTP ${outcome.status} without a clear answer: the request may have taken effect` : undefined);
  return {
    fate,
    order_id: reading?.orderId ?? '',
    ...(message === undefined ? {} : { message }),
    ...(reading?.data === undefined ? {} : { data: reading.data }),
    ...(outcome.clockOffsetMs === undefined ? {} : { clockOffsetMs: outcome.clockOffsetMs }),
  };
}

function fateOf(reply: Reply, reading: Reading): Sent['fate'] {
  const ok = reply.status >= 200 && reply.status < 300;
  if (!reading.refused) return ok && reading.orderId ? 'accepted' : 'unknown';
  const definite = ok || (reply.status >= 400 && reply.status < 500);
  return definite && !reading.orderId && !doubtful.test(`${reading.message}\n${reply.text}`) ? 'rejected' : 'unknown';
}
