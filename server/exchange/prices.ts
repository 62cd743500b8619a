import { Big } from '../money.ts';
import type { Instrument, Quote } from './types.ts';

/** Prices change once in this many milliseconds. */
export const TICK_MS = 500;

const OCTAVES = 17;
/** Share of the price one step of the finest octave moves at most. */
const FINEST = 0.000_04;
const DAY_TICKS = 86_400_000 / TICK_MS;
const IST_TICKS = 19_800_000 / TICK_MS;
/** How far the prices lie apart that count for the range of a day whether anybody saw them or not. */
const GRID_TICKS = DAY_TICKS / 48;

/** The lowest and the highest price of a day so far. It only widens: by the points of a grid that stands still, and by every price that was shown or met an order. */
interface Range {
  /** First tick of the day. */
  opened: number;
  /** Next point of the grid. */
  next: number;
  low: Big;
  high: Big;
}

export interface Prices {
  tickAt(at: number): number;
  /** Last, bid and ask (rupees) at a tick, of an index neither bid nor ask: 0; the pinned price, when one is pinned, at every tick. */
  touch(instrument: Instrument, tick: number): { last: string; bid: string; ask: string };
  quote(instrument: Instrument, at: number): Quote;
  /** Pins a price, or with null lets it walk again. */
  pin(instrument: Instrument, price: string | null): void;
  pinned(instrument: Instrument): boolean;
}

/**
 * Prices that walk. Each is a function of seed, symbol and tick index alone, so histories replay and any gap costs nothing:
 * octaves of value noise, each twice as long and root-two times as tall as the one before, which is how a random walk spreads.
 */
export function createPrices(seed: number): Prices {
  const pins = new Map<string, string>();
  const ranges = new Map<string, Range>();

  function lastAt(instrument: Instrument, tick: number): string {
    const pin = pins.get(keyOf(instrument));
    if (pin !== undefined) return pin;
    const walked = Number(instrument.basePrice) * (1 + drift(mix(seed, hashText(keyOf(instrument))), tick));
    const steps = Math.max(2, Math.round(walked / Number(instrument.tick)));
    return new Big(instrument.tick).times(steps).toFixed();
  }

  /** The range of the day a tick is in. It begins with the opening price; of the days, the newest is kept. */
  function rangeAt(instrument: Instrument, tick: number): Range {
    const opened = Math.floor((tick + IST_TICKS) / DAY_TICKS) * DAY_TICKS - IST_TICKS;
    const kept = ranges.get(keyOf(instrument));
    if (kept?.opened === opened) return kept;
    const price = new Big(lastAt(instrument, opened));
    const range = { opened, next: opened + GRID_TICKS, low: price, high: price };
    if (!kept || kept.opened < opened) ranges.set(keyOf(instrument), range);
    return range;
  }

  function touch(instrument: Instrument, tick: number) {
    const last = new Big(lastAt(instrument, tick));
    widen(rangeAt(instrument, tick), last);
    if (instrument.kind === 'INDEX') return { last: last.toFixed(), bid: '0', ask: '0' };
    return { last: last.toFixed(), bid: last.minus(instrument.tick).toFixed(), ask: last.plus(instrument.tick).toFixed() };
  }

  return {
    touch,
    tickAt: (at) => Math.floor(at / TICK_MS),
    pinned: (instrument) => pins.has(keyOf(instrument)),
    pin(instrument, price) {
      if (price === null) pins.delete(keyOf(instrument));
      else pins.set(keyOf(instrument), price);
    },
    quote(instrument, at) {
      const now = Math.floor(at / TICK_MS);
      const range = rangeAt(instrument, now);
      const { opened } = range;
      const open = lastAt(instrument, opened);
      widen(range, new Big(open));
      for (; range.next <= now; range.next += GRID_TICKS) widen(range, new Big(lastAt(instrument, range.next)));
      const touched = touch(instrument, now);
      const day = { open, high: range.high.toFixed(), low: range.low.toFixed(), close: lastAt(instrument, opened - 1) };
      return { ...touched, ...day, volume: instrument.kind === 'INDEX' ? 0 : Math.floor(((now - opened) / DAY_TICKS) * 4_000_000) };
    },
  };
}

function widen(range: Range, price: Big): void {
  if (price.lt(range.low)) range.low = price;
  if (price.gt(range.high)) range.high = price;
}

function keyOf(instrument: Instrument): string {
  return `${instrument.exchange}:${instrument.symbol}`;
}

function drift(seed: number, tick: number): number {
  let sum = 0;
  let amplitude = FINEST;
  let period = 1;
  for (let octave = 0; octave < OCTAVES; octave++) {
    const cell = Math.floor(tick / period);
    const part = tick / period - cell;
    const from = unit(mix(seed, octave), cell);
    sum += amplitude * (from + (unit(mix(seed, octave), cell + 1) - from) * part * part * (3 - 2 * part));
    amplitude *= Math.SQRT2;
    period *= 2;
  }
  return sum;
}

/** A number in [-1, 1) that depends on both. Ticks since 1970 need more than 32 bits: both halves are mixed in. */
function unit(seed: number, cell: number): number {
  return (mix(mix(seed, Math.floor(cell / 0x1_0000_0000)), cell) >>> 0) / 0x8000_0000 - 1;
}

function mix(seed: number, value: number): number {
  let mixed = Math.imul((seed ^ (value | 0)) + 0x9e3779b9, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash;
}
