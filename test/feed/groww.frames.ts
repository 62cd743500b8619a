import { fromSeed } from '@nats-io/nkeys';
import type { FeedTalk } from '../../server/brokers/feed.ts';
import { groww } from '../../server/brokers/groww/adapter.ts';
import { createApi } from '../../server/brokers/groww/api.ts';
import { createTalk, feed } from '../../server/brokers/groww/feed.ts';
import type { InstrumentList } from '../../server/brokers/groww/instruments.ts';
import { nkeyOf } from '../../server/brokers/groww/nkey.ts';
import { envFor } from '../brokers/stub-server.ts';
import { hear } from './fuzz.ts';

/** Frames of Groww's feed by the documented layout, and talks that read them. */

export const bytes = (...hex: string[]) => Buffer.from(hex.join('').replaceAll(' ', ''), 'hex');

/** StocksSocketResponseProtoDto: field and wire type, then length or content. */
export const price = bytes(
  '0a 08 52454c49414e4345', // 1 symbol, 8 bytes
  '18 01', // 3 exchange: NSE; 2 segment CASH is 0 and left out
  '22 1b', // 4 stockLivePrice, 27 bytes
  '09 00b0c706450c7a42', // 1 tsInMillis: 1790000000123
  '11 0000000000508940', // 2 open: 810
  '69 cdcccccccc628940', // 13 ltp: 812.35
);

/** OrderDetailsBroadCastDto. */
export const order = bytes(
  '0a 13 09 00000000c0be7041 12 08 4558454355544544', // 1 stage, 19 bytes: time since midnight, EXECUTED
  '12 1d', // 2 the order, 29 bytes
  '08 64 10 90a10f', // 1 qty: 100, 2 price: 250000 paise
  '3a 13 474d4b3339303338524454343930434356524f', // 7 growwOrderId, 19 bytes
  '48 06', // 9 orderStatus: EXECUTED
);

export function msg(subject: string, sid: number, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`MSG ${subject} ${sid} ${payload.length}\r\n`), payload, Buffer.from('\r\n')]);
}

/** The number WIPRO's subscription has in `signedIn`. */
export const SID = 3;
export const live = msg('/ld/eq/nse/price.3787', SID, price);

/** A list of instruments by name; null for one that cannot be read yet. */
class FixedList implements InstrumentList {
  tokens: Record<string, number> | null;
  asked = 0;
  constructor(tokens: Record<string, number> | null) {
    this.tokens = tokens;
  }
  async load(): Promise<void> {
    this.asked += 1;
  }
  loaded(): boolean {
    return this.tokens !== null;
  }
  token(exchange: string, symbol: string): number | undefined {
    return this.tokens?.[`${exchange} ${symbol}`];
  }
  close(): void {}
}

/** The pair of the bytes 0 to 31. */
export const seeded = fromSeed(Buffer.from('SUAAAAICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y'));

export function talkWith(tokens: Record<string, number> | null) {
  const { env } = envFor(groww, 'http://127.0.0.1:1', {});
  const list = new FixedList(tokens);
  const nkey = nkeyOf(seeded);
  const [channel] = feed(env, createApi(env), list);
  return { list, channel, talk: createTalk({ token: 'jwt-1', subscriptionId: 'sub-1' }, nkey, list) };
}

/** A talk that is signed in and subscribed to WIPRO. */
export function signedIn(): FeedTalk {
  const { talk } = talkWith({ 'NSE WIPRO': 3787 });
  hear(talk, 'INFO {"nonce":"PXoWU7zWAMt75FY"}\r\n', 'PONG\r\n');
  talk.subscribe(['NSE WIPRO']);
  return talk;
}

export function listOf(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`NSE S${index}`, index + 1]));
}
