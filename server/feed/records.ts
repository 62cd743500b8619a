import type { Sql } from 'postgres';
import { heldPositions } from '../books/held.ts';
import { writePrices } from '../books/ltp.ts';
import { watchedInstruments } from '../books/watched.ts';
import type { FeedParts } from './feed.ts';

/** What the feed takes from our records and gives to them. */
export function feedRecords(sql: Sql): Pick<FeedParts, 'watched' | 'record'> {
  return {
    async watched({ broker, id }) {
      const [watched, held] = await Promise.all([watchedInstruments(sql, broker.id, id), heldPositions(sql, broker.id, id)]);
      const instruments = watched.map(({ token, ...instrument }) => ({ ...instrument, token: token ?? '' }));
      return { instruments, held };
    },
    async record({ broker, id }, prices) {
      await writePrices(sql, broker.id, id, prices);
    },
  };
}
