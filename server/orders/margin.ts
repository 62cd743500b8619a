import type { OrderMargin, OrderMarginRequest } from '../../contract/margin.ts';
import type { Account, Accounts } from '../brokers/account.ts';
import type { Failure } from '../brokers/broker.ts';
import { quoteKey } from '../brokers/quote-read.ts';
import { type NamingParts, named } from './naming.ts';
import { brokerOrder } from './send.ts';

const NOT_CONNECTED: Failure = { success: false, message: 'Broker Not Connected' };

export interface MarginParts extends NamingParts {
  accounts: Pick<Accounts, 'active'>;
}

export interface MarginOperations {
  /** What the broker would hold for an order. Nothing is placed, journaled or counted as one. */
  orderMargin(request: OrderMarginRequest): Promise<OrderMargin | Failure>;
}

/** The margin of an order, by the calculator of the active broker. */
export function marginOperations(parts: MarginParts): MarginOperations {
  async function asked(account: Account, request: OrderMarginRequest): Promise<OrderMargin | Failure> {
    const { broker } = account;
    if (!broker.orderMargin) return { success: false, message: `${broker.id} has no margin calculator that the gateway knows` };
    const found = await named(parts, account, { ...request, reduce_only: false });
    if ('refused' in found) return { success: false, message: found.refused };
    const order = brokerOrder(found.request);
    const told = (await account.reads.take('caller')) ?? (await broker.orderMargin(order, () => lastPrice(account, order)));
    if (!told.success) return told;
    return { ...told, required: Number(told.required), available: told.available === null ? null : Number(told.available) };
  }

  return {
    async orderMargin(request) {
      const account = parts.accounts.active();
      if (!account) return NOT_CONNECTED;
      try {
        return await asked(account, request);
      } catch (error) {
        return { success: false, message: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** The last price of an instrument, rupees: of the last seconds, else read now. */
async function lastPrice({ quotes }: Account, { exchange, symbol, token }: { exchange: string; symbol: string; token: string }) {
  const instrument = { exchange, symbol, token };
  const seen = quotes.newest(instrument) ?? (await quotes.read([instrument])).quotes.get(quoteKey(instrument));
  return seen?.quote?.lastPrice ?? null;
}
