import type { Clock } from '../../clock.ts';

/** Codes that live for a while: what a login page hands to the app, what the address of a socket carries. `About` is kept with each. */
export interface Codes<About> {
  /** Remembers a code from now on, and returns it. */
  keep(code: string, about: About): string;
  /** What is kept with a living code; undefined for any other. */
  about(code: string): About | undefined;
  /** The same, and the code is used up, dead or alive. */
  spend(code: string): About | undefined;
  /** The codes that live now, oldest first. */
  living(): string[];
}

/** Codes of which each lives `lifeMs` from when it was kept; without end unless given. */
export function shortLived<About = true>(clock: Clock, lifeMs = Number.POSITIVE_INFINITY): Codes<About> {
  const kept = new Map<string, { about: About; until: number }>();

  function living(): string[] {
    const now = clock.now();
    for (const [code, { until }] of kept) if (until <= now) kept.delete(code);
    return [...kept.keys()];
  }
  function about(code: string): About | undefined {
    const known = kept.get(code);
    return known && clock.now() < known.until ? known.about : undefined;
  }

  return {
    keep(code, about) {
      living();
      kept.set(code, { about, until: clock.now() + lifeMs });
      return code;
    },
    about,
    spend(code) {
      const found = about(code);
      kept.delete(code);
      return found;
    },
    living,
  };
}
