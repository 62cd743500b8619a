import type { CancelOrderRequest, ModifyOrderRequest } from '../../contract/orders.ts';
import type { BrokerChange, OrderRow, Read, Sent } from '../brokers/broker.ts';
import { type Clock, within } from '../clock.ts';
import type { Log } from '../log.ts';
import { decimalText } from '../money.ts';
import type { Account, Accounts } from './account.ts';
import type { Journal } from './attempt.ts';
import type { Priority } from './limiter.ts';

const REREAD_MS = 2000;

export interface ChangeParts {
  clock: Clock;
  log: Log;
  journal: Journal;
  accounts: Accounts;
  /** Told after every change that may have reached the broker: the order's record is to be read again. */
  changed(): void;
}

type What = 'modify' | 'cancel';
const priorities: Record<What, Priority> = { cancel: 'cancel', modify: 'exit' };

/** Modify and cancel: written down, sent once, never repeated; an unclear outcome is said, with the order's state as read afterwards. */
export class Changing {
  readonly #parts: ChangeParts;

  constructor(parts: ChangeParts) {
    this.#parts = parts;
  }

  modify(request: ModifyOrderRequest): Promise<Read> {
    const change = brokerChange(request);
    return this.#run('modify', request.order_id, { ...change }, (account) => account.broker.modifyOrder(change));
  }

  cancel(request: CancelOrderRequest): Promise<Read> {
    return this.#run('cancel', request.order_id, {}, (account) => account.broker.cancelOrder(request.order_id));
  }

  async #run(what: What, orderId: string, detail: Record<string, unknown>, send: (account: Account) => Promise<Sent>): Promise<Read> {
    const { accounts, journal, log } = this.#parts;
    const account = accounts.active();
    if (!account) return { success: false, message: 'Broker Not Connected' };
    const refused = await account.limiter.take(priorities[what]);
    if (refused)
      return { success: false, message: `Too many orders: the order budget of this account is used up for now; the ${what} was not sent` };
    const about = { broker: account.broker.id, account: account.id, orderId };
    try {
      await journal.note({ ...about, kind: `${what}.sending`, detail });
    } catch (error) {
      log.error({ orderId, error: String(error) }, `A ${what} was not sent because the order store failed`);
      return { success: false, message: 'Order store unavailable' };
    }
    await account.limiter.pace(priorities[what]);
    const sent = await send(account).catch((error: unknown): Sent => {
      log.error({ orderId, error: String(error) }, `The adapter failed while a ${what} was being sent`);
      return { fate: 'unknown', order_id: '' };
    });
    await journal.note({ ...about, kind: `${what}.${sent.fate}`, detail: { message: sent.message ?? null } }).catch(() => undefined);
    if (sent.fate === 'accepted' || sent.fate === 'unknown') this.#parts.changed();
    return sent.fate === 'unknown' ? await this.#unclear(account, what, orderId, sent) : answer(what, sent);
  }

  async #unclear(account: Account, what: What, orderId: string, sent: Sent): Promise<Read> {
    const row = await this.#reread(account, orderId);
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

  async #reread(account: Account, orderId: string): Promise<OrderRow | null> {
    const book = await within(
      this.#parts.clock,
      REREAD_MS,
      account.orderBook.next().catch(() => null),
    );
    return book?.success ? (book.normalized.find((row) => row.order_id === orderId) ?? null) : null;
  }
}

function answer(what: What, sent: Sent): Read {
  if (sent.fate !== 'accepted') return { success: false, message: sent.message ?? `The broker refused the ${what}` };
  return { success: true, ...(sent.message !== undefined && { message: sent.message }), data: sent.data ?? null };
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
