import type { PlaceOrderRequest } from '../../contract/orders.ts';
import type { Account } from '../brokers/account.ts';
import type { TradedBy } from '../brokers/instrument.ts';
import { type Clock, tradingDay } from '../clock.ts';
import { misfit, type Numbers } from '../instruments/fits.ts';
import { inTime } from '../instruments/in-time.ts';
import type { InstrumentRow, Instruments } from '../instruments/instruments.ts';
import { resolve, resolveSeen } from '../instruments/resolve.ts';
import { decimalText } from '../money.ts';

export interface NamingParts {
  clock: Clock;
  /** What the brokers list. */
  instruments: Pick<Instruments, 'of'>;
}

/** A request in the broker's own words, and what its file says of the instrument; null where that is not known. */
export interface NamedRequest {
  request: PlaceOrderRequest;
  row: InstrumentRow | null;
}

/** The request with the broker's symbol and token, or why nobody can tell which instrument it means. Without a file, and without a store, as it came. */
export async function named(parts: NamingParts, account: Account, request: PlaceOrderRequest): Promise<NamedRequest | { refused: string }> {
  const { id, traits } = account.broker;
  const directory = parts.instruments.of(id);
  if (!directory) return { request, row: null };
  const tradedBy: TradedBy = (name) => traits.tradedBy(name);
  const looked = resolveSeen(directory, request, tradedBy) ?? (await inTime(parts.clock, resolve(directory, request, tradedBy)));
  if (!looked) return { request, row: null };
  if ('refused' in looked) return looked;
  const { symbol, token, row } = looked;
  return { request: { ...request, symbol, token }, row };
}

/** Why an order that may open a position does not fit its instrument; null when it does, or nobody knows. */
export function misfitOf({ clock, instruments }: NamingParts, account: Account, { request, row }: NamedRequest): string | null {
  const { quantity, price, trigger_price } = request;
  const directory = instruments.of(account.broker.id);
  if (!row || !directory) return null;
  return misfit(directory, row, { quantity, price: decimalText(price), trigger: decimalText(trigger_price) }, tradingDay(clock.now()));
}

/** The same of a change of an order. */
export async function misfitOfChange(
  parts: NamingParts,
  account: Account,
  name: { exchange: string; symbol: string; token: string | null },
  numbers: Numbers,
): Promise<string | null> {
  const directory = parts.instruments.of(account.broker.id);
  if (!directory) return null;
  const [row] = (await inTime(parts.clock, directory.rowsOf([name]))) ?? [];
  return row ? misfit(directory, row, numbers, tradingDay(parts.clock.now())) : null;
}
