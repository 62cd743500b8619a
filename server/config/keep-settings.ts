import { ConfigError } from './error.ts';
import type { settings } from './settings.ts';
import type { Values } from './table.ts';

/** How many years the records are kept. */
export interface KeepSettings {
  /** Orders, trades, closed positions, what was learned of them, and how the days went. */
  tradesYears: number;
  /** The audit trail. */
  eventsYears: number;
}

/** Throws ConfigError where the audit trail would end before the orders that it tells of. */
export function keepSettings({ KEEP_TRADES_YEARS: tradesYears, KEEP_EVENTS_YEARS: eventsYears }: Values<typeof settings>): KeepSettings {
  if (eventsYears < tradesYears)
    throw new ConfigError(
      `KEEP_EVENTS_YEARS: must be at least KEEP_TRADES_YEARS, ${tradesYears}: what became of an order stands in its events`,
    );
  return { tradesYears, eventsYears };
}
