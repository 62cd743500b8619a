import type { Account, Accounts } from '../brokers/account.ts';
import type { Failure, HoldingRow, Listing, OrderRow, PositionRow, Read, TradeRow, Unreadable } from '../brokers/broker.ts';
import { textOf } from './brokers.ts';

const NOT_CONNECTED: Failure = { success: false, message: 'Broker Not Connected' };
const NO_TRADEBOOK: Failure = {
  success: false,
  message: 'Trade book not yet implemented for this broker. Add a tradebook() method to its class.',
};

export type TradeBook = { success: true; message?: string; data: unknown; normalized?: TradeRow[]; unreadable?: readonly Unreadable[] };

export interface Reads {
  profile(): Promise<Read>;
  funds(): Promise<Read>;
  holdings(): Promise<Listing<HoldingRow>>;
  positions(): Promise<Listing<PositionRow>>;
  orders(): Promise<Listing<OrderRow>>;
  order(orderId: string): Promise<Read>;
  /** The trade book's answer, or a bare list when a broker's native client answers with one. */
  tradebook(): Promise<TradeBook | Failure | unknown[]>;
}

/** The read operations of the active session. What the broker throws becomes `{success: false, message}`. */
export function createReads(accounts: Accounts): Reads {
  async function withAccount<Answer>(read: (account: Account) => Promise<Answer>): Promise<Answer | Failure> {
    const account = accounts.active();
    if (!account) return NOT_CONNECTED;
    try {
      return await read(account);
    } catch (error) {
      return { success: false, message: textOf(error) };
    }
  }
  const orders = () => withAccount<Listing<OrderRow>>(async (account) => listed(await account.orderBook.next('caller')));
  return {
    profile: () => withAccount<Read>((account) => budgeted(account, () => account.broker.profile())),
    funds: () => withAccount<Read>((account) => budgeted(account, () => account.broker.funds())),
    holdings: () => withAccount<Listing<HoldingRow>>((account) => account.holdings.next('caller')),
    positions: () => withAccount<Listing<PositionRow>>((account) => account.positions.next('caller')),
    orders,
    order: async (orderId) => oneOrder(await orders(), orderId),
    tradebook: () => withAccount((account) => budgeted(account, () => tradebook(account))),
  };
}

async function budgeted<Answer>(account: Account, read: () => Promise<Answer>): Promise<Answer | Failure> {
  return (await account.reads.take('caller')) ?? (await read());
}

/** A broker's native client may answer with a bare list, whatever its type says: its rows pass, none is known in our words. */
function listed(answer: Listing<OrderRow> | unknown[]): Listing<OrderRow> {
  return Array.isArray(answer) ? { success: true, data: answer, normalized: [] } : answer;
}

/** The first order whose `orderid`, or where that is absent or empty `order_id`, equals the id as text. */
function oneOrder(listing: Listing<OrderRow>, orderId: string): Read {
  if (!listing.success) return listing;
  const found = listing.data.find((row) => idOf(row) === orderId);
  return found === undefined ? { success: false, message: `Order ${orderId} not found` } : { success: true, data: found };
}

function idOf(row: unknown): string | null {
  if (typeof row !== 'object' || row === null) return null;
  const { orderid, order_id } = row as { orderid?: unknown; order_id?: unknown };
  const id = orderid === undefined || orderid === null || orderid === '' ? order_id : orderid;
  return id === undefined || id === null ? null : String(id);
}

/** The spec's resolution order: the broker's own operation, its native client's, then the three older names. */
async function tradebook(account: Account): Promise<TradeBook | Failure | unknown[]> {
  const { broker } = account;
  if (broker.tradebook) return await broker.tradebook();
  if (broker.client?.tradebook) return shaped(await broker.client.tradebook());
  if (broker.trade_book) return shaped(await broker.trade_book());
  if (broker.get_tradebook) return shaped(await broker.get_tradebook());
  if (broker.get_trade_book) return shaped(await broker.get_trade_book());
  return NO_TRADEBOOK;
}

/** A native answer as it came; only one without `success` that is no list gets one around it. */
function shaped(answer: unknown): TradeBook | Failure | unknown[] {
  if (Array.isArray(answer)) return answer;
  if (typeof answer === 'object' && answer !== null && 'success' in answer) return answer as TradeBook | Failure;
  return { success: true, data: answer };
}
