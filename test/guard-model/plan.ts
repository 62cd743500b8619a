import { LAG_MS } from '../../server/orders/belief.ts';
import type { Chance } from '../simulation/chance.ts';
import type { Traits } from './model.ts';

const weights = {
  wait: 16,
  fill: 18,
  beginOrders: 10,
  beginPositions: 8,
  beginHoldings: 2,
  end: 44,
  ask: 20,
  fate: 12,
  change: 6,
  trade: 2,
  restart: 1,
};
export type Step = keyof typeof weights;
/** Every step as often as it weighs. */
export const steps = (Object.keys(weights) as Step[]).flatMap((step) => Array.from({ length: weights[step] }, () => step));

export function traitsOf(chance: Chance): Traits {
  const lagMs = chance.hit(0.7) ? LAG_MS : chance.whole(500, 8000);
  return { lagMs, holdingsFall: chance.hit(0.3) ? undefined : chance.hit(0.5) };
}

/** What kind of history it is: who trades beside us, and what may go wrong. */
export function kindOf(chance: Chance) {
  return {
    strangers: chance.hit(0.2),
    lateLag: chance.hit(0.15),
    modifies: chance.hit(0.4),
    carried: chance.hit(0.3),
    guardOn: chance.hit(0.75),
    narrow: chance.hit(0.6),
  };
}
