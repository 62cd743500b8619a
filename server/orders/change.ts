import type { CancelOrderRequest, ModifyOrderRequest } from '../../contract/orders.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { BrokerChange, OrderRow, Read, Sent } from '../brokers/broker.ts';
import type { OrderRank } from '../brokers/order-budget.ts';
import type { Wake } from '../brokers/wake.ts';
import { within } from '../clock.ts';
import type { Journal, JournalNote } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { decimalText } from '../money.ts';
import { onlyReduces } from './guard.ts';
import type { KillSwitch } from './kill-switch.ts';
import type { LiveBook } from './live-book.ts';
import { isMoreAggressive } from './more-aggressive.ts';
import { misfitOfChange, type NamingParts } from './naming.ts';
import type { Release } from './queue.ts';
import { STORE_DEADLINE_MS } from './send.ts';
import { QUEUE_WAIT_MS } from './turn.ts';

const REREAD_MS = 2000;
/** A cancel waits no longer for its event: getting out goes before writing it down. */
const CANCEL_NOTE_MS = 1000;
const NOTE_PAUSE_MS = 1000;
const NOT_CONNECTED: Read = { success: false, message: 'Broker Not Connected' };

export interface ChangeParts extends NamingParts {
  log: Log;
  journal: Journal;
  accounts: Accounts;
  book: LiveBook;
  killSwitch: KillSwitch;
  stop: AbortSignal;
  /** Told after every change that may have reached the broker: the order's record is to be read again. */
  wake: Wake;
}

type What = 'modify' | 'cancel';

interface Change {
  what: What;
  account: Account;
  orderId: string;
  detail: Record<string, unknown>;
  rank: OrderRank;
  /** Why it may not leave now, null when it may. */
  leave(): string | null;
  send(): Promise<Sent>;
}

/** Modify and cancel: written down, sent once, never repeated; an unclear outcome is said, with the order's state as read afterwards. */
export class Changing {
  readonly #parts: ChangeParts;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  async cancel(request: CancelOrderRequest): Promise<Read> {
    const account = this.#parts.accounts.active();
    if (!account) return NOT_CONNECTED;
    const { order_id: orderId } = request;
    const send = () => account.broker.cancelOrder(orderId);
    return await this.#run({ what: 'cancel', account, orderId, detail: {}, rank: 'cancel', leave: () => this.#shut(account), send });
  }

  /** A change that lets an entry do more is an entry: it waits for its turn in the instrument, and the kill switch stops it. */
  async modify(request: ModifyOrderRequest): Promise<Read> {
    const { accounts, book, killSwitch } = this.#parts;
    const account = accounts.active();
    if (!account) return NOT_CONNECTED;
    const change = brokerChange(request);
    const certain = killSwitch.on;
    const row = await this.#row(account, change.orderid, certain);
    if (certain && !row) return killed('the order could not be read');
    const isExit = row !== null && this.#isExit(account, row);
    const grows = !row || isMoreAggressive(change, row, !isExit);
    if (certain && grows) return killed('it would let an entry do more');
    const misfit = row && !isExit ? await misfitOfChange(this.#parts, account, row, numbersOf(change)) : null;
    if (misfit) return { success: false, message: misfit };
    let release: Release | null = null;
    if (grows && row) {
      const turn = await book
        .of(account)
        .instrument(row)
        .queue.enter(QUEUE_WAIT_MS, () => false);
      if (typeof turn !== 'function')
        return { success: false, message: `Another order in ${row.symbol} is still being placed; the modify was not sent` };
      release = turn;
    }
    try {
      const leave = () => this.#shut(account) ?? (killSwitch.on && !certain ? 'The kill switch was turned on; nothing was sent' : null);
      const send = () => this.#sendModify(account, change);
      const rank = grows ? 'entry' : 'exit';
      return await this.#run({ what: 'modify', account, orderId: change.orderid, detail: { ...change }, rank, leave, send });
    } finally {
      release?.();
    }
  }

  /** Until a read says more, the larger of both quantities may fill, unless the broker has refused the change. */
  async #sendModify(account: Account, change: BrokerChange): Promise<Sent> {
    const book = this.#parts.book.of(account);
    const entry = book.order(change.orderid);
    const over = entry?.changing(Number(change.quantity ?? 0));
    let refused = false;
    try {
      const sent = await account.broker.modifyOrder(change);
      refused = sent.fate === 'rejected' || sent.fate === 'not_sent';
      return sent;
    } finally {
      over?.(refused, this.#parts.clock.mono());
      // Who waited behind a larger quantity that was refused need not any more.
      if (entry) book.settle(entry);
    }
  }

  /** The order as the newest order book has it, or with `certain` one read from here on; null where it does not show it. */
  async #row(account: Account, orderId: string, certain: boolean): Promise<OrderRow | null> {
    this.#parts.book.of(account);
    const newest = certain ? await this.#read(account) : account.orderBook.newest?.answer;
    return newest?.success ? (newest.normalized.find((row) => row.order_id === orderId) ?? null) : null;
  }

  async #read(account: Account) {
    return await within(
      this.#parts.clock,
      REREAD_MS,
      account.orderBook.next('orders').catch(() => undefined),
    );
  }

  /** Whatever fills of it can only reduce a position. */
  #isExit(account: Account, row: OrderRow): boolean {
    const book = this.#parts.book.of(account);
    const instrument = book.instrument(row);
    const quantity = row.quantity - row.filled_quantity;
    const asked = { symbol: row.symbol, exchange: row.exchange, product: row.product_type, side: row.transaction_type, quantity };
    return onlyReduces(asked, instrument.situation(asked, true, book.order(row.order_id)));
  }

  #shut(account: Account): string | null {
    if (this.#parts.stop.aborted) return 'The gateway is stopping; nothing was sent';
    return account.door.isShut ? 'The broker session changed; nothing was sent' : account.door.held;
  }

  async #run({ what, account, orderId, detail, rank, leave, send }: Change): Promise<Read> {
    const { log } = this.#parts;
    const refused = await account.budget.take(rank);
    if (refused)
      return { success: false, message: `Too many orders: the order budget of this account is used up for now; the ${what} was not sent` };
    const about = { broker: account.broker.id, account: account.id, orderId };
    if (!(await this.#writeDown({ ...about, kind: `${what}.sending`, detail }, what)))
      return { success: false, message: 'Order store unavailable' };
    await account.budget.pace(rank);
    const early = leave();
    if (early) return { success: false, message: early };
    const left = this.#parts.clock.mono();
    const sent = await account.door.send(leave, send).catch((error: unknown): Sent => {
      log.error({ orderId, error: String(error) }, `The adapter failed while a ${what} was being sent`);
      return { fate: 'unknown', order_id: orderId };
    });
    const took_ms = Math.round((this.#parts.clock.mono() - left) * 10) / 10;
    this.#noteLater({ ...about, kind: `${what}.${sent.fate}`, detail: { message: sent.message ?? null, took_ms } });
    if (sent.fate === 'accepted' || sent.fate === 'unknown') this.#parts.wake('change');
    return sent.fate === 'unknown' ? await this.#unclear(account, what, orderId, sent) : answer(what, sent);
  }

  /** Written before it is sent; a cancel goes out all the same, and is written when the store is back. */
  async #writeDown(note: JournalNote, what: What): Promise<boolean> {
    const { clock, journal, log } = this.#parts;
    if (what === 'cancel') {
      await within(clock, CANCEL_NOTE_MS, this.#noteLater(note));
      return true;
    }
    const written = await within(
      clock,
      STORE_DEADLINE_MS,
      journal.note(note).then(() => true),
    ).catch((error: unknown) => {
      log.error({ orderId: note.orderId, error: String(error) }, `A ${what} was not sent because the order store failed`);
      return false;
    });
    return written === true;
  }

  /** Resolves after the first try; what failed is tried again until it stands. */
  async #noteLater(note: JournalNote): Promise<void> {
    const { clock, journal, log, stop } = this.#parts;
    const written = await journal.note(note).then(
      () => true,
      (error: unknown) => {
        log.error({ orderId: note.orderId, kind: note.kind, error: String(error) }, 'An event could not be written; it is tried again');
        return false;
      },
    );
    if (written || stop.aborted) return;
    void clock.sleep(NOTE_PAUSE_MS, stop).then(() => this.#noteLater(note));
  }

  async #unclear(account: Account, what: What, orderId: string, sent: Sent): Promise<Read> {
    const book = await this.#read(account);
    const row = book?.success ? book.normalized.find((one) => one.order_id === orderId) : undefined;
    if (what === 'cancel' && row?.state === 'CANCELLED')
      return { success: true, message: 'The order is cancelled', data: sent.data ?? null };
    const reason = sent.message ? ` (${sent.message})` : '';
    const seen = row
      ? `it was read as ${row.state}, ${row.filled_quantity} of ${row.quantity} filled, just now`
      : 'it could not be read just now';
    return {
      success: false,
      message: `The outcome of this ${what} is not known${reason}. Order ${orderId}: ${seen}. Read the order before acting again.`,
    };
  }
}

function killed(reason: string): Read {
  return { success: false, message: `The kill switch is on and the modify was not sent: ${reason}` };
}

function answer(what: What, sent: Sent): Read {
  if (sent.fate !== 'accepted') return { success: false, message: sent.message ?? `The broker refused the ${what}` };
  return { success: true, ...(sent.message !== undefined && { message: sent.message }), data: sent.data ?? null };
}

function numbersOf({ quantity, price, triggerprice }: BrokerChange) {
  return { quantity: quantity === undefined ? null : Number(quantity), price: price ?? null, trigger: triggerprice ?? null };
}

/** Only the members the caller gave, numbers as plain decimal text. */
function brokerChange(request: ModifyOrderRequest): BrokerChange {
  const { order_id, variety, order_type, quantity, price, trigger_price } = request;
  return {
    orderid: order_id,
    variety,
    ...(order_type != null && { ordertype: order_type }),
    ...(quantity != null && { quantity: String(quantity) }),
    ...(price != null && { price: decimalText(price) }),
    ...(trigger_price != null && { triggerprice: decimalText(trigger_price) }),
  };
}
