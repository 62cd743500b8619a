import type { Clock } from '../../clock.ts';
import type { Link } from './stream.ts';

export interface Patience {
  /** The connection was heard of: the wait begins anew. */
  anew(): void;
  end(): void;
}

/** Closes a connection that is not heard of for so long. */
export function closeUnheard(clock: Clock, link: Pick<Link, 'close'>, patienceMs: number): Patience {
  let waiting = new AbortController();
  const end = () => waiting.abort('over');
  function anew(): void {
    end();
    waiting = new AbortController();
    const { signal } = waiting;
    void clock.sleep(patienceMs, signal).then(() => {
      if (!signal.aborted) link.close();
    });
  }
  anew();
  return { anew, end };
}
