import { contract, type OperationId } from '../../contract/index.ts';

/** What a request came to. */
export type Class = 'well' | 'failed' | 'refused' | 'wrong' | 'no answer';

export interface Told {
  class: Class;
  status: number;
  text: string;
}

/** A broker's trouble shows in answers for so long after it is over: the longest an order is followed before it is answered, and a read that waits. */
const GRACE_MS = 25_000;
const PATIENCE_MS = 60_000;

/** Asks the gateway, and holds every answer against the contract. Without trouble at the broker every answer must be well. */
export class Caller {
  /** How many answers of each class, by operation. */
  readonly counts = new Map<string, Map<Class, number>>();
  readonly findings: string[] = [];
  readonly #url: string;
  readonly #token: string;
  readonly #troubled: (from: number, to: number, graceMs: number) => boolean;

  constructor(url: string, token: string, troubled: (from: number, to: number, graceMs: number) => boolean) {
    this.#url = url;
    this.#token = token;
    this.#troubled = troubled;
  }

  /** `path`: where it differs from the contract's, with its query. `may`: what a failure may say also without any trouble. */
  async ask(operation: OperationId, options: { path?: string; body?: object; may?: RegExp } = {}): Promise<Told> {
    const { method, path, output } = contract[operation];
    const sent = options.body ?? (method === 'POST' ? {} : undefined);
    const began = Date.now();
    const told = await this.#fetch(method, options.path ?? path, sent);
    if (told.class === 'no answer') this.note(operation, told, began);
    else if (told.status !== 200) this.note(operation, { ...told, class: told.status === 429 ? 'refused' : 'wrong' }, began);
    else {
      const body = JSON.parse(told.text);
      const parsed = output.safeParse(body);
      const success = body?.success !== false;
      const allowed = !success && options.may?.test(told.text) === true;
      told.class = !parsed.success ? 'wrong' : success || allowed ? 'well' : 'failed';
      this.note(operation, parsed.success ? told : { ...told, text: `${parsed.error.message} in ${told.text}` }, began);
    }
    return told;
  }

  /** A page of the console or the docs: its whole body must come. */
  async page(path: string, status = 200): Promise<void> {
    const began = Date.now();
    const told = await this.#fetch('GET', path);
    if (told.status !== status) told.class = 'wrong';
    this.note('page', told, began);
  }

  note(name: string, { class: what, status, text }: Told, began: number): void {
    const classes = this.counts.get(name) ?? new Map<Class, number>();
    this.counts.set(name, classes.set(what, (classes.get(what) ?? 0) + 1));
    const excused = what === 'failed' && this.#troubled(began, Date.now(), GRACE_MS);
    if (what !== 'well' && !excused)
      this.findings.push(`${new Date(began).toISOString()} ${name} was answered ${what} (${status}): ${text.slice(0, 300)}`);
  }

  async #fetch(method: string, path: string, body?: object): Promise<Told> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json' };
    const sent = body && { body: JSON.stringify(body) };
    try {
      const answer = await fetch(this.#url + path, { method, headers, ...sent, signal: AbortSignal.timeout(PATIENCE_MS) });
      return { class: 'well', status: answer.status, text: await answer.text() };
    } catch (error) {
      return { class: 'no answer', status: 0, text: String(error) };
    }
  }
}
