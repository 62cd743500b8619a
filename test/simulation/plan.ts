import type { BrokerOrder } from '../../server/brokers/broker.ts';
import type { Outside } from './outside.ts';
import type { Fill, Plan } from './venue-order.ts';

const calm: Pick<Plan, 'arrival' | 'answer' | 'visibleAfterMs' | 'averageLagMs'> = {
  arrival: 'accept',
  answer: 'clear',
  visibleAfterMs: 0,
  averageLagMs: 0,
};

/** How an order that the broker takes goes on: acknowledged, rejected by risk, filled at once or in parts, left to rest, cancelled half-way. */
export function drawCourse(world: Outside, orderType: string, quantity: number): Pick<Plan, 'ackAfterMs' | 'fills' | 'end'> {
  const { chance } = world;
  const ackAfterMs = chance.hit(0.03) ? chance.whole(5000, 15_000) : chance.ms(0, 400);
  if (chance.hit(0.05)) return { ackAfterMs, fills: [], end: { at: ackAfterMs, state: 'REJECTED' } };
  const rests = orderType !== 'MARKET' && chance.hit(0.6);
  const firstMs = rests ? chance.whole(1000, 60_000) : chance.ms(0, 1500);
  const parts = chance.hit(0.6) ? 1 : chance.whole(1, Math.min(4, quantity));
  const fills: Fill[] = [];
  let left = quantity;
  let at = ackAfterMs + firstMs;
  for (let part = 1; part <= parts; part += 1) {
    const size = part === parts ? left : chance.whole(1, left - (parts - part));
    fills.push({ at, quantity: size, paise: 10_000 + chance.whole(-50, 50) });
    left -= size;
    at += chance.ms(0, chance.hit(0.2) ? 12_000 : 900);
  }
  if (!chance.hit(0.12)) return { ackAfterMs, fills, end: null };
  const kept = fills.slice(0, chance.whole(0, fills.length - 1));
  return { ackAfterMs, fills: kept, end: { at: (kept.at(-1)?.at ?? ackAfterMs) + chance.ms(1, 5000), state: 'CANCELLED' } };
}

export function drawPlan(world: Outside, order: BrokerOrder): Plan {
  const { chance } = world;
  const course = drawCourse(world, order.ordertype, Number(order.quantity));
  const plan: Plan = { ...calm, ...course, arrivesMs: chance.ms(2, 60), answersMs: chance.ms(2, 150) };
  if (!world.troubled) return { ...plan, ...world.plans.shift() };
  const trouble = chance.weighted({ none: 50, reject: 8, lost: 10, answerLost: 14, rejectLost: 2, slow: 7, notSent: 4 });
  if (trouble === 'reject' || trouble === 'rejectLost') plan.arrival = 'reject';
  if (trouble === 'lost') plan.arrival = 'lost';
  if (trouble === 'notSent') plan.answer = 'not_sent';
  if (trouble === 'lost' || trouble === 'answerLost' || trouble === 'rejectLost') plan.answer = 'unclear';
  if (trouble === 'slow') plan.arrivesMs = chance.whole(100, 6900);
  if (trouble === 'slow' || chance.hit(0.05)) plan.answersMs = chance.whole(100, 9000);
  if (chance.hit(0.14)) plan.visibleAfterMs = chance.pick([500, 3000, 7900, 8100, 30_000, 83_000]);
  if (chance.hit(0.1)) plan.averageLagMs = chance.whole(50, 3000);
  return plan;
}
