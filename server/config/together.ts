import { ConfigError } from './error.ts';

/** Settings that are given all or not at all. Throws ConfigError that names the first that is missing. */
export function together(given: Readonly<Record<string, string | undefined>>): void {
  const missing = Object.keys(given).find((name) => given[name] === undefined);
  const there = Object.keys(given).find((name) => given[name] !== undefined);
  if (missing && there) throw new ConfigError(`${missing}: is needed with ${there}`);
}
