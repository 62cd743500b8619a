/** Words that people write where a secret belongs. */
const words =
  /change.?me|password|passwd|secret|example|default|insert|replace|your|token|gateway|broker|qwerty|letmein|0123456789|1234567890|abcdefgh/gi;

/** Least bits of a token that nobody guesses. */
const LEAST_BITS = 64;

/** Whether a token can be guessed: known words count as one letter, and what is left must differ enough. */
export function isWeak(token: string): boolean {
  const left = token.replace(words, '.');
  const counts = [...left].reduce((sum, letter) => sum.set(letter, (sum.get(letter) ?? 0) + 1), new Map<string, number>());
  const bits = [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / left.length), 0);
  return bits < LEAST_BITS || isRepeated(left);
}

/** The same few letters over and over, as abcdabcdabcd. */
function isRepeated(text: string): boolean {
  const period = (text + text).indexOf(text, 1);
  return period <= text.length / 2;
}
