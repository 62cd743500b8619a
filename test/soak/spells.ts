import type { Random } from '../../server/clock.ts';
import type { Receiver } from '../alerts/receiver.ts';
import type { Venue } from '../chaos/venue.ts';

/** A trouble that is planted for a while. */
export interface Spell {
  name: string;
  /** Faults of the practice exchange, as its control port takes them. */
  faults?: readonly object[];
  /** How the receivers of alerts answer meanwhile. */
  receiver?: Receiver['answer'];
  /** Log lines of the gateway, at warn or above, that it explains. */
  explains: readonly RegExp[];
}

/** Calls that got no answer, or one that nobody can read, and what the gateway says of them. */
const badCall = [
  /^The connection to 127\.0\.0\.1:\d+ was lost before its answer/,
  /^No answer from 127\.0\.0\.1:\d+ within/,
  /^Reconciliation failed; it is tried again$/,
  /^The trade book could not be read; it is read again later$/,
  /^What to subscribe to could not be read; it is tried again$/,
  /^The instrument file was not taken; it is tried again$/,
];
const lostLogin = [/^The broker session ended$/, /needs a person to sign in/, /Run: npm run login/];
const often = { probability: 0.25 };
const order = { operation: 'place', probability: 0.4 };
const stream = { times: 'always', probability: 0.2 };

/** All that goes wrong, each as long as the next. What a fault explains stands beside it and nowhere else. */
export const spells: readonly Spell[] = [
  { name: 'errors of the broker', faults: [{ kind: 'status5xxBefore', ...often }], explains: badCall },
  { name: 'requests lost', faults: [{ kind: 'lostRequest', ...often }], explains: badCall },
  { name: 'orders lost on the way', faults: [{ kind: 'lostRequest', ...order }], explains: badCall },
  { name: 'orders taken, connection reset', faults: [{ kind: 'resetAfterAccept', ...order }], explains: badCall },
  { name: 'orders taken, no answer', faults: [{ kind: 'hangAfterAccept', operation: 'place' }], explains: badCall },
  { name: 'orders taken, answered 502', faults: [{ kind: 'statusAfterAccept', ...order }], explains: badCall },
  { name: 'orders taken, garbage answered', faults: [{ kind: 'garbageAfterAccept', ...order }], explains: badCall },
  { name: 'answers broken off', faults: [{ kind: 'resetInBody', ...often }], explains: badCall },
  { name: 'reads that hang', faults: [{ kind: 'hangBefore', operation: 'positions', times: 2 }], explains: badCall },
  { name: 'order book hangs', faults: [{ kind: 'hangBefore', operation: 'orders', times: 2 }], explains: badCall },
  { name: 'late answers', faults: [{ kind: 'delay', delayMs: 1500, probability: 0.4 }], explains: [] },
  { name: 'rate refusals', faults: [{ kind: 'rateLimited', ...often }], explains: badCall },
  { name: 'late to be seen', faults: [{ kind: 'lateVisibility', visibleAfterMs: 6000, ...order }], explains: [] },
  { name: 'lagging positions', faults: [{ kind: 'laggingPositions', lagMs: 3000, probability: 0.5 }], explains: [] },
  { name: 'refused by risk', faults: [{ kind: 'rejectByRisk', ...order }], explains: [] },
  { name: 'login ended by the broker', faults: [{ kind: 'sessionExpired', operation: 'funds' }], explains: lostLogin },
  { name: 'feed dropped', faults: [{ kind: 'streamDrop', ...stream }], explains: [] },
  { name: 'feed silent', faults: [{ kind: 'streamSilence', times: 2 }], explains: [] },
  { name: 'feed torn', faults: ['streamHalfFrame', 'streamCloseInFrame'].map((kind) => ({ kind, ...stream })), explains: [] },
  {
    name: 'feed out of order',
    faults: ['streamLate', 'streamDuplicate', 'streamReorder'].map((kind) => ({ kind, ...stream })),
    explains: [],
  },
  {
    name: 'feed refused',
    faults: [{ kind: 'streamDrop' }, { kind: 'streamRefused', times: 3 }],
    explains: [/^The broker refused the feed$/, ...lostLogin],
  },
  { name: 'receivers fail', receiver: 'fail', explains: [/^An alert could not be delivered; it is tried again$/] },
  { name: 'receivers hang', receiver: 'hang', explains: [/^An alert could not be delivered; it is tried again$/] },
];

/** Things that are always said and are no trouble: what a worker of this harness does on purpose. */
export const purposes: readonly RegExp[] = [/^Kill switch$/];

export interface Cast {
  spell: Spell;
  /** Epoch ms; `to` is Infinity while it lasts. */
  from: number;
  to: number;
  /** How often its faults struck. */
  struck: number;
}

const SPELL_MS = 12_000;
const CALM_MS = 10_000;

/** Casts one spell after the other, in an order drawn anew each round, with a pause behind each. */
export class Spells {
  readonly casts: Cast[] = [];
  readonly #venue: Venue;
  readonly #receiver: Receiver;
  readonly #random: Random;

  constructor(venue: Venue, receiver: Receiver, random: Random) {
    this.#venue = venue;
    this.#receiver = receiver;
    this.#random = random;
  }

  async run(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const round = spells.map((spell) => ({ spell, at: this.#random.next() })).sort((a, b) => a.at - b.at);
      for (const { spell } of round) {
        await pause(CALM_MS, over);
        if (over.aborted) return;
        await this.#cast(spell, over);
      }
    }
  }

  async #cast(spell: Spell, over: AbortSignal): Promise<void> {
    const cast: Cast = { spell, from: Date.now(), to: Number.POSITIVE_INFINITY, struck: 0 };
    this.casts.push(cast);
    for (const fault of spell.faults ?? []) await this.#control('POST', fault);
    this.#receiver.answer = spell.receiver ?? 'take';
    await pause(SPELL_MS, over);
    this.#receiver.answer = 'take';
    const planted = (await this.#control('GET')) as { struck: number }[];
    cast.struck = planted.reduce((sum, { struck }) => sum + struck, 0);
    await this.#control('DELETE');
    cast.to = Date.now();
  }

  async #control(method: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.#venue.control}/faults`, { method, ...(body && { body: JSON.stringify(body) }) });
    if (answer.status !== 200) throw new Error(`The practice exchange takes no ${JSON.stringify(body)}: ${await answer.text()}`);
    return await answer.json();
  }

  /** Whether something was planted at that moment, or so recently before it that it still shows. */
  troubled(from: number, to: number, graceMs: number): boolean {
    return this.casts.some((cast) => cast.from <= to && cast.to + graceMs >= from);
  }
}

export function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      over.removeEventListener('abort', done);
      resolve();
    }
    over.addEventListener('abort', done);
  });
}
