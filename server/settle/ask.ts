import type { Clock } from '../clock.ts';
import type { Db } from '../db/handle.ts';
import { knock } from '../db/knock.ts';
import { type Answer, type Asked, readRequest, removeRequest, writeRequest } from './requests.ts';

const LOOK_EVERY_MS = 100;
/** Longer than a request stays open, and than the gateway waits for its store. */
const PATIENCE_MS = 30_000;

/** The running gateway gave no answer; the message says whether it may have carried out what was asked. */
export class UnansweredError extends Error {}

/**
 * Asks the running gateway through its database, and waits for its answer. A database that goes away meanwhile is waited for. Rejects with
 * UnansweredError when no answer came: `id` names the request, so that it is never carried out twice.
 */
export async function ask(db: Db, clock: Clock, id: string, asked: Asked): Promise<Answer> {
  const until = clock.mono() + PATIENCE_MS;
  let written = false;
  let failure: unknown = null;
  for (; clock.mono() < until; await clock.sleep(LOOK_EVERY_MS)) {
    try {
      if (!written) await writeRequest(db, id, asked);
      if (!written) await knock(db);
      written = true;
      const request = await readRequest(db, id);
      failure = null;
      if (request?.answer) {
        // Left behind, it is removed by the gateway.
        await removeRequest(db, id).catch(() => undefined);
        return request.answer;
      }
      if (request && !request.over) continue;
    } catch (error) {
      failure = error;
      continue;
    }
    throw new UnansweredError('The gateway did not take the request in time; nothing was changed');
  }
  const reason = failure === null ? '' : ` (${failure instanceof Error ? failure.message : String(failure)})`;
  throw new UnansweredError(`The gateway did not answer${reason}; whether it carried this out is not known: list the orders again`);
}
