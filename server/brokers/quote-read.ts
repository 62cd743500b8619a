import { type Clock, within } from '../clock.ts';
import type { Broker, BrokerQuote, Failure, Quotes } from './broker.ts';
import type { FeedInstrument } from './feed.ts';
import type { ReadBudget } from './read-budget.ts';

/** Requests of so many milliseconds go into one read. */
const GATHER_MS = 4;
/** A read that may not begin within this is not waited for: just over what one call a second takes to come round. */
const PATIENCE_MS = 1_250;
/** What was read stays known this long. */
const KEPT_MS = 5_000;
/** Instruments of one read where the broker's traits do not say more. */
const MOST = 50;

const noTurn: Failure = {
  success: false,
  message:
    "The quotes were not read: the broker's limit for quotes left no room within a second. Try again later, and ask for more instruments at once, less often.",
};
const noQuotes = (broker: string): Failure => ({ success: false, message: `${broker} has no quotes` });

/** What a read told of one instrument, null where the broker knows nothing of it; `at` is when the read began (epoch ms). */
export interface SeenQuote {
  quote: BrokerQuote | null;
  at: number;
}

/** One read of the broker from the first who wants it to its answer. */
interface Batch {
  wanted: Map<string, FeedInstrument>;
  begun: Promise<unknown>;
  answer: Promise<ReadonlyMap<string, SeenQuote> | Failure>;
}

/** The key of an instrument in answers. */
export function quoteKey({ exchange, symbol, token }: FeedInstrument): string {
  return `${exchange}:${symbol}:${token}`;
}

/** Reads the quotes of one account, each instrument once however many ask for it at a time, and as many together as one read is worth. */
export class QuoteRead {
  readonly #broker: Pick<Broker, 'id' | 'quotes' | 'traits'>;
  readonly #budget: ReadBudget;
  readonly #clock: Clock;
  readonly #kept = new Map<string, SeenQuote & { readAt: number }>();
  /** Reads that wait or run. */
  readonly #batches = new Set<Batch>();
  /** The read that takes in more. */
  #open: Batch | null = null;

  constructor(broker: Pick<Broker, 'id' | 'quotes' | 'traits'>, budget: ReadBudget) {
    this.#broker = broker;
    this.#budget = budget;
    this.#clock = budget.clock;
  }

  /** The newest quote of an instrument, no older than 5 s; null when there is none that young. */
  newest(instrument: FeedInstrument): SeenQuote | null {
    const seen = this.#kept.get(quoteKey(instrument));
    return seen && this.#clock.mono() - seen.readAt < KEPT_MS ? seen : null;
  }

  /**
   * Quotes by quoteKey, from reads that had not been answered when they were asked for. An instrument is missing in `quotes` when its read failed:
   * `failure` is why then. Never rejects.
   */
  async read(instruments: readonly FeedInstrument[]): Promise<{ quotes: ReadonlyMap<string, SeenQuote>; failure: Failure | null }> {
    if (!this.#broker.quotes) return { quotes: new Map(), failure: noQuotes(this.#broker.id) };
    const batches = new Set(instruments.map((instrument) => this.#carrying(instrument)));
    const answers = await Promise.all([...batches].map((batch) => this.#answerOf(batch)));
    const quotes = new Map<string, SeenQuote>();
    let failure: Failure | null = null;
    for (const answer of answers) {
      if ('success' in answer) failure = answer;
      else for (const [key, seen] of answer) quotes.set(key, seen);
    }
    return { quotes, failure };
  }

  async #answerOf(batch: Batch): Promise<ReadonlyMap<string, SeenQuote> | Failure> {
    const begun = await within(this.#clock, PATIENCE_MS, batch.begun);
    return begun === null ? noTurn : await batch.answer;
  }

  /** The read that has it, else the one that still takes it in. */
  #carrying(instrument: FeedInstrument): Batch {
    const key = quoteKey(instrument);
    for (const batch of this.#batches) if (batch.wanted.has(key)) return batch;
    const { quotesARead = MOST } = this.#broker.traits;
    const open = this.#open && this.#open.wanted.size < quotesARead ? this.#open : this.#newBatch();
    open.wanted.set(key, instrument);
    return open;
  }

  #newBatch(): Batch {
    const turn = this.#clock.sleep(GATHER_MS).then(async () => {
      const { granted, leave } = this.#budget.turn('caller');
      const isGranted =
        (await within(
          this.#clock,
          2 * PATIENCE_MS,
          granted.then(() => true),
        )) ?? leave();
      if (this.#open === batch) this.#open = null;
      return isGranted;
    });
    const batch: Batch = {
      wanted: new Map(),
      begun: turn,
      answer: turn.then((isGranted) => (isGranted ? this.#run(batch) : noTurn)).finally(() => this.#batches.delete(batch)),
    };
    this.#open = batch;
    this.#batches.add(batch);
    return batch;
  }

  async #run({ wanted }: Batch): Promise<ReadonlyMap<string, SeenQuote> | Failure> {
    const [readAt, at] = [this.#clock.mono(), this.#clock.now()];
    const answer = await this.#ask([...wanted.values()]);
    if (!answer.success) return answer;
    for (const [key, { readAt: before }] of this.#kept) if (readAt - before >= KEPT_MS) this.#kept.delete(key);
    const seen = new Map([...wanted.keys()].map((key, index) => [key, { quote: answer.quotes[index] ?? null, at }]));
    for (const [key, one] of seen) this.#kept.set(key, { ...one, readAt });
    return seen;
  }

  async #ask(instruments: readonly FeedInstrument[]): Promise<Quotes> {
    // The turn that was granted is the first call's.
    let isFirst = true;
    const room = async () => {
      const free = isFirst;
      isFirst = false;
      return free || (await this.#budget.take('caller')) === null;
    };
    try {
      return (await this.#broker.quotes?.(instruments, room)) ?? noQuotes(this.#broker.id);
    } catch (error) {
      return { success: false, message: error instanceof Error ? error.message : String(error) };
    }
  }
}
