import type { FundsRow, Named } from '../../contract/rows.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Failure, HoldingRow, Listing, OrderRow, PositionRow, Read, TradeRow, Unreadable } from '../brokers/broker.ts';
import type { InstrumentName } from '../brokers/instrument.ts';
import type { Clock } from '../clock.ts';
import { inTime } from '../instruments/in-time.ts';
import type { Instruments } from '../instruments/instruments.ts';
import { textOf } from './brokers.ts';

const NOT_CONNECTED: Failure = { success: false, message: 'Broker Not Connected' };
const NO_TRADEBOOK: Failure = {
  success: false,
  message: 'Trade book not yet implemented for this broker. Add a tradebook() method to its class.',
};

export type TradeBook = {
  success: true;
  message?: string;
  data: unknown;
  normalized?: Named<TradeRow>[];
  unreadable?: readonly Unreadable[];
};
/** The same without the names of instruments. */
type NativeTradeBook = Omit<TradeBook, 'normalized'> & { normalized?: TradeRow[] };
type One<Row> = Read & { normalized?: Row };

export interface Reads {
  profile(): Promise<Read>;
  funds(): Promise<One<FundsRow>>;
  holdings(): Promise<Listing<Named<HoldingRow>>>;
  positions(): Promise<Listing<Named<PositionRow>>>;
  orders(): Promise<Listing<Named<OrderRow>>>;
  order(orderId: string): Promise<One<Named<OrderRow>>>;
  /** The trade book's answer, or a bare list when a broker's native client answers with one. */
  tradebook(): Promise<TradeBook | Failure | unknown[]>;
}

/** The read operations of the active session. What the broker throws becomes `{success: false, message}`. */
export function createReads(accounts: Accounts, { instruments, clock }: { instruments: Pick<Instruments, 'of'>; clock: Clock }): Reads {
  async function withAccount<Answer>(read: (account: Account) => Promise<Answer>): Promise<Answer | Failure> {
    const account = accounts.active();
    if (!account) return NOT_CONNECTED;
    try {
      return await read(account);
    } catch (error) {
      return { success: false, message: textOf(error) };
    }
  }
  /** The rows with the one names of their instruments, as far as the broker's file has them. */
  async function named<Row extends InstrumentName>({ broker }: Account, rows: readonly Row[]): Promise<Named<Row>[]> {
    const directory = instruments.of(broker.id);
    const found = directory && (await inTime(clock, directory.rowsOf(rows)));
    return rows.map((row, index) => ({ ...row, instrument: found?.[index]?.instrument ?? null }));
  }
  const listing = <Row extends InstrumentName>(read: (account: Account) => Promise<Listing<Row>>) =>
    withAccount<Listing<Named<Row>>>(async (account) => {
      const answer = await read(account);
      return answer.success ? { ...answer, normalized: await named(account, answer.normalized) } : answer;
    });
  const orders = () => listing(async (account) => listed(await account.orderBook.next('caller')));
  return {
    profile: () => withAccount<Read>((account) => budgeted(account, () => account.broker.profile())),
    funds: () => withAccount(async (account) => fundsOf(account, await budgeted(account, () => account.broker.funds()))),
    holdings: () => listing((account) => account.holdings.next('caller')),
    positions: () => listing((account) => account.positions.next('caller')),
    orders,
    order: async (orderId) => oneOrder(await orders(), orderId),
    tradebook: () =>
      withAccount(async (account) => {
        const answer = await budgeted(account, () => tradebook(account));
        if (Array.isArray(answer) || !answer.success) return answer;
        const { normalized, ...rest } = answer;
        return normalized ? { ...rest, normalized: await named(account, normalized) } : rest;
      }),
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
function oneOrder(listing: Listing<Named<OrderRow>>, orderId: string): One<Named<OrderRow>> {
  if (!listing.success) return listing;
  const data = listing.data.find((row) => idOf(row) === orderId);
  if (data === undefined) return { success: false, message: `Order ${orderId} not found` };
  const normalized = listing.normalized.find((row) => row.order_id === orderId);
  return { success: true, data, ...(normalized && { normalized }) };
}

function fundsOf({ broker }: Account, answer: Read): One<FundsRow> {
  if (!answer.success || !broker.traits.availableFunds) return answer;
  const available = broker.traits.availableFunds(answer.data);
  return { ...answer, normalized: { available: available === null ? null : Number(available) } };
}

function idOf(row: unknown): string | null {
  if (typeof row !== 'object' || row === null) return null;
  const { orderid, order_id } = row as { orderid?: unknown; order_id?: unknown };
  const id = orderid === undefined || orderid === null || orderid === '' ? order_id : orderid;
  return id === undefined || id === null ? null : String(id);
}

/** The spec's resolution order: the broker's own operation, its native client's, then the three older names. */
async function tradebook(account: Account): Promise<NativeTradeBook | Failure | unknown[]> {
  const { broker } = account;
  if (broker.tradebook) return await broker.tradebook();
  if (broker.client?.tradebook) return shaped(await broker.client.tradebook());
  if (broker.trade_book) return shaped(await broker.trade_book());
  if (broker.get_tradebook) return shaped(await broker.get_tradebook());
  if (broker.get_trade_book) return shaped(await broker.get_trade_book());
  return NO_TRADEBOOK;
}

/** A native answer as it came; only one without `success` that is no list gets one around it. */
function shaped(answer: unknown): NativeTradeBook | Failure | unknown[] {
  if (Array.isArray(answer)) return answer;
  if (typeof answer === 'object' && answer !== null && 'success' in answer) return answer as NativeTradeBook | Failure;
  return { success: true, data: answer };
}
