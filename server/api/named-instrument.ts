import type { Accounts } from '../brokers/account.ts';
import { type Clock, within } from '../clock.ts';
import { asGiven, type Resolve } from '../feed/quotes.ts';
import type { Instruments } from '../instruments/instruments.ts';

/** A look-up takes a millisecond: whoever waits longer than this has a store that hangs. */
const LOOK_UP_MS = 500;

/**
 * Finds what the active broker calls an instrument, by its one name or the broker's own symbol. What its file does not list, or cannot be looked up in
 * time, stands as it was given.
 */
export function instrumentFinder(accounts: Pick<Accounts, 'active'>, instruments: Pick<Instruments, 'of'>, clock: Clock): Resolve {
  return async (exchange, symbol) => {
    const account = accounts.active();
    const directory = account && instruments.of(account.broker.id);
    const look = directory?.named(exchange, symbol).catch(() => null);
    const [row, ...others] = (look && (await within(clock, LOOK_UP_MS, look))) ?? [];
    if (!row) return await asGiven(exchange, symbol);
    if (others.length > 0) {
      const names = [row, ...others].map((one) => one.instrument).join(', ');
      return { refused: `The broker calls several instruments ${symbol}: ${names}` };
    }
    return { exchange: row.exchange, symbol: row.brokerSymbol, token: row.token, instrument: row.instrument };
  };
}
