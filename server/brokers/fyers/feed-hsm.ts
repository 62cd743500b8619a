import type { FeedSink, FeedTalk, Frame, FrameQuote, WireKey } from '../feed.ts';

/**
 * The wire of FYERS' price socket ("HSM"): big-endian frames of `u16 length · u8 type · u8 fields`, a field `u8 id · u16 length · value`.
 * The length is not believed: a frame ends where its message ends.
 */

const AUTH = 1;
const ACK = 3;
const SUBSCRIBE = 4;
const UNSUBSCRIBE = 5;
const DATA = 6;
const PAUSE = 7;
const RESUME = 8;
const MODE = 12;
/** What the server has to say of a request, in words: 51001 is the plan's limit of symbols. */
const NOTICE = 51;

const SNAPSHOT = 0x53;
const UPDATE = 0x55;
const LITE = 0x4c;

const OK = 0x4b;
const REFUSED = 0x4e;
const FULL_MODE = 'F';
/** All we want comes on one channel; the others are paused, as FYERS' own client does it. */
const CHANNEL = 1;
const OTHER_CHANNELS = 0x7ffffffcn;
const TOPICS_A_FRAME = 500;

/** A value that did not change. */
const UNCHANGED = -0x80000000;
const LTP = 0;
/** Where the exchange's time (epoch seconds) stands among the values of a share or contract. */
const FEED_TIME = 3;

/** Where what is told beside the last price stands among the values of a share or contract. */
const members = [
  ['volume', 1],
  ['bid', 6],
  ['ask', 7],
  ['low', 13],
  ['high', 14],
  ['open', 19],
  ['close', 20],
] as const;

export const heartbeatFrame: Frame = Buffer.from([0, 1, 11]);

/** What a snapshot told of a topic and later frames need: its name, and how many units of its numbers make a rupee. */
interface Topic {
  key: string;
  units: number;
  at: number | null;
}

/**
 * The talk of one connection, signed in with the feed key of a token. Remembers `mostTopics` topics at most. `notice` hears why the server does not
 * follow what was asked for: no reason to end the socket, because what it does follow goes on.
 */
export function hsmTalk(feedKey: string, mostTopics: number, notice: (text: string) => void): FeedTalk {
  const topics = new Map<number, Topic>();
  /** The server counts its data frames and wants every so many of them acknowledged; 0: it does neither. */
  let ackEvery = 0;
  let unacknowledged = 0;

  function decode(frame: Frame, sink: FeedSink): void {
    if (typeof frame === 'string' || frame.length < 4) return;
    const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
    const type = view.getUint8(2);
    if (type === AUTH) signedIn(view, sink);
    else if (type === DATA) data(view, sink);
    else if (type === NOTICE) notice(noticeOf(fieldsOf(view)));
    else if (type === SUBSCRIBE && fieldsOf(view).get(1)?.[0] === REFUSED) notice('a subscription was refused');
  }

  function signedIn(view: DataView, sink: FeedSink): void {
    const answer = fieldsOf(view);
    if (answer.get(1)?.[0] !== OK) {
      sink.refused('FYERS refused the feed key of the token');
      return;
    }
    ackEvery = whole(answer.get(2));
    sink.ready();
  }

  function data(view: DataView, sink: FeedSink): void {
    const numbered = view.byteLength >= 9;
    const entries = numbered ? entriesAt(view, 7) : null;
    // FYERS' clients disagree on whether frames are numbered when nothing is to be acknowledged: the reading that fits the frame counts.
    const unnumbered = ackEvery === 0 && !entries?.whole ? entriesAt(view, 3) : null;
    for (const entry of (unnumbered?.whole ? unnumbered : entries)?.list ?? []) take(view, entry, sink);
    if (ackEvery === 0 || !numbered) return;
    unacknowledged += 1;
    if (unacknowledged < ackEvery) return;
    unacknowledged = 0;
    sink.reply(request(ACK, [[1, uint(view.getUint32(3), 4)]]));
  }

  function take(view: DataView, { kind, topicId, valuesAt, count, snapshot }: Entry, sink: FeedSink): void {
    if (snapshot && (topics.has(topicId) || topics.size < mostTopics)) topics.set(topicId, { ...snapshot, at: null });
    const topic = topics.get(topicId);
    if (!topic) return;
    const value = (index: number) => (index < count ? view.getInt32(valuesAt + 4 * index) : UNCHANGED);
    const seconds = kind === LITE || !topic.key.startsWith('sf|') ? UNCHANGED : value(FEED_TIME);
    if (seconds > 0) topic.at = seconds * 1000;
    const price = value(LTP);
    if (price !== UNCHANGED) sink.price(topic.key, price / topic.units, kind === LITE ? null : topic.at);
    if (sink.quote && kind !== LITE && topic.key.startsWith('sf|')) sink.quote(topic.key, toldBy(value, topic.units));
  }

  return {
    hello: [hello(feedKey)],
    awaitsReady: true,
    subscribe: (keys) => [channelMode(), ...inFrames(SUBSCRIBE, keys), ...onlyOurChannel()],
    unsubscribe: (keys) => inFrames(UNSUBSCRIBE, keys),
    decode,
  };
}

/** What the values of a share or contract tell beside the last price: those that changed. */
function toldBy(value: (index: number) => number, units: number): FrameQuote {
  const told: FrameQuote = {};
  for (const [member, index] of members) {
    const given = value(index);
    if (given !== UNCHANGED && given >= 0) told[member] = member === 'volume' ? given : given / units;
  }
  return told;
}

function hello(feedKey: string): Frame {
  return request(AUTH, [
    [1, feedKey],
    [2, 'P'],
    [3, [1]],
    [4, 'JS_API'],
  ]);
}

/** One instrument's part of a data frame: where its values (i32) stand and how many there are. */
interface Entry {
  kind: number;
  topicId: number;
  valuesAt: number;
  count: number;
  snapshot?: Pick<Topic, 'key' | 'units'>;
}

/** The parts of a data frame whose count stands at `at`; `whole` when they end where the frame ends. What is cut off is left out. */
function entriesAt(view: DataView, at: number): { list: Entry[]; whole: boolean } {
  const list: Entry[] = [];
  let next = at + 2;
  if (next > view.byteLength) return { list, whole: false };
  for (let left = view.getUint16(at); left > 0; left -= 1) {
    const read = entryAt(view, next);
    if (!read) return { list, whole: false };
    list.push(read.entry);
    next = read.next;
  }
  return { list, whole: next === view.byteLength };
}

function entryAt(view: DataView, at: number): { entry: Entry; next: number } | null {
  const end = view.byteLength;
  if (at + 4 > end) return null;
  const kind = view.getUint8(at);
  const topicId = view.getUint16(at + 1);
  if (kind === LITE) return at + 7 > end ? null : { entry: { kind, topicId, valuesAt: at + 3, count: 1 }, next: at + 7 };
  if (kind !== SNAPSHOT && kind !== UPDATE) return null;
  const nameLength = kind === SNAPSHOT ? view.getUint8(at + 3) : -1;
  const countAt = at + 4 + nameLength;
  if (countAt >= end) return null;
  const count = view.getUint8(countAt);
  const valuesAt = countAt + 1;
  const valuesEnd = valuesAt + 4 * count;
  if (valuesEnd > end) return null;
  const entry = { kind, topicId, valuesAt, count };
  if (kind === UPDATE) return { entry, next: valuesEnd };
  if (valuesEnd + 5 > end) return null;
  const units = view.getUint16(valuesEnd + 2) * 10 ** view.getUint8(valuesEnd + 4);
  let next = valuesEnd + 5;
  for (let texts = 3; texts > 0; texts -= 1) {
    if (next >= end) return null;
    next += 1 + view.getUint8(next);
  }
  if (next > end || units === 0 || units > 1e9) return null;
  return { entry: { ...entry, snapshot: { key: text(view, at + 4, nameLength), units } }, next };
}

/** The fields of an answer by id; one that is cut off is left out. */
function fieldsOf(view: DataView): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  let at = 4;
  for (let left = view.getUint8(3); left > 0 && at + 3 <= view.byteLength; left -= 1) {
    const length = view.getUint16(at + 1);
    if (at + 3 + length > view.byteLength) break;
    fields.set(view.getUint8(at), new Uint8Array(view.buffer, view.byteOffset + at + 3, length));
    at += 3 + length;
  }
  return fields;
}

/** A big-endian number of any width. */
function whole(bytes: Uint8Array = new Uint8Array()): number {
  return [...bytes].reduce((sum, byte) => sum * 256 + byte, 0);
}

const MOST_NOTICE = 200;

function noticeOf(fields: Map<number, Uint8Array>): string {
  const words = Buffer.from(fields.get(2) ?? []).toString('utf8');
  return `code ${whole(fields.get(1))}: ${words.slice(0, MOST_NOTICE) || 'no reason given'}`;
}

function text(view: DataView, at: number, length: number): string {
  return Buffer.from(view.buffer, view.byteOffset + at, length).toString('latin1');
}

type Field = readonly [id: number, value: string | readonly number[] | Uint8Array];

function request(type: number, fields: readonly Field[]): Frame {
  const parts = fields.map(([id, value]) => {
    const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);
    return Buffer.concat([uint(id, 1), uint(bytes.length, 2), bytes]);
  });
  const body = Buffer.concat([Buffer.from([type, fields.length]), ...parts]);
  return Buffer.concat([uint(body.length, 2), body]);
}

function inFrames(type: number, keys: readonly WireKey[]): Frame[] {
  const frames: Frame[] = [];
  for (let from = 0; from < keys.length; from += TOPICS_A_FRAME) {
    const part = keys.slice(from, from + TOPICS_A_FRAME).map((key) => Buffer.from(String(key)));
    const topics = Buffer.concat([uint(part.length, 2), ...part.flatMap((name) => [uint(name.length, 1), name])]);
    frames.push(
      request(type, [
        [1, topics],
        [2, [CHANNEL]],
      ]),
    );
  }
  return frames;
}

function channelMode(): Frame {
  return request(MODE, [
    [1, channels(1n << BigInt(CHANNEL))],
    [2, FULL_MODE],
  ]);
}

function onlyOurChannel(): Frame[] {
  return [request(PAUSE, [[1, channels(OTHER_CHANNELS)]]), request(RESUME, [[1, channels(1n << BigInt(CHANNEL))]])];
}

function channels(bits: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(bits);
  return bytes;
}

function uint(value: number, size: 1 | 2 | 4): Buffer {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, 0, size);
  return bytes;
}
