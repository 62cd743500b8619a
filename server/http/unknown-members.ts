import { distance } from 'fastest-levenshtein';
import type { Issue } from './refusal.ts';

/** So many are named in one answer, each up to so many characters: it is no longer than it helps. */
const MOST_NAMED = 20;
const LONGEST_NAME = 100;
/** A name is near when it differs in at most this share of the letters of the longer one. */
const NEAR = 1 / 3;

/** What is wrong with members a request does not have, with the nearest of the names it has, where one is near. */
export function unknownMembers(names: readonly string[], known: readonly string[]): Issue[] {
  return names.slice(0, MOST_NAMED).map((name) => {
    const path = name.slice(0, LONGEST_NAME);
    const near = nearest(path, known);
    return { path, message: `is not a member of this request${near === undefined ? '' : `; did you mean ${near}?`}` };
  });
}

function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known.map((other) => ({ other, apart: apart(name, other) })).sort((a, b) => a.apart - b.apart);
  return best && best.apart <= NEAR ? best.other : undefined;
}

/** The share of letters in which two names differ. triggerPrice, Trigger-Price and trigger_price are one name. */
function apart(one: string, other: string): number {
  const [a, b] = [letters(one), letters(other)];
  return a === '' ? 1 : distance(a, b) / Math.max(a.length, b.length);
}

function letters(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
