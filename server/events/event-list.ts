import type { EventList } from '../../contract/events.ts';
import type { Handle } from '../db/handle.ts';
import type { Log } from '../log.ts';
import type { EventHub } from './hub.ts';
import { type EventQuery, isSearch, searchEvents } from './search.ts';

interface Parts {
  hub: Pick<EventHub, 'page' | 'settled'>;
  /** What a search reads on. */
  reports: Handle;
  log: Log;
}

/** A page of events: after a number, or those that are looked for. */
export type ListEvents = (query: EventQuery) => Promise<EventList | { success: false; message: string }>;

/** The listing of events; a database that does not answer is a Failure. */
export function createEventList({ hub, reports, log }: Parts): ListEvents {
  return async (query) => {
    try {
      if (isSearch(query)) return await searchEvents(reports, query, await hub.settled());
      const after = Number(query.after ?? 0);
      const events = await hub.page(after, Number(query.limit ?? 100));
      return { success: true, events, next: events.at(-1)?.id ?? after };
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be listed');
      return { success: false, message: 'The events cannot be read right now' };
    }
  };
}
