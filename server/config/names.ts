import { distance } from 'fastest-levenshtein';
import { brokerIds } from '../../contract/words.ts';
import type { Environment } from './environment.ts';
import { ConfigError } from './error.ts';

/** Beginnings that nobody but us uses: a name with one of them that is no setting is a mistake. */
const ours = ['GATEWAY', 'POSITION_GUARD', 'KILL_SWITCH', 'PRACTICE', 'EXCHANGE', 'OPS', 'ALERT', 'STANDBY', 'TLS'].map(
  (word) => `${word}_`,
);
const brokerPrefixes = brokerIds.map((id) => `${id.toUpperCase()}_`);

/**
 * What Kubernetes and Docker set for a service or container that bears one of our words: GATEWAY_SERVICE_HOST, UPSTOX_PORT_443_TCP,
 * and GATEWAY_PORT=tcp://10.0.0.1:80.
 */
const links = /^\w+_(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?|ENV_\w+)$/;
const linkValues = /^(tcp|udp|sctp):\/\/|^\/[\w-]+\/[\w-]+$/;

/** Names that hold something, in order, without those a platform sets. */
export function namesGiven(environment: Environment): string[] {
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== '');
  return given.flatMap(([name, value = '']) => (links.test(name) || linkValues.test(value) ? [] : name)).sort();
}

/** True for a broker's setting by its beginning. */
export function isBrokers(name: string): boolean {
  return brokerPrefixes.some((prefix) => name.toUpperCase().startsWith(prefix));
}

/** Refuses names that were meant for us and mean nothing: they begin like ours, or are one slip of the finger from one of `known`. Throws ConfigError. */
export function refuseStrangers(names: readonly string[], known: readonly string[]): void {
  const taken = new Set(known);
  const wrong = names.flatMap((name) => {
    if (taken.has(name)) return [];
    const near = known.find((other) => isOneSlip(name.toUpperCase(), other));
    if (near === undefined && !ours.some((prefix) => name.startsWith(prefix)) && !isBrokers(name)) return [];
    const nearest = near ?? nearestOf(name, known);
    return `${name}: is not a setting of the gateway; did you mean ${nearest}?`;
  });
  if (wrong.length > 0) throw new ConfigError(wrong.join('\n'));
}

/** One letter more, fewer or other, or two neighbours exchanged; or the same in small letters. */
function isOneSlip(name: string, other: string): boolean {
  return distance(name, other) <= 1 || isSwap(name, other);
}

function isSwap(name: string, other: string): boolean {
  const first = [...name].findIndex((letter, at) => letter !== other[at]);
  return name === `${other.slice(0, first)}${other[first + 1] ?? ''}${other[first] ?? ''}${other.slice(first + 2)}`;
}

function nearestOf(name: string, known: readonly string[]): string {
  const beginning = name.slice(0, name.indexOf('_') + 1).toUpperCase();
  const rest = name.slice(beginning.length);
  if (known.includes(rest)) return rest;
  const kin = known.filter((other) => other.startsWith(beginning));
  const apart = (other: string) => distance(name.toUpperCase(), other);
  return (kin.length > 0 ? kin : known).reduce((best, other) => (apart(other) < apart(best) ? other : best));
}
