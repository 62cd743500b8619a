import { z } from 'zod';

/** Identifiers accepted by connect and test, in the order used everywhere. */
export const brokerIds = [
  // A line a broker: its folder in server/brokers/ and its emulator in server/exchange/ are found by this name.
  'aliceblue',
  'angelone',
  'dhan',
  'fivepaisa',
  'fyers',
  'groww',
  'kotak',
  'shoonya',
  'upstox',
  'zerodha',
] as const;
export type BrokerId = (typeof brokerIds)[number];

/** Documented values of the order fields. The contract names them and does not enforce them: an adapter refuses what it has no word for. */
export const exchanges = ['NSE', 'BSE', 'NFO', 'BFO', 'MCX', 'CDS'] as const;
/** Where one quantity is one unit of money: shares, and contracts counted in units of their underlying. */
export const unitExchanges: readonly string[] = ['NSE', 'BSE', 'NFO', 'BFO'] satisfies Exchange[];
export const transactionTypes = ['BUY', 'SELL'] as const;
export const orderTypes = ['MARKET', 'LIMIT', 'SL', 'SL-M'] as const;
export const productTypes = ['INTRADAY', 'DELIVERY', 'CARRYFORWARD'] as const;
export const varieties = ['NORMAL', 'STOPLOSS', 'AMO'] as const;

/** Shares, indices, futures, calls and puts. */
export const instrumentKinds = ['EQ', 'INDEX', 'FUT', 'CE', 'PE'] as const;

export type InstrumentKind = (typeof instrumentKinds)[number];
export type Exchange = (typeof exchanges)[number];
export type TransactionType = (typeof transactionTypes)[number];
export type OrderType = (typeof orderTypes)[number];
export type ProductType = (typeof productTypes)[number];
export type Variety = (typeof varieties)[number];

export const fillStatuses = ['FILLED', 'PARTIALLY_FILLED', 'PENDING', 'UNKNOWN', 'REJECTED'] as const;
export type FillStatus = (typeof fillStatuses)[number];

/** Words of an order record and of a normalized order row. */
export const orderStatuses = ['PLACED', 'PARTIALLY_FILLED', 'FILLED', 'REJECTED', 'CANCELLED', 'UNKNOWN'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export const FillStatus = z.enum(fillStatuses).meta({
  id: 'FillStatus',
  description:
    'What is known of the fill. FILLED: the whole quantity traded. PARTIALLY_FILLED: some of it did. PENDING: the order rests at the exchange. ' +
    'REJECTED: no order lives. UNKNOWN: not settled yet, look at the order before acting.',
});
