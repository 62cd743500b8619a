import type { ExitReport } from '../../contract/exits.ts';
import type { PlaceOrderRequest } from '../../contract/orders.ts';
import { neverArrived, type PlaceReply } from '../orders/answer.ts';
import type { Standing } from '../orders/standing.ts';
import { type LegFrame, type LegParts, readNow } from './frame.ts';
import { PieceSize } from './piece-size.ts';
import type { Leg } from './plan.ts';
import { shownLeg } from './plan.ts';
import { Removal } from './removal.ts';
import { type Course, messageOf, outcomeOf } from './report.ts';

/** A refusal that was not tried, such as by a used-up budget, is asked again so often. */
const TRIES = 12;
const LEAST_PAUSE_MS = 250;
/** An order of ours whose fate is not known is waited for so long before it stays in the way. */
const UNKNOWN_WAIT_MS = 4000;
const PIECES = 200;

type Reported = ExitReport['positions'][number];

/**
 * The exit of one position: the resting orders of its side away, then reduce_only MARKET orders of what is left, each under a key of its own. What it
 * sends never exceeds the plan's target less all that has filled since; the guard judges each order besides. Never rejects.
 */
export class LegRun {
  readonly #parts: LegParts;
  readonly #leg: Leg;
  readonly #frame: LegFrame;
  readonly #removal: Removal;
  readonly #size: PieceSize;
  /** The quantity of one that an earlier process sent is not known here. */
  readonly #orders: { quantity: number | null; reply: PlaceReply }[] = [];
  /** By order id what the newest order book shows filled of its own. */
  readonly #seen = new Map<string, number>();
  /** What became of the order before allows another one. */
  #goesOn = true;
  /** Why nothing more was sent. */
  #halted: string | null = null;
  #over = false;

  constructor(parts: LegParts, leg: Leg, frame: LegFrame) {
    this.#parts = parts;
    this.#leg = leg;
    this.#frame = frame;
    this.#removal = new Removal(parts, frame, leg);
    this.#size = new PieceSize(leg);
  }

  /** It was planned just now: a resting order placed elsewhere counts in the live book from here on, so that its fills are known before positions show them. */
  begin(): void {
    for (const { order_id, filled } of this.#leg.rests) this.#count(order_id, filled);
  }

  #count(orderId: string, filled: number): void {
    const { exchange, symbol, token, product, side, rests } = this.#leg;
    const resting = rests.find(({ order_id }) => order_id === orderId);
    if (side === null || !resting) return;
    const name = { exchange, symbol, token: token || null };
    this.#parts.orders.countElsewhere(this.#frame.account, { name, orderId, product, side, quantity: resting.quantity, filled });
  }

  /** Something was asked of the broker. */
  get acted(): boolean {
    return this.#orders.length > 0 || this.#removal.acted;
  }

  /** The fate of an order it sent is not known. */
  get unsettled(): boolean {
    return this.#orders.some(({ reply }) => reply.body.fill_status === 'UNKNOWN');
  }

  /** Takes up what was sent before under its keys, by a process that ended or before a fate was known. False where the store does not tell. */
  async takeUp(): Promise<boolean> {
    if (this.#leg.side === null) return true;
    const { clock, orders } = this.#parts;
    for (let piece = 0; piece < PIECES; piece += 1) {
      const reply = await orders.place(this.#order(this.#frame.key(piece), this.#leg.side, 1), { replayOnly: true });
      if (reply.headers['Idempotency-Key-Known'] === 'false') break;
      if (reply.headers['Retry-After'] !== undefined) return false;
      this.#goesOn = this.#mayGoOn(Math.min(this.#toSend(), this.#size.most), reply);
      this.#orders.push({ quantity: null, reply });
    }
    // An id names one order of a day: after it the order book tells nothing of those that rested.
    if (!this.#frame.today) return true;
    await Promise.all([readNow(clock, this.#frame.account.positions), this.#look()]);
    for (const { order_id, filled } of this.#removal.alive) this.#count(order_id, filled);
    return true;
  }

  async run(): Promise<void> {
    try {
      if (this.#leg.side === null) return;
      await this.#removal.run();
      await this.#send(this.#leg.side);
    } catch (error) {
      this.#halted = `The exit failed: ${error instanceof Error ? error.message : String(error)}`;
    } finally {
      this.#over = true;
    }
  }

  /** What is known of it so far. */
  report(): Reported {
    const course = this.#course();
    return {
      ...shownLeg(this.#leg),
      cancels: this.#removal.report(),
      orders: this.#orders.map(({ quantity, reply }) => ({ quantity, answer: reply.body })),
      filled_quantity: course.filled,
      left_quantity: course.left,
      outcome: outcomeOf(course),
      message: messageOf(course),
    };
  }

  #course(): Course {
    const leg = this.#leg;
    const { filled } = this;
    const standing = leg.side && this.#standing(leg.side);
    const stops = this.#removal.goneStops;
    const { filled: byResting, unknown } = this.#removal;
    const answers = this.#orders.map(({ reply }) => reply.body);
    const left = leg.side === null ? 0 : this.#leftOf(standing);
    return { leg, standing, answers, filled, byResting, left, halted: this.#halted, over: this.#over, stops, unknownCancels: unknown };
  }

  /** What the orders of this exit filled, as their answers say, or the order book since. */
  get filled(): number {
    const filledOf = ({ order_id, filled_quantity }: PlaceReply['body']) =>
      Math.max(filled_quantity ?? 0, this.#seen.get(order_id ?? '') ?? 0);
    return this.#orders.reduce((sum, { reply }) => sum + filledOf(reply.body), 0);
  }

  async #look(): Promise<void> {
    const book = await this.#removal.look();
    const own = this.#ids();
    for (const { order_id, filled_quantity } of book?.normalized ?? []) if (own.has(order_id)) this.#seen.set(order_id, filled_quantity);
  }

  /** Of its orders, where the broker gave them. */
  #ids(): Set<string> {
    return new Set(this.#orders.flatMap(({ reply }) => reply.body.order_id || []));
  }

  /** What of the position is still open; null while an order's fate is not known. */
  #leftOf(standing: Standing | null): number | null {
    const { side, holding } = this.#leg;
    const counted = this.#toSend();
    if (this.#orders.some(({ reply }) => reply.body.fill_status === 'UNKNOWN')) return null;
    if (!this.#frame.goesOn) return this.#removal.unknown.length > 0 ? null : counted;
    if (holding || !standing || standing.net === null) return counted;
    // Whoever else traded in it meanwhile shows in its net.
    return Math.min(this.#leg.target, Math.max(0, side === 'SELL' ? standing.net : -standing.net));
  }

  /** What is still to be closed. */
  #toSend(): number {
    return Math.max(0, this.#leg.target - this.#removal.filled - this.filled);
  }

  /** What its own orders that rest may still fill. */
  #alive(): number {
    const own = this.#ids();
    const resting = this.#parts.orders.resting(this.#frame.account).filter(({ orderId }) => own.has(orderId));
    return resting.reduce((sum, { quantity, filled }) => sum + quantity - filled, 0);
  }

  #standing(side: string): Standing {
    const { exchange, symbol, token, product } = this.#leg;
    const name = { exchange, symbol, token: token || null };
    return this.#parts.orders.standing(this.#frame.account, { name, product, side, positionAlone: !this.#frame.holdings });
  }

  async #send(side: 'BUY' | 'SELL'): Promise<void> {
    const { clock, orders } = this.#parts;
    const patience = clock.mono() + UNKNOWN_WAIT_MS;
    let tries = 0;
    while (this.#goesOn && this.#orders.length < PIECES) {
      const standing = this.#standing(side);
      const quantity = Math.min(this.#toSend() - this.#removal.resting - this.#alive(), standing.reducible, this.#size.most);
      const early = this.#mayNot();
      if (early !== null && quantity > 0) this.#halted = early;
      if (early !== null) return;
      if (quantity <= 0) {
        if (standing.unknown === 0 || this.#toSend() === 0 || clock.mono() >= patience) return;
        await this.#lookAgain(LEAST_PAUSE_MS);
        continue;
      }
      const order = this.#order(this.#frame.key(this.#orders.length), side, quantity);
      const reply = await orders.place(order, { replayOnly: false, positionAlone: !this.#frame.holdings });
      if (!isUntried(reply)) {
        this.#orders.push({ quantity, reply });
        this.#goesOn = this.#mayGoOn(quantity, reply);
        continue;
      }
      this.#halted = reply.body.message ?? 'The order was refused';
      tries += 1;
      if (tries >= TRIES) return;
      await this.#lookAgain(Math.max(LEAST_PAUSE_MS, 1000 * Number(reply.headers['Retry-After'] ?? 0)));
      this.#halted = null;
    }
  }

  /** It filled, it is known never to have arrived, or the exchange found it too large. */
  #mayGoOn(quantity: number, reply: PlaceReply): boolean {
    const { fill_status, message } = reply.body;
    if (fill_status === 'REJECTED') return neverArrived(reply) || this.#size.refused(quantity, message ?? '');
    return fill_status === 'FILLED' || fill_status === 'PARTIALLY_FILLED';
  }

  /** What stood in the way may be gone, and positions may have changed. */
  async #lookAgain(pauseMs: number): Promise<void> {
    const { clock } = this.#parts;
    const { account, until, stop } = this.#frame;
    await clock.sleep(Math.max(0, Math.min(pauseMs, until - clock.mono())), stop);
    await Promise.all([readNow(clock, account.positions), this.#look()]);
  }

  /** Why nothing more may be sent; null when it may. */
  #mayNot(): string | null {
    const { account, until, stop } = this.#frame;
    const { clock, accounts } = this.#parts;
    if (stop.aborted) return 'The gateway is stopping';
    if (clock.mono() >= until) return 'The time for this exit is over';
    const active = accounts.active();
    if (active?.broker.id !== account.broker.id || active.id !== account.id) return 'The broker session ended';
    return null;
  }

  #order(idempotency_key: string, transaction_type: string, quantity: number): PlaceOrderRequest {
    const { symbol, token, exchange, product: product_type } = this.#leg;
    const what = { symbol, token, exchange, product_type, transaction_type, quantity, idempotency_key };
    return { ...what, order_type: 'MARKET', price: 0, trigger_price: 0, variety: 'NORMAL', reduce_only: true };
  }
}

/** Refused before anything was tried, and not stored: the same key may be asked again. */
function isUntried({ body, headers }: PlaceReply): boolean {
  return !body.success && body.fill_status !== 'UNKNOWN' && headers['Retry-After'] !== undefined;
}
