import type { Listing, PositionRow } from '../../server/brokers/broker.ts';
import type { Chance } from './chance.ts';

/** The positions with one row, where there is any, that cannot be read: its name can, or its exchange alone. */
export function hidden(listing: Extract<Listing<PositionRow>, { success: true }>, chance: Chance): Listing<PositionRow> {
  const { normalized } = listing;
  if (normalized.length === 0) return listing;
  const row = chance.pick(normalized);
  const { exchange, symbol, token } = row;
  const name = chance.hit(0.8) ? { symbol, token } : { symbol: null, token: null };
  const unreadable = [{ row, reason: 'net_quantity must be a whole number', exchange, ...name }];
  return { ...listing, normalized: normalized.filter((one) => one !== row), unreadable };
}
