import type { Chance } from '../simulation/chance.ts';
import { placeOf } from './model.ts';
import type { Name, ToldOrder } from './real-book.ts';
import { products, spellings, type Venue } from './venue.ts';

/** A read of the broker: when it began and ended, and how far behind the truth its rows may be, ms. */
export interface Shown {
  venue: Venue;
  chance: Chance;
  beganAt: number;
  now: number;
  lagMs: number;
}

export interface ShownPositions {
  rows: { name: Name; product: (typeof products)[number]; net: number }[];
  /** By instrument, nets by product. */
  nets: Map<string, number>[];
  /** Instruments with a row that cannot be read. */
  unreadable: Map<number, Name>;
}

export function spelled(chance: Chance, instrument: number): Name {
  return chance.pick(spellings[instrument] ?? []);
}

/** An instant that a row of a read may show. */
function instant({ chance, beganAt, now, lagMs }: Shown, times = 1): number {
  return chance.hit(0.4) ? now : chance.whole(Math.max(0, beganAt - lagMs * times), now);
}

/** Every row as of an instant of its own, at times in two spellings; flat ones may be missing. `late`: beyond the broker's lag. */
export function shownPositions(read: Shown, late: boolean): ShownPositions {
  const { venue, chance } = read;
  const shown: ShownPositions = { rows: [], nets: spellings.map(() => new Map()), unreadable: new Map() };
  for (const [instrument, nets] of shown.nets.entries()) {
    if (chance.hit(0.06)) shown.unreadable.set(instrument, spelled(chance, instrument));
    for (const product of products) {
      const times = late ? 1 + chance.whole(0, 2) : 1;
      const net = venue.net(placeOf({ instrument, product }), instant(read, times));
      if (shown.unreadable.has(instrument) || (net === 0 && chance.hit(0.5))) continue;
      nets.set(product, net);
      const part = chance.hit(0.1) ? chance.whole(0, 3) : 0;
      shown.rows.push({ name: spelled(chance, instrument), product, net: net - part });
      if (part > 0) shown.rows.push({ name: spelled(chance, instrument), product, net: part });
    }
  }
  return shown;
}

/** Every order as of an instant of its own; now and then one is missing. */
export function shownOrders(read: Shown): ToldOrder[] {
  const { venue, chance } = read;
  return [...venue.orders.values()].flatMap((one) => {
    const row = one.at(instant(read));
    return row && !chance.hit(0.05) ? [{ order: one.order, name: spelled(chance, one.order.instrument), ...row }] : [];
  });
}
