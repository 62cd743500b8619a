import { systemClock } from '../../server/clock.ts';
import type { Member } from './member.ts';

const LOOK_MS = 25;
const SETTLE_MS = 60_000;

export interface Roles {
  leader: Member;
  standby: Member;
}

/** Starts who has ended, and resolves when one of the two leads with a session and the other stands by. */
export async function settled(pair: readonly [Member, Member]): Promise<Roles> {
  for (const until = systemClock.mono() + SETTLE_MS; systemClock.mono() < until; await systemClock.sleep(LOOK_MS)) {
    for (const member of pair) member.start();
    const [one, other] = await Promise.all(pair.map((member) => member.status()));
    const leads = (status: typeof one) => status?.status === 'ready' && status.broker !== null;
    if (leads(one ?? null) && other?.status === 'standby') return { leader: pair[0], standby: pair[1] };
    if (leads(other ?? null) && one?.status === 'standby') return { leader: pair[1], standby: pair[0] };
  }
  throw new Error(`the pair does not settle; they said: ${pair.map(({ name, said }) => `${name}: ${said}`).join('\n')}`);
}
