import type { ExitPlan } from '../../../../../contract/exits.ts';
import type { KillSwitchState } from '../../../../../contract/kill-switch.ts';
import type { Overview } from '../../../../../contract/overview.ts';
import type { RecordedOrders, RecordedPositions } from '../../../../../contract/records.ts';
import { get } from './api.ts';
import { setClock } from './clock.ts';
import { Resource } from './resource.ts';

/** What the head bar shows; every view may read it. */
export const overview = new Resource<Overview>(
  async () => {
    const askedAt = Date.now();
    const answer = await get<Overview>('/broker/overview');
    setClock(answer.at, askedAt);
    return answer;
  },
  { everyMs: 3000, topics: ['session', 'notice'] },
);

/** Where the kill switch stands: asked for by itself, because it is needed when the rest is in trouble. */
export const killSwitch = new Resource(() => get<KillSwitchState>('/broker/kill-switch'), { everyMs: 3000, topics: ['notice', 'session'] });

/** Open positions and those closed today, of our records. */
export const positions = new Resource(() => get<RecordedPositions>('/broker/records/positions'), {
  everyMs: 5000,
  topics: ['position', 'order', 'session'],
});

/** The orders of a day, YYYY-MM-DD, IST. */
export function ordersOf(day?: string): Promise<RecordedOrders> {
  return get<RecordedOrders>('/broker/records/orders', { day });
}

/** The orders of today. */
export const orders = new Resource(() => ordersOf(), {
  everyMs: 10_000,
  topics: ['order', 'session'],
});

/** What an exit would do now. */
export function exitPlan(): Promise<ExitPlan> {
  return get<ExitPlan>('/broker/exits');
}
