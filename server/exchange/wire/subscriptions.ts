import type { Instrument } from '../types.ts';
import type { Link } from './stream.ts';

/** What one connection follows: instruments, each in one or several kinds (a mode, a level of depth). */
export interface Subscriptions<Kind> {
  add(instrument: Instrument, kind: Kind): void;
  /** The instrument is no longer wanted once none of its kinds is. */
  drop(instrument: Instrument, kind: Kind): void;
  kindsOf(instrument: Instrument): Kind[];
  /** How many instruments are followed. */
  instruments(): number;
  /** How many kinds of instruments are. */
  total(): number;
}

export function subscriptions<Kind>(link: Pick<Link, 'wants'>): Subscriptions<Kind> {
  const followed = new Map<Instrument, Set<Kind>>();
  return {
    add(instrument, kind) {
      followed.set(instrument, (followed.get(instrument) ?? new Set()).add(kind));
      link.wants.add(instrument);
    },
    drop(instrument, kind) {
      const kinds = followed.get(instrument);
      kinds?.delete(kind);
      if (kinds?.size) return;
      followed.delete(instrument);
      link.wants.delete(instrument);
    },
    kindsOf: (instrument) => [...(followed.get(instrument) ?? [])],
    instruments: () => followed.size,
    total: () => [...followed.values()].reduce((sum, kinds) => sum + kinds.size, 0),
  };
}

/** The instruments of the exchange by what a broker calls each on its sockets. */
export function byKey<Key>(instruments: readonly Instrument[], keyOf: (instrument: Instrument) => Key): ReadonlyMap<Key, Instrument> {
  return new Map(instruments.map((instrument) => [keyOf(instrument), instrument]));
}
