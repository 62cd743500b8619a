import type { FrameQuote } from './feed.ts';

/** By our name of a member, what the frames of one feed call it. */
export type FrameNames = Partial<Record<keyof FrameQuote, string>>;

/** A table of names in the form in which toldIn goes through it. */
export function frameNames(names: FrameNames): readonly (readonly [keyof FrameQuote, string])[] {
  return Object.entries(names) as [keyof FrameQuote, string][];
}

/** What a frame that is a JSON object, its values numbers or numeric texts, tells beside the last price; null when that is nothing. Whatever it cannot read it leaves out. */
export function toldIn(frame: Readonly<Record<string, unknown>>, names: ReturnType<typeof frameNames>): FrameQuote | null {
  let told: FrameQuote | null = null;
  for (const [member, name] of names) {
    const value = frame[name];
    if (typeof value !== 'number' && (typeof value !== 'string' || value === '')) continue;
    const number = Number(value);
    if (!Number.isFinite(number) || number < 0) continue;
    told ??= {};
    told[member] = number;
  }
  return told;
}
