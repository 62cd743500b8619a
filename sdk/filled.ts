import { GatewayError } from './errors.ts';
import type { OrderFound } from './generated/types.gen.ts';
import type { StreamMessage } from './stream.ts';
import { pause } from './transport.ts';
import type { OrderRow } from './words.ts';

export interface FilledOptions {
  /** Ends the wait; the order stays as it is. */
  signal?: AbortSignal;
}

/** What a wait needs of the gateway. */
export interface Watching {
  read(orderId: string, signal: AbortSignal): Promise<OrderFound>;
  /** The stream's messages; `opened` is called at each connection. */
  follow(signal: AbortSignal, opened: () => void): AsyncIterable<StreamMessage>;
}

/** Without a word of the stream the order is read so often. */
const READ_MS = 5_000;

/** The news of all orders that somebody waits for, over one stream that lives as long as anybody does. */
export class OrderNews {
  readonly #watching: Watching;
  /** Of each wait: its order, and what ends its pause. */
  readonly #waits = new Map<object, { orderId: string; wake: () => void }>();
  #stream: AbortController | null = null;

  constructor(watching: Watching) {
    this.#watching = watching;
  }

  /** The order's row once all of it has traded. Throws a GatewayError when it ends otherwise (`rejected`, with the row as its answer), and `aborted`. */
  async filled(orderId: string, { signal }: FilledOptions = {}): Promise<OrderRow> {
    const wait = { orderId, wake: (): void => undefined };
    this.#waits.set(wait, wait);
    this.#listen();
    try {
      for (;;) {
        const woken = new AbortController();
        wait.wake = () => woken.abort();
        const row = await this.#read(orderId, signal);
        if (row?.state === 'FILLED') return row;
        if (row && ['REJECTED', 'CANCELLED', 'EXPIRED'].includes(row.state)) throw ended(row);
        if (signal?.aborted) throw new GatewayError('aborted', `The wait for order ${orderId} was ended`, { order_id: orderId });
        await pause(READ_MS, signal ? AbortSignal.any([signal, woken.signal]) : woken.signal);
      }
    } finally {
      this.#waits.delete(wait);
      if (this.#waits.size === 0) this.#stream?.abort();
    }
  }

  /** Null where it cannot be read now: the next news, or the next pause, asks again. */
  async #read(orderId: string, signal: AbortSignal | undefined): Promise<OrderRow | null> {
    try {
      return (await this.#watching.read(orderId, signal ?? new AbortController().signal)).normalized ?? null;
    } catch (error) {
      if (error instanceof GatewayError && ['unauthenticated', 'invalid'].includes(error.code)) throw error;
      return null;
    }
  }

  #listen(): void {
    if (this.#stream && !this.#stream.signal.aborted) return;
    const stream = new AbortController();
    this.#stream = stream;
    const run = async () => {
      for await (const message of this.#watching.follow(stream.signal, () => this.#wake(null))) {
        if (message.topic === 'order') this.#wake(message.event.order_id);
      }
    };
    // A gateway that refuses the stream still answers reads.
    run().catch(() => undefined);
  }

  /** Null: something may have been missed. */
  #wake(orderId: string | null): void {
    for (const wait of this.#waits.values()) if (orderId === null || wait.orderId === orderId) wait.wake();
  }
}

function ended(row: OrderRow): GatewayError {
  const filled = row.filled_quantity > 0 ? `, ${row.filled_quantity} of ${row.quantity} filled` : '';
  const why = row.status_message ? `: ${row.status_message}` : '';
  return new GatewayError('rejected', `Order ${row.order_id} is ${row.state}${filled}${why}`, { order_id: row.order_id, answer: row });
}
