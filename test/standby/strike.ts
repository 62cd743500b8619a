import { type Random, systemClock } from '../../server/clock.ts';
import type { PairDatabase } from './database.ts';
import type { Line } from './line.ts';
import type { Member } from './member.ts';

/** What happens to the leader, or to its database, while its orders are in flight. */
export const strikes = ['kill', 'freeze', 'cut', 'stop', 'hand over', 'promotion'] as const;
export type Strike = (typeof strikes)[number];

/** How long a leader stands still, or is without its database: shorter than its lease, or longer than a take-over takes. */
const SHORT_MS = [200, 1500] as const;
const LONG_MS = [3500, 6000] as const;
const SHORT_SHARE = 0.15;

/** What can be struck beside the leader. */
interface Reached {
  line: Line;
  failOver: PairDatabase['failOver'];
  /** Every end of a freeze is noted here. */
  wakes: Wake[];
}

/** When a gateway that stood still went on. */
export interface Wake {
  /** Epoch ms. */
  at: number;
  member: string;
}

export interface Struck {
  /** When it began, monotonic ms. */
  at: number;
  /** Resolves when it is over for the leader that was: woken, healed, or gone. */
  over: Promise<void>;
}

/** Strikes the leader. */
export function strike(kind: Strike, leader: Member, { line, failOver, wakes }: Reached, random: Random): Struck {
  const at = systemClock.mono();
  const [least, most] = random.next() < SHORT_SHARE ? SHORT_MS : LONG_MS;
  const lasts = () => systemClock.sleep(least + random.next() * (most - least));
  switch (kind) {
    case 'kill':
      return { at, over: leader.kill() };
    case 'freeze':
      leader.signal('SIGSTOP');
      return { at, over: lasts().then(() => wake(leader, wakes)) };
    case 'cut':
      line.cut(random.next() < 0.5);
      return { at, over: lasts().then(() => line.heal()) };
    case 'stop':
      leader.signal('SIGTERM');
      return { at, over: leader.ended() };
    case 'promotion':
      if (!failOver) throw new Error('its database is not replicated');
      return { at, over: failOver(() => random.next()).over };
    case 'hand over':
      leader.signal('SIGUSR1');
      return { at, over: Promise.resolve() };
  }
}

function wake(leader: Member, wakes: Wake[]): void {
  wakes.push({ at: Date.now(), member: leader.name });
  leader.signal('SIGCONT');
}
