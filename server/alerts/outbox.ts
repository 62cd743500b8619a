import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import { alertOf } from './alert.ts';
import type { AskStore } from './ask.ts';
import { Delivery, type Waiting } from './delivery.ts';
import type { Planned } from './gatherer.ts';
import { emptyPage, isEmpty, merged } from './page.ts';
import type { Channel } from './post.ts';
import type { AlertStore, Page, Row } from './store.ts';

export interface OutboxParts {
  clock: Clock;
  random: Random;
  log: Log;
  mode: 'practice' | 'live';
  store: AlertStore;
  ask: AskStore;
  channels: readonly Channel[];
}

/** Marks that wait for the store; beyond, an alert may be delivered once more after a restart, under its id. */
const MOST_MARKS = 1000;

/**
 * What is on its way out: written, then sent, then marked. While the store is away alerts leave from memory, and what was decided is written when it is
 * back. Every channel has at most MOST_WAITING of them: the oldest go, and the channel is told how many.
 */
export class Outbox {
  readonly deliveries: readonly Delivery[];
  readonly #parts: OutboxParts;
  /** Decided and not written yet. */
  #page: Page = emptyPage;
  #marks: Pick<Row, 'id' | 'channel'>[] = [];
  /** By channel: the alert that tells how many were dropped, and how many. */
  readonly #lost = new Map<string, { id: string; count: number }>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.deliveries = parts.channels.map((channel) => {
      const one = { ...parts, channel, sent: (row: Waiting) => this.#sent(row), refused: (row: Waiting) => this.#refused(row) };
      return new Delivery(one);
    });
  }

  /** Everything that was decided stands in the store. */
  get written(): boolean {
    return isEmpty(this.#page);
  }

  /** Takes up what an earlier process left, and begins to send. */
  start(rows: readonly Row[]): void {
    for (const delivery of this.deliveries) {
      for (const row of rows) if (row.channel === delivery.channel.name) this.#queue(delivery, row, true);
      delivery.start();
    }
  }

  /** Takes alerts, and what is to be written with them in the same commit. */
  put(planned: readonly Planned[], rest: Pick<Page, 'told' | 'ended'> & { after?: number }): void {
    const rows = planned.flatMap(({ alert, dueAt }) =>
      this.deliveries.map(({ channel }) => rowOf(alert.id, channel, JSON.stringify(alert), dueAt)),
    );
    this.#page = merged(this.#page, { ...emptyPage, ...rest, rows });
    for (const delivery of this.deliveries) {
      for (const row of rows) if (row.channel === delivery.channel.name) this.#queue(delivery, row, false);
    }
  }

  /** Writes what was decided; false when the store is away, and then it leaves all the same. */
  async flush(): Promise<boolean> {
    const { ask, store } = this.#parts;
    const page = this.#page;
    if (!isEmpty(page)) {
      const written = await ask(() => store.write(page).then(() => true));
      if (written && this.#page === page) this.#page = emptyPage;
      const ids = new Set(page.rows.map(({ id }) => id));
      for (const delivery of this.deliveries) delivery.release(ids);
      if (!written) return false;
    }
    for (let [mark] = this.#marks; mark; [mark] = this.#marks) {
      const one = mark;
      if (!(await ask(() => store.mark(one).then(() => true)))) return false;
      this.#marks = this.#marks.slice(1);
    }
    return true;
  }

  async stop(): Promise<void> {
    await Promise.all(this.deliveries.map((delivery) => delivery.stop()));
  }

  #queue(delivery: Delivery, row: Row, ready: boolean): void {
    const gone = delivery.put(row, ready);
    if (gone.length > 0) this.#drop(delivery, gone);
  }

  /** The channel is told how many, in one alert that grows until it leaves. */
  #drop(delivery: Delivery, gone: readonly Pick<Row, 'id' | 'channel'>[]): void {
    const { clock, random, mode, log } = this.#parts;
    const { name } = delivery.channel;
    const now = clock.now();
    const fresh = { id: `alert_${Buffer.from(random.bytes(12)).toString('hex')}`, count: 0 };
    const { id, count } = this.#lost.get(name) ?? fresh;
    const lost = { id, count: count + gone.length };
    this.#lost.set(name, lost);
    if (count === 0) log.error({ channel: name }, 'Too many alerts wait; the oldest are dropped');
    const news = { kind: 'dropped', state: 'happened', message: `${lost.count} of them, the oldest ones` } as const;
    const row = rowOf(id, delivery.channel, JSON.stringify(alertOf(news, id, mode, now)), now);
    this.#page = merged(this.#page, { ...emptyPage, rows: [row], dropped: gone });
    delivery.putFirst(row);
  }

  async #sent({ id, channel }: Waiting): Promise<void> {
    if (this.#lost.get(channel)?.id === id) this.#lost.delete(channel);
    const { ask, store } = this.#parts;
    const isPending = this.#page.rows.some((row) => row.id === id && row.channel === channel);
    if (isPending)
      this.#page = {
        ...this.#page,
        rows: this.#page.rows.map((row) => (row.id === id && row.channel === channel ? { ...row, sent: true } : row)),
      };
    else if (await ask(() => store.mark({ id, channel }).then(() => true))) return;
    this.#marks = [...this.#marks, { id, channel }].slice(-MOST_MARKS);
  }

  #refused({ id, channel }: Waiting): void {
    this.#page = merged(this.#page, { ...emptyPage, dropped: [{ id, channel }] });
  }
}

function rowOf(id: string, { name: channel }: Channel, body: string, dueAt: number): Row {
  return { id, channel, body, dueAt, sent: false };
}
