import type { EventHub } from '../events/hub.ts';
import type { Log } from '../log.ts';
import type { Gateway } from './gateway.ts';

/** The listing of events; a database that does not answer is a Failure. */
export function createEventList({ hub, log }: { hub: Pick<EventHub, 'page'>; log: Log }): Gateway['events'] {
  return async (after, limit) => {
    try {
      const events = await hub.page(after, limit);
      return { success: true, events, next: events.at(-1)?.id ?? after };
    } catch (error) {
      log.warn({ error: String(error) }, 'The events could not be listed');
      return { success: false, message: 'The events cannot be read right now' };
    }
  };
}
