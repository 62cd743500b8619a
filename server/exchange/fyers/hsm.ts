import type { Instrument } from '../types.ts';
import { big, u8, zeros } from '../wire/bytes.ts';
import { inUnits, pricePlaces } from '../wire/numbers.ts';
import type { Frame, Tick } from '../wire/stream.ts';
import { epochSeconds } from '../wire/times.ts';

/**
 * FYERS' binary price protocol ("HSM") as its server speaks it, big-endian: `u16 length · u8 type · u8 fields`, a field `u8 id · u16 length · value`.
 * The length in a caller's frame is not believed: its own clients compute it differently.
 */

const { u16, u32, i32 } = big;
export const types = {
  auth: 1,
  ack: 3,
  subscribe: 4,
  unsubscribe: 5,
  data: 6,
  pause: 7,
  resume: 8,
  keepAlive: 11,
  mode: 12,
  notice: 51,
} as const;
export const ACK_EVERY = 25;

const segmentOf = { NSE: 'nse_cm', BSE: 'bse_cm', NFO: 'nse_fo', BFO: 'bse_fo', MCX: 'mcx_fo', CDS: 'cde_fo' } as const;

/** The topic of a share or contract: `sf|nse_cm|3045`. */
export function topicOf({ exchange, exchangeToken }: Pick<Instrument, 'exchange' | 'exchangeToken'>): string {
  return `sf|${segmentOf[exchange]}|${exchangeToken}`;
}

/** A frame of a caller: its type and its fields by id; null when it is none. */
export function readFrame(frame: Buffer): { type: number; fields: Map<number, Buffer> } | null {
  if (frame.length < 3) return null;
  const fields = new Map<number, Buffer>();
  const count = frame.length > 3 ? frame.readUInt8(3) : 0;
  for (let at = 4, left = count; left > 0; left -= 1) {
    if (at + 3 > frame.length) return null;
    const length = frame.readUInt16BE(at + 1);
    if (at + 3 + length > frame.length) return null;
    fields.set(frame.readUInt8(at), frame.subarray(at + 3, at + 3 + length));
    at += 3 + length;
  }
  return { type: frame.readUInt8(2), fields };
}

/** Topic names of a subscription: `u16 count`, then `u8 length · name` each. */
export function readTopics(list: Buffer | undefined): string[] {
  const names: string[] = [];
  if (!list || list.length < 2) return names;
  for (let at = 2, left = list.readUInt16BE(0); left > 0 && at < list.length; left -= 1) {
    const length = list.readUInt8(at);
    names.push(list.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return names;
}

export function reply(type: number, ok: boolean): Frame {
  return framed(type, [[1, Buffer.from(ok ? 'K' : 'N')]]);
}

/** Why a request of this type is not carried out, by code and in words. */
export function notice(code: number, message: string, type: number): Frame {
  return framed(types.notice, [
    [1, i32(code)],
    [2, Buffer.from(message)],
    [3, u8(type)],
  ]);
}

/** The answer to a good sign-in: yes, how often data is to be acknowledged, and the table of fields. */
export function welcome(): Frame {
  return framed(types.auth, [
    [1, Buffer.from('K')],
    [2, u32(ACK_EVERY)],
    [3, Buffer.from(JSON.stringify(master))],
  ]);
}

/** Data of several instruments in one numbered frame. */
export function dataFrame(number: number, parts: readonly Buffer[]): Frame {
  const body = Buffer.concat([u8(types.data), u32(number), u16(parts.length), ...parts]);
  return Buffer.concat([u16(body.length), body]);
}

/** Everything about one instrument, and what its topic is called by number from now on. */
export function snapshot(topicId: number, { instrument, quote }: Tick, now: number): Buffer {
  const values = valuesOf({ instrument, quote }, now);
  const name = topicOf(instrument);
  const texts = [segmentOf[instrument.exchange], String(instrument.exchangeToken), instrument.symbol];
  return Buffer.concat([
    Buffer.from('S'),
    u16(topicId),
    ...text(name),
    u8(values.length),
    ...values.map(i32),
    zeros(2),
    u16(1),
    u8(pricePlaces(instrument)),
    ...texts.flatMap(text),
  ]);
}

/** What changed since `before`, which is brought up to now; every other value says that it did not. */
export function update(topicId: number, tick: Tick, before: number[], now: number): Buffer {
  const values = valuesOf(tick, now);
  const changed = values.map((value, index) => (value === before[index] ? UNCHANGED : value));
  before.splice(0, before.length, ...values);
  return Buffer.concat([Buffer.from('U'), u16(topicId), u8(changed.length), ...changed.map(i32)]);
}

export function lite(topicId: number, { instrument, quote }: Tick): Buffer {
  return Buffer.concat([Buffer.from('L'), u16(topicId), i32(scaled(instrument, quote.last))]);
}

const UNCHANGED = -0x80000000;

/** The 21 values of a share or contract, in the order of the table of fields. */
export function valuesOf({ instrument, quote }: Tick, now: number): number[] {
  const price = (rupees: string) => scaled(instrument, rupees);
  const seconds = epochSeconds(now);
  const sizes = [instrument.lotSize * 100, instrument.lotSize * 100];
  const touch = [price(quote.bid), price(quote.ask)];
  const totals = [instrument.lotSize, 1_500, 1_500, price(quote.last), 0];
  const range = [price(quote.low), price(quote.high), price(instrument.upperCircuit), price(instrument.lowerCircuit)];
  const circuits = [price(instrument.lowerCircuit), price(instrument.upperCircuit)];
  const day = [price(quote.open), price(quote.close)];
  return [price(quote.last), quote.volume, seconds, seconds, ...sizes, ...touch, ...totals, ...range, ...circuits, ...day];
}

function scaled(instrument: Instrument, rupees: string): number {
  return inUnits(10 ** pricePlaces(instrument))(rupees);
}

const scripFields = 'ltp v ltt fdtm bq bs bp sp ltq tbq tsq ap oi lo h yh yl lcl ucl op c'.split(' ');
const prices = ['ltp', 'bp', 'sp', 'ap', 'lo', 'h', 'yh', 'yl', 'lcl', 'ucl', 'op', 'c'];
const times = ['ltt', 'fdtm', 'tvalue'];
/** Numbers of fields that clients know by heart; the others are free. */
const known: Readonly<Record<string, string>> = { ltp: 's105', v: 's104', ap: 's113', c: 's121', iv: 'i102', ic: 'i103' };
const indexFields = ['iv', 'ic', 'tvalue', 'highPrice', 'lowPrice', 'openingPrice'];
const depthFields = ['bp', 'sp', 'bq', 'bs'].flatMap((name) => ['', 1, 2, 3, 4].map((level) => `${name}${level}`));
const orderCounts = ['bno', 'sno'].flatMap((name) => [1, 2, 3, 4, 5].map((level) => `${name}${level}`));

/** Which value stands where, as sign-in tells it. */
const master = tableOfFields();

function tableOfFields() {
  const number = (list: string, fields: readonly string[]) =>
    fields.map((fld, index) => ({ fid: known[fld] ?? `${list}${201 + index}`, fld, dataType: typeOf(list, fld), details: fld }));
  const scrip = number('s', scripFields);
  const index = number('i', indexFields);
  const depth = number('d', [...depthFields, ...orderCounts]);
  const derived = [
    { fid: 'f101', fld: 'cng', dataType: 'ConvNumber', details: 'change' },
    { fid: 'f102', fld: 'nc', dataType: 'Number', details: 'change in percent' },
    { fid: 'f103', fld: 'to', dataType: 'Number', details: 'turnover' },
    { fid: 'f104', fld: 'cng', dataType: 'ConvNumber', details: 'change' },
    { fid: 'f105', fld: 'nc', dataType: 'Number', details: 'change in percent' },
  ];
  const fids = (list: readonly { fid: string }[]) => list.map(({ fid }) => fid);
  const lists = { scrip: fids(scrip), index: fids(index), depth: fids(depth) };
  return { fields: [...scrip, ...index, ...depth, ...derived], ...lists, scrip_lite: { hfid: 1 }, index_lite: { hfid: 1 } };
}

function typeOf(list: string, fld: string): string {
  if (times.includes(fld)) return 'timestamp';
  if (list === 'i' || prices.includes(fld)) return 'ConvNumber';
  return list === 'd' && /^[bs]p/.test(fld) ? 'ConvNumber' : 'Number';
}

function framed(type: number, fields: readonly (readonly [number, Buffer])[]): Frame {
  const parts = fields.flatMap(([id, value]) => [u8(id), u16(value.length), value]);
  const body = Buffer.concat([u8(type), u8(fields.length), ...parts]);
  return Buffer.concat([u16(body.length), body]);
}

function text(value: string): Buffer[] {
  return [u8(value.length), Buffer.from(value, 'latin1')];
}
