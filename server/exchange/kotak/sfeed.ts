import type { Instrument } from '../types.ts';
import { little, runs, u8, zeros } from '../wire/bytes.ts';
import { inUnits, pricePlaces } from '../wire/numbers.ts';
import type { Frame, Tick } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';
import { countOf, segmentOf } from './words.ts';

/** Kotak's packed price packets ("native_batch"), little-endian, end to end in a frame: header, body, and rows of the market's depth. */

const { u16, u32, i32, i64, f64 } = little;
const MARKET_DATA = 7208;
const HEADER_BYTES = 9;
const PACKETS_A_FRAME = 100;

/** What a sign-in tells of the segments: their number in packets, and how many units of a price make a rupee. */
export const exchanges = {
  nse_cm: { value: 1, divider: 100 },
  nse_fo: { value: 2, divider: 100 },
  cde_fo: { value: 3, divider: 10_000 },
  bse_cm: { value: 5, divider: 100 },
  bse_fo: { value: 6, divider: 100 },
  mcx_fo: { value: 9, divider: 100 },
} as const;

/** The levels of the four subscriptions: the event's ending, the level, and how many rows of depth on each side. */
export const levels = {
  Scrips: { level: 4, rows: 1 },
  ScripsLite: { level: 1, rows: 0 },
  Depth: { level: 8, rows: 5 },
  FullDepth: { level: 16, rows: 20 },
} as const;
export type Level = keyof typeof levels;

/** Packets of several instruments in as few frames as fit. */
export function batches(packets: readonly Buffer[]): Frame[] {
  return runs(packets, PACKETS_A_FRAME).map((some) => Buffer.concat(some));
}

export function packet(tick: Tick, of: Level, now: number): Buffer {
  const { level, rows } = levels[of];
  const body = of === 'ScripsLite' ? mini(tick, now) : picture(tick, rows, now);
  const segment = exchanges[segmentOf[tick.instrument.exchange]].value;
  const header = [u16(HEADER_BYTES + body.length), u16(MARKET_DATA), u8(segment), u8(level), zeros(3)];
  return Buffer.concat([...header, body]);
}

function mini({ instrument, quote }: Tick, now: number): Buffer {
  const price = scale(instrument);
  const change = price(quote.last) - price(quote.close);
  return Buffer.concat([
    u32(instrument.exchangeToken),
    i64(epochSeconds(now)),
    u32(price(quote.last)),
    i64(countOf(instrument).lot),
    u32(price(quote.close)),
    i32(percent(change, price(quote.close))),
    i32(change),
    u32(countOf(instrument).lot),
    u8(pricePlaces(instrument)),
    u32(1),
  ]);
}

function picture({ instrument, quote }: Tick, rows: number, now: number): Buffer {
  const price = scale(instrument);
  const change = price(quote.last) - price(quote.close);
  const seconds = epochSeconds(now);
  const [lower, upper] = [price(instrument.lowerCircuit), price(instrument.upperCircuit)];
  return Buffer.concat([
    u32(instrument.exchangeToken),
    ...[1500, 1500, quote.volume, seconds, seconds].map(i64),
    ...[quote.open, quote.close, quote.high, quote.low, quote.last].map((rupees) => u32(price(rupees))),
    i64(countOf(instrument).lot),
    ...[price(quote.last), 0, rows, rows].map(u32),
    zeros(2),
    i32(percent(change, price(quote.close))),
    u32(0),
    f64(quote.volume * price(quote.last)),
    i32(change),
    ...[upper, lower, upper, lower, countOf(instrument).lot].map(u32),
    u8(pricePlaces(instrument)),
    u32(1),
    ...depth(price(quote.bid), -price(instrument.tick), rows),
    ...depth(price(quote.ask), price(instrument.tick), rows),
  ]);
}

function depth(best: number, step: number, rows: number): Buffer[] {
  return Array.from({ length: rows }, (_, row) => Buffer.concat([i64(100 * (row + 1)), i32(best + row * step), i32(row + 1)]));
}

/** Rupees, as text, in the units of the instrument's segment. */
function scale({ exchange }: Instrument): (rupees: string) => number {
  return inUnits(exchanges[segmentOf[exchange]].divider);
}

function percent(change: number, base: number): number {
  return base === 0 ? 0 : Math.round((change / base) * 10_000);
}
