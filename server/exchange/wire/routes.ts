import type { RequestLimit, Route } from './emulator.ts';

/** Finds the route of a request; where several fit, the one with the fewest variables. */
export function routeFinder(routes: readonly Route[]) {
  const table = routes
    .map((route) => ({ route, parts: route.path.split('/'), variables: route.path.split('/:').length - 1 }))
    .sort((a, b) => a.variables - b.variables);
  return (method: string, path: string): { route: Route; params: Record<string, string> } | null => {
    const given = path.split('/');
    for (const { route, parts } of table) {
      if (route.method !== method || parts.length !== given.length) continue;
      const fits = parts.every((part, index) => part === given[index] || (part.startsWith(':') && given[index] !== ''));
      if (!fits) continue;
      const named = parts.flatMap((part, index) => (part.startsWith(':') ? [[part.slice(1), decodeURIComponent(given[index] ?? '')]] : []));
      return { route, params: Object.fromEntries(named) };
    }
    return null;
  };
}

/** Sliding windows over a broker's limits. Refused requests do not count against them. */
export function limiter(limits: readonly RequestLimit[], mono: () => number): (name: string) => boolean {
  const windows = limits.map((limit) => ({ ...limit, taken: [] as number[] }));
  return (name) => {
    const now = mono();
    const concerned = windows.filter((window) => window.covers.includes(name));
    for (const window of concerned) {
      const stale = window.taken.findIndex((at) => at > now - window.perMs);
      window.taken.splice(0, stale === -1 ? window.taken.length : stale);
    }
    if (concerned.some((window) => window.taken.length >= window.requests)) return true;
    for (const window of concerned) window.taken.push(now);
    return false;
  };
}
