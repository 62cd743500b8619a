import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventTopic } from '../../../../../contract/events.ts';
import { sentence } from './api.ts';
import { link, onEvent } from './stream.ts';
import { token } from './token.ts';

const REST_MS = 100;

export interface Following {
  everyMs: number;
  /** Events that mean: ask now. */
  topics?: readonly EventTopic[];
  /** Rests between two askings that events cause, so that a burst is one or two. */
  restMs?: number;
}

/** Something the gateway is asked for again and again while a view shows it. */
export class Resource<Value> {
  /** The newest answer; null before the first. It stays while the gateway is away, and is then drawn as stale. */
  readonly value = signal<Value | null>(null);
  /** Why the last try gave nothing; null when it did. */
  readonly error = signal<string | null>(null);
  /** When `value` was asked for, ms since 1970, by this machine's clock. */
  readonly at = signal(0);
  readonly #load: () => Promise<Value>;
  readonly #following: Following;
  #users = 0;
  #running: Promise<void> | null = null;
  #again = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The token that `value` was asked for with. */
  #used: string | null = null;
  #deaf: (() => void)[] = [];

  constructor(load: () => Promise<Value>, following: Following) {
    this.#load = load;
    this.#following = following;
  }

  /** Asks now; calls that come while one is under way lead to one more. Never rejects. */
  refresh(): Promise<void> {
    this.#again = this.#running !== null;
    if (token.value !== null) this.#running ??= this.#run();
    return this.#running ?? Promise.resolve();
  }

  /** Keeps it asked for; returns what ends it. Once nobody follows it nothing holds it. */
  follow(): () => void {
    this.#users += 1;
    if (this.#users === 1) this.#deaf = this.#hear();
    void this.refresh();
    return () => {
      this.#users -= 1;
      if (this.#users > 0) return;
      clearTimeout(this.#timer);
      for (const end of this.#deaf) end();
    };
  }

  #hear(): (() => void)[] {
    let before = link.value;
    return [
      onEvent(({ topic }) => this.#when(this.#following.topics?.includes(topic) === true)),
      link.subscribe((now) => {
        this.#when(now === 'live' && before !== 'live');
        before = now;
      }),
      // What one token was told is not shown to another.
      token.subscribe((now) => {
        if (now === this.#used) return;
        this.value.value = null;
        this.error.value = null;
      }),
    ];
  }

  #when(due: boolean): void {
    if (due) void this.refresh();
  }

  async #run(): Promise<void> {
    do {
      this.#again = false;
      await this.#once();
      if (this.#again) await new Promise((resolve) => setTimeout(resolve, this.#following.restMs ?? REST_MS));
    } while (this.#again && token.value !== null);
    this.#running = null;
    clearTimeout(this.#timer);
    if (this.#users > 0) this.#timer = setTimeout(() => void this.refresh(), this.#following.everyMs);
  }

  async #once(): Promise<void> {
    const used = token.value;
    const askedAt = Date.now();
    try {
      const loaded = await this.#load();
      if (used !== token.value) return;
      this.#used = used;
      this.value.value = shared(this.value.peek(), loaded);
      this.at.value = askedAt;
      this.error.value = null;
    } catch (problem) {
      if (used === token.value) this.error.value = sentence(problem);
    }
  }
}

/** The new answer with the objects of the old one where they say the same, so that only what changed is drawn anew. */
function shared<Value>(old: unknown, fresh: Value): Value {
  if (Array.isArray(fresh)) {
    const known = new Map((Array.isArray(old) ? old : []).map((item) => [JSON.stringify(item), item]));
    return fresh.map((item) => known.get(JSON.stringify(item)) ?? item) as Value;
  }
  if (typeof fresh !== 'object' || fresh === null || typeof old !== 'object' || old === null) return fresh;
  const before = old as Record<string, unknown>;
  return Object.fromEntries(Object.entries(fresh).map(([name, value]) => [name, shared(before[name], value)])) as Value;
}

/** Follows a resource while a component is shown. */
export function useResource<Value>(of: Resource<Value>): Resource<Value> {
  useEffect(() => of.follow(), [of]);
  return of;
}
