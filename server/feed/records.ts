import { heldPositions, watchedInstruments, writePrices } from '../books/open-positions.ts';
import type { Account } from '../brokers/account.ts';
import type { Handle } from '../db/handle.ts';
import type { FeedParts } from './feed.ts';

/** What the feed takes from our records and gives to them. */
export function feedRecords(db: Handle, mode: string): Pick<FeedParts, 'watched' | 'record'> {
  const keyOf = ({ broker, id }: Account) => ({ broker: broker.id, account: id, mode });
  return {
    async watched(account) {
      const [watched, held] = await Promise.all([watchedInstruments(db, keyOf(account)), heldPositions(db, keyOf(account))]);
      const instruments = watched.map(({ token, ...instrument }) => ({ ...instrument, token: token ?? '' }));
      return { instruments, held };
    },
    async record(account, prices) {
      await writePrices(db, keyOf(account), prices);
    },
  };
}
