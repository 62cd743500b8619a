import type { Frame, WireKey } from '../feed.ts';
import type { InstrumentList } from './instruments.ts';

/** Groww allows 1,000 subscriptions; two of them are the orders. */
export const MOST_INSTRUMENTS = 998;
const LINES_A_FRAME = 200;

/** Subjects of prices, up to the token. MCX has none. */
export const subjects: Readonly<Record<string, string>> = {
  NSE: '/ld/eq/nse/price.',
  BSE: '/ld/eq/bse/price.',
  NFO: '/ld/fo/nse/price.',
  BFO: '/ld/fo/bse/price.',
};
/** The prices one connection subscribes to, by numbers that follow `lastSid`. What is not in the list yet waits until it is loaded. */
export function createSubscriptions(list: InstrumentList, lastSid: number) {
  const byKey = new Map<WireKey, number>();
  const bySid = new Map<number, { key: WireKey; subject: string }>();
  const waiting = new Set<WireKey>();
  let last = lastSid;

  /** The line that subscribes to an instrument; none when the list has no token for it. */
  function lineOf(key: WireKey): string[] {
    const [exchange = '', symbol = ''] = String(key).split(' ');
    const token = list.token(exchange, symbol);
    if (token === undefined || byKey.has(key) || byKey.size >= MOST_INSTRUMENTS) return [];
    last += 1;
    const subject = `${subjects[exchange]}${token}`;
    byKey.set(key, last);
    bySid.set(last, { key, subject });
    return [`SUB ${subject} ${last}\r\n`];
  }

  function subscribe(keys: readonly WireKey[]): Frame[] {
    if (!list.loaded()) for (const key of keys) waiting.add(key);
    return framed(keys.flatMap(lineOf));
  }

  function unsubscribe(keys: readonly WireKey[]): Frame[] {
    const lines = keys.flatMap((key) => {
      const sid = byKey.get(key);
      waiting.delete(key);
      if (sid === undefined) return [];
      byKey.delete(key);
      bySid.delete(sid);
      return [`UNSUB ${sid}\r\n`];
    });
    return framed(lines);
  }

  /** Subscribes to what waited; loads the list where that is still to be done. */
  function late(): Frame[] {
    if (waiting.size === 0) return [];
    if (!list.loaded()) {
      void list.load();
      return [];
    }
    const frames = subscribe([...waiting]);
    waiting.clear();
    return frames;
  }

  /** The instrument a message is about. */
  function keyOf(subject: string, sid: number): WireKey | undefined {
    const known = bySid.get(sid);
    return known?.subject === subject ? known.key : undefined;
  }

  return { subscribe, unsubscribe, late, keyOf };
}

function framed(lines: readonly string[]): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < lines.length; at += LINES_A_FRAME) frames.push(Buffer.from(lines.slice(at, at + LINES_A_FRAME).join('')));
  return frames;
}
