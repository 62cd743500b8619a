import type { Exchange } from '../exchange.ts';
import type { Instrument } from '../types.ts';
import { runs } from '../wire/bytes.ts';
import type { Frame, Link, Talk, Tick } from '../wire/stream.ts';
import * as hsm from './hsm.ts';

/** FYERS' prices: binary, after a sign-in by the first frame. */

const MOST_TOPICS = 5000;
const OVER_THE_PLAN = 51_001;
/** A frame's length is 16 bits wide. */
const TICKS_A_FRAME = 100;
/** Topics are numbered with 16 bits. */
const MOST_TOPIC_IDS = 0xffff;

/** What one connection has been told of a topic. */
interface Told {
  topicId: number;
  channel: number;
  /** As last sent; null before the snapshot. */
  values: number[] | null;
}

interface Parts {
  exchange: Exchange;
  /** Whether a feed key is that of a living login. */
  holdsKey(key: string): boolean;
  byTopic: ReadonlyMap<string, Instrument>;
}

export function priceTalk(link: Link, { exchange, holdsKey, byTopic }: Parts): Talk {
  const topics = followedTopics(link, byTopic);
  // With an Authorization header the server takes the socket and never says a word.
  const mute = link.request.headers.authorization !== undefined;
  let signedIn = false;
  let frames = 0;

  function signIn(key: string): void {
    signedIn = !link.refused && holdsKey(key);
    link.send(signedIn ? hsm.welcome() : hsm.reply(hsm.types.auth, false));
  }

  function message(frame: Buffer): void {
    const asked = hsm.readFrame(frame);
    if (!asked || mute) return;
    const { type, fields } = asked;
    const [first, second] = [fields.get(1) ?? Buffer.alloc(0), fields.get(2) ?? Buffer.alloc(0)];
    if (type === hsm.types.auth) signIn(first.toString('latin1'));
    else if (signedIn && type !== hsm.types.ack && type !== hsm.types.keepAlive)
      link.send(hsm.reply(type, topics.requests[type]?.(first, second) ?? false));
  }

  function ticks(moved: readonly Tick[]): Frame[] {
    const parts = moved.flatMap((tick) => topics.part(tick, exchange.clock.now()));
    return runs(parts, TICKS_A_FRAME).map((some) => hsm.dataFrame(++frames, some));
  }

  return { message, ticks };
}

/** What one connection follows, on channels that can be paused and told the last price alone. */
function followedTopics(link: Link, byTopic: ReadonlyMap<string, Instrument>) {
  const told = new Map<Instrument, Told>();
  const lite = new Set<number>();
  const paused = new Set<number>();
  let topicIds = 0;
  /** What was asked for by name, also what has no prices here. */
  const asked = new Set<string>();
  const found = (names: readonly string[]) => names.flatMap((name) => byTopic.get(name) ?? []);

  /** Depth and indices have no prices here: a list of them alone is refused. */
  function subscribe(names: readonly string[], channel: number): boolean {
    if (new Set([...asked, ...names]).size > MOST_TOPICS) {
      link.send(hsm.notice(OVER_THE_PLAN, 'Symbol limit of the plan exceeded', hsm.types.subscribe));
      return false;
    }
    for (const name of names) asked.add(name);
    for (const instrument of found(names)) {
      if (!told.has(instrument)) {
        topicIds = (topicIds % MOST_TOPIC_IDS) + 1;
        told.set(instrument, { topicId: topicIds, channel, values: null });
      }
      link.wants.add(instrument);
    }
    return found(names).length > 0;
  }

  function unsubscribe(names: readonly string[]): boolean {
    for (const name of names) asked.delete(name);
    for (const instrument of found(names)) {
      told.delete(instrument);
      link.wants.delete(instrument);
    }
    return true;
  }

  const requests: Readonly<Record<number, (first: Buffer, second: Buffer) => boolean>> = {
    [hsm.types.subscribe]: (list, channel) => subscribe(hsm.readTopics(list), channel[0] ?? 0),
    [hsm.types.unsubscribe]: (list) => unsubscribe(hsm.readTopics(list)),
    [hsm.types.pause]: (mask) => eachChannel(mask, (channel) => paused.add(channel)),
    [hsm.types.resume]: (mask) => eachChannel(mask, (channel) => paused.delete(channel)),
    [hsm.types.mode]: (mask, mode) =>
      eachChannel(mask, (channel) => void (mode.toString() === 'L' ? lite.add(channel) : lite.delete(channel))),
  };

  /** The part of a data frame that tells of a tick. */
  function part(tick: Tick, now: number): Buffer[] {
    const topic = told.get(tick.instrument);
    if (!topic || paused.has(topic.channel)) return [];
    if (topic.values === null) {
      topic.values = hsm.valuesOf(tick, now);
      return [hsm.snapshot(topic.topicId, tick, now)];
    }
    return [lite.has(topic.channel) ? hsm.lite(topic.topicId, tick) : hsm.update(topic.topicId, tick, topic.values, now)];
  }

  return { requests, part };
}

/** Acts on the channels whose bits are set in a mask of 64; false for a mask of another size. */
function eachChannel(mask: Buffer, act: (channel: number) => void): boolean {
  if (mask.length !== 8) return false;
  const bits = mask.readBigUInt64BE();
  for (let channel = 0; channel < 64; channel++) if ((bits >> BigInt(channel)) & 1n) act(channel);
  return true;
}
