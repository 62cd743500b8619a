import type { ServerResponse } from 'node:http';
import type { RequestContext } from '../api/trpc.ts';
import type { Log } from '../log.ts';

/**
 * Runs `answer` and calls the reply's `delivered` once the whole answer has been handed to the operating system. Never when the connection
 * closed before, and never when another answer took its place.
 */
export async function tellDelivery(
  reply: RequestContext['reply'],
  { res, log }: { res: ServerResponse; log: Log },
  answer: () => Promise<void>,
): Promise<void> {
  // Not emitted for a response whose connection closes first.
  res.once('finish', () => {
    try {
      reply.delivered?.();
    } catch (error) {
      log.error({ error: String(error) }, 'A delivered answer could not be noted');
    }
  });
  try {
    await answer();
  } catch (error) {
    reply.delivered = undefined;
    throw error;
  }
}
