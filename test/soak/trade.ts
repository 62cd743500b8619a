import { z } from 'zod';
import { PlaceOrderResult } from '../../contract/index.ts';
import { NamedOrder } from '../../contract/rows.ts';
import type { Random } from '../../server/clock.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { isUnknown } from '../chaos/judge.ts';
import { type Asked, ask, askAgain, type Door, noAnswer, shares } from '../chaos/orders.ts';
import type { Caller } from './caller.ts';
import { pause } from './spells.ts';
import { BROKER } from './stand.ts';
import type { Pace } from './work.ts';

/**
 * A round is two orders or three, and what is planted holds it up: 190 orders an hour behind the rush, 1,200 in a day of 375 minutes, where 1,000 are heavy use. What the order book of the day takes
 * as it was read last (1.5 kB an order) is 0.3 MB an hour of the goal's 2. A short run makes up to three times as many.
 */
const ROUND_MS = 24_000;
const SHORT_ROUND_MS = 8_000;
const SHORT_MINUTES = 30;
const AGAIN_MS = 40_000;
const Book = z.object({ normalized: z.array(NamedOrder) });
/** What the gateway may say to an order that is sound, beside having taken it. */
const sound = /"status":"BLOCKED"|"fill_status":"(REJECTED|UNKNOWN)"/;

type Share = (typeof shares)[number];
const ways = ['market', 'limit', 'resting', 'stop', 'exit'] as const;

/** Enters and leaves, one position at a time, in all ways there are; every order is asked for twice with its key. */
export class Trader {
  readonly asked: Asked[] = [];
  readonly #door: Door;
  readonly #caller: Caller;
  readonly #random: Random;

  constructor(door: Door, caller: Caller, random: Random) {
    this.#door = door;
    this.#caller = caller;
    this.#random = random;
  }

  async run(minutes: number, pace: Pace, over: AbortSignal): Promise<void> {
    const roundMs = minutes < SHORT_MINUTES ? SHORT_ROUND_MS : ROUND_MS;
    for (let round = 1; !over.aborted; round += 1) {
      await this.#round(round);
      await pause(pace(roundMs), over);
    }
  }

  /** Nothing rests, nothing is held, and every fate is known; or `ms` are over. */
  async settle(ms: number): Promise<void> {
    for (const until = Date.now() + ms; Date.now() < until; ) {
      const unknown = this.#unknown();
      await Promise.all(unknown.map((one) => askAgain(this.#door, one, Date.now() + 2000)));
      if (this.#unknown().length === 0 && (await this.#clear())) return;
      await pause(2000, new AbortController().signal);
    }
  }

  async #round(round: number): Promise<void> {
    await this.#clear();
    const stuck = new Set(this.#unknown().map(({ symbol }) => symbol));
    await Promise.all(this.#unknown().map((one) => askAgain(this.#door, one, Date.now() + 1000)));
    const free = shares.filter(({ symbol, exchange }) => exchange === 'NSE' && !stuck.has(symbol));
    const [share, way] = [this.#draw(free), this.#draw(ways)];
    if (!share || !way) return;
    const side = this.#random.next() < 0.5 ? 'BUY' : 'SELL';
    const [bold, shy] = side === 'BUY' ? [share.upperCircuit, share.lowerCircuit] : [share.lowerCircuit, share.upperCircuit];
    const given = { market: {}, exit: {}, limit: { price: bold }, resting: { price: shy }, stop: { price: bold, trigger_price: bold } }[
      way
    ];
    const entry = await this.#place(share, { key: `soak-${round}-in`, side, ...given });
    const id = PlaceOrderResult.safeParse(JSON.parse(entry.heard.at(-1)?.text ?? '{}')).data?.order_id ?? '';
    if (way === 'resting' && id) await this.#caller.ask('modifyOrder', { body: { order_id: id, quantity: entry.quantity + 1 }, may: /./ });
    if (way === 'market' || way === 'limit')
      await this.#place(share, {
        key: `soak-${round}-out`,
        side: side === 'BUY' ? 'SELL' : 'BUY',
        quantity: entry.quantity,
        reduce_only: true,
      });
    await this.#clear();
  }

  /** Cancels what rests and exits what is held. Tells whether there was nothing of either. */
  async #clear(): Promise<boolean> {
    const { text } = await this.#caller.ask('listOrders');
    const book = Book.safeParse(JSON.parse(text || '{}'));
    if (!book.success) return false;
    const resting = book.data.normalized.filter(({ state }) => state === 'OPEN');
    // It may fill, or be cancelled late, while it is being cancelled.
    for (const { order_id } of resting) await this.#caller.ask('cancelOrder', { body: { order_id }, may: /./ });
    const plan = z.object({ positions: z.array(z.unknown()) }).safeParse(JSON.parse((await this.#caller.ask('planExits')).text || '{}'));
    if (!plan.success) return false;
    if (plan.data.positions.length > 0) await this.#caller.ask('exitPositions', { body: { all: true } });
    return resting.length === 0 && plan.data.positions.length === 0;
  }

  async #place(
    share: Share,
    given: { key: string; side: 'BUY' | 'SELL'; price?: string; trigger_price?: string; quantity?: number; reduce_only?: boolean },
  ): Promise<Asked> {
    const { exchange, symbol } = share;
    const { key, side, price, trigger_price, reduce_only, quantity = 1 + Math.floor(this.#random.next() * 9) } = given;
    const named = emulators.find(({ id }) => id === BROKER)?.named(share);
    const order_type = trigger_price ? 'SL' : price ? 'LIMIT' : 'MARKET';
    const terms = {
      exchange,
      transaction_type: side,
      product_type: 'INTRADAY',
      order_type,
      quantity,
      idempotency_key: key,
      strategy: 'soak',
    };
    const prices = { ...(price && { price: Number(price) }), ...(trigger_price && { trigger_price: Number(trigger_price) }) };
    const body = { ...named, ...terms, ...prices, ...(reduce_only && { reduce_only }) };
    const one: Asked = { key, kind: 'gateway', exchange, symbol, side, quantity, body, heard: [], refused: false, waits: [] };
    this.asked.push(one);
    const began = Date.now();
    await ask(this.#door, one, 'first').catch(noAnswer);
    this.#note(one, began);
    await askAgain(this.#door, one, Date.now() + AGAIN_MS, 1000);
    return one;
  }

  #note({ heard, waits }: Asked, began: number): void {
    const text = heard.at(-1)?.text ?? waits.at(-1) ?? '';
    const success = text.startsWith('{"success":true');
    const right = text !== '' && PlaceOrderResult.safeParse(JSON.parse(text)).success && (success || sound.test(text) || waits.length > 0);
    this.#caller.note('placeOrder', { class: !right ? 'wrong' : success ? 'well' : 'failed', status: 200, text }, began);
  }

  #unknown(): Asked[] {
    return this.asked.filter(({ heard }) => heard.length > 0 && isUnknown(heard.at(-1)));
  }

  #draw<T>(of: readonly T[]): T | undefined {
    return of[Math.floor(this.#random.next() * of.length)];
  }
}
