import { describe, expect, test } from 'vitest';
import { decodeOrder, decodePrice } from '../../server/brokers/groww/feed-messages.ts';
import { nkeyOf } from '../../server/brokers/groww/nkey.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';
import { bytes, listOf, live, msg, order, price, SID, seeded, signedIn, talkWith } from './groww.frames.ts';

const prices = {
  decode: (frame: string | Uint8Array, sink: Parameters<typeof decodePrice>[2]) => decodePrice(Buffer.from(frame), 'NSE WIPRO', sink),
};
const orders = { decode: (frame: string | Uint8Array, sink: Parameters<typeof decodeOrder>[1]) => decodeOrder(Buffer.from(frame), sink) };

describe('golden payloads', () => {
  test('a share: rupees and the time of the exchange', () => {
    expect(hear(prices, price).prices).toEqual([{ key: 'NSE WIPRO', rupees: 812.35, at: 1_790_000_000_123 }]);
  });

  test('an index has its value elsewhere', () => {
    const index = bytes('32 12', '09 00b0c706450c7a42', '11 9a9999990973d940'); // stocksLiveIndices 18: tsInMillis, value
    expect(hear(prices, index).prices).toEqual([{ key: 'NSE WIPRO', rupees: 26060.15, at: 1_790_000_000_123 }]);
  });

  test('depth alone, no price, and what is cut say nothing', () => {
    const depth = bytes('2a 09 09 00b0c706450c7a42');
    expect(hear(prices, depth, bytes('22 00'), price.subarray(0, price.length - 1), Buffer.alloc(0)).prices).toEqual([]);
  });

  test('an order names itself by the id of the order list', () => {
    expect(hear(orders, order).orders).toEqual(['GMK39038RDT490CCVRO']);
    expect(hear(orders, bytes('12 02 08 64'), Buffer.alloc(0)).orders).toEqual([null, null]);
  });
});

describe('signing in', () => {
  test('a key pair and its signature are what other NATS clients make of the same seed', () => {
    const nkey = nkeyOf(seeded);
    expect(nkey.publicText).toBe('UAB2CB576PHBBPQ5ODORRZ2LYCMWPZGWGCN2KDK7DXOIMZASKUY3RLKK');
    expect(nkey.sign('PXoWU7zWAMt75FY')).toBe('bnxg5G8aOV2LQdSE_lcM9clxm_fbTTZxsqQ1EpTNgJXmH6z5ezesd49kXfuNhoAqw_DmEtsGcNsJdug9wMuRDQ');
  });

  test('the nonce is answered with the signature, the first PONG with the order subjects', () => {
    const { talk } = talkWith({});
    expect(talk).toMatchObject({ hello: [], awaitsReady: true });
    const [connect] = hear(talk, 'INFO {"server_id":"x","nonce":"PXoWU7zWAMt75FY","max_payload":1048576}\r\n').replies.map(String);
    const [, options = '', rest] = /^CONNECT (\{.*\})\r\n(.*)$/s.exec(connect ?? '') ?? [];
    expect(rest).toBe('PING\r\n');
    expect(JSON.parse(options)).toMatchObject({
      verbose: false,
      pedantic: false,
      jwt: 'jwt-1',
      sig: 'bnxg5G8aOV2LQdSE_lcM9clxm_fbTTZxsqQ1EpTNgJXmH6z5ezesd49kXfuNhoAqw_DmEtsGcNsJdug9wMuRDQ',
      protocol: 1,
    });
    const heard = hear(talk, 'INFO {"nonce":"another"}\r\n', 'PONG\r\n', 'PONG\r\n');
    expect(heard.ready).toBe(1);
    expect(heard.replies.map(String)).toEqual(['SUB stocks/order/updates.apex.sub-1 1\r\nSUB stocks_fo/order/updates.apex.sub-1 2\r\n']);
  });

  test('a refusal is one before the sign-in, and later when it is about the login', () => {
    expect(hear(talkWith({}).talk, 'INFO {}\r\n', "-ERR 'Authorization Violation'\r\n")).toMatchObject({
      ready: 0,
      refused: ['Authorization Violation'],
    });
    const heard = hear(signedIn(), "-ERR 'Slow Consumer'\r\n-ERR 'User Authentication Expired'\r\n");
    expect(heard.refused).toEqual(['User Authentication Expired']);
  });
});

describe('the protocol', () => {
  test('PING is answered with PONG; +OK says nothing', () => {
    expect(hear(signedIn(), 'PING\r\n+OK\r\n', Buffer.from('PING\r\n')).replies.map(String)).toEqual(['PONG\r\n', 'PONG\r\n']);
  });

  test('several messages come in one frame, and one over several', () => {
    const stream = Buffer.concat([live, msg('stocks/order/updates.apex.sub-1', 1, order), Buffer.from('PING\r\n'), live]);
    const said = { key: 'NSE WIPRO', rupees: 812.35, at: 1_790_000_000_123 };
    // Signing in costs more than all the rest.
    const talk = signedIn();
    for (let cut = 0; cut <= stream.length; cut += 1) {
      const heard = hear(talk, stream.subarray(0, cut), stream.subarray(cut));
      expect(heard, `cut at ${cut}`).toMatchObject({
        prices: [said, said],
        orders: ['GMK39038RDT490CCVRO'],
        replies: [Buffer.from('PONG\r\n')],
      });
    }
    expect(hear(signedIn(), ...[...stream].map((byte) => Buffer.from([byte]))).prices).toEqual([said, said]);
  });

  test('the parts of a line may be parted by more than one space', () => {
    const [line = '', ...rest] = String(live.toString('latin1')).split('\r\n');
    const spaced = Buffer.from([line.replaceAll(' ', '  '), ...rest].join('\r\n'), 'latin1');
    expect(hear(signedIn(), spaced).prices).toEqual([{ key: 'NSE WIPRO', rupees: 812.35, at: 1_790_000_000_123 }]);
  });

  test('after half a message, or bytes that are none, the next frame is read again', () => {
    const talk = signedIn();
    for (const broken of [
      live.subarray(0, live.length >> 1),
      Buffer.from('HTTP/1.1 400\r\n\r\n'),
      Buffer.alloc(9000, 65),
      Buffer.from('MSG a 1 99999999\r\n'),
    ])
      expect(hear(talk, broken, live, live).prices, broken.toString('latin1', 0, 20)).toHaveLength(2);
  });

  test('a number or a subject that was not subscribed to says nothing', () => {
    expect(
      hear(
        signedIn(),
        msg('/ld/eq/nse/price.3787', 77, price),
        msg('/ld/eq/nse/price.1', SID, price),
        msg('stocks/order/updates.apex.other', 1, order),
      ),
    ).toMatchObject({ prices: [], orders: [] });
  });
});

describe('subscriptions', () => {
  test('name the tokens of the list; what the list lacks is left out', () => {
    const { talk, channel } = talkWith({ 'NSE WIPRO': 3787, 'NFO NIFTY26DECFUT': 47001, 'BSE WIPRO': 507685 });
    const keys = ['NSE WIPRO', 'BSE WIPRO', 'NFO NIFTY26DECFUT', 'NSE NOSUCH'];
    const lines = (frames: readonly (string | Uint8Array)[]) => frames.map(String).join('');
    expect(lines(talk.subscribe(keys))).toBe(
      'SUB /ld/eq/nse/price.3787 3\r\nSUB /ld/eq/bse/price.507685 4\r\nSUB /ld/fo/nse/price.47001 5\r\n',
    );
    expect(lines(talk.subscribe(keys))).toBe('');
    expect(lines(talk.unsubscribe(['BSE WIPRO', 'NSE NOSUCH']))).toBe('UNSUB 4\r\n');
    expect(lines(talk.subscribe(['BSE WIPRO']))).toBe('SUB /ld/eq/bse/price.507685 6\r\n');
    const named = (exchange: string, symbol: string) => channel?.key({ exchange, symbol, token: '1' });
    expect([
      named('NSE', 'M&M'),
      named('NFO', 'NIFTY26DEC26000CE'),
      named('MCX', 'GOLD'),
      named('CDS', 'USDINR'),
      named('NSE', 'A B'),
    ]).toEqual(['NSE M&M', 'NFO NIFTY26DEC26000CE', null, null, null]);
  });

  test('wait for a list that comes late, and are made with the next PONG', () => {
    const { talk, list } = talkWith(null);
    hear(talk, 'INFO {}\r\n', 'PONG\r\n');
    expect(talk.subscribe(['NSE WIPRO', 'NSE SBIN', 'NSE NOSUCH'])).toEqual([]);
    talk.unsubscribe(['NSE SBIN']);
    expect(hear(talk, 'PONG\r\n').replies).toEqual([]);
    expect(list.asked).toBe(1);
    list.tokens = { 'NSE WIPRO': 3787, 'NSE SBIN': 3045 };
    expect(hear(talk, 'PONG\r\n', 'PONG\r\n').replies.map(String)).toEqual(['SUB /ld/eq/nse/price.3787 3\r\n']);
  });

  test('never more than Groww takes', () => {
    const { talk } = talkWith(listOf(1200));
    const lines = talk.subscribe(Object.keys(listOf(1200))).map(String);
    expect(lines.join('').split('\r\n')).toHaveLength(998 + 1);
    expect(lines).toHaveLength(5);
  });
});

describe('random frames', { timeout: 120_000 }, () => {
  test('of the whole talk', () => {
    const greeting = 'INFO {"server_id":"x","nonce":"PXoWU7zWAMt75FY"}\r\n';
    fuzz(signedIn, [
      live,
      msg('stocks/order/updates.apex.sub-1', 1, order),
      greeting,
      'PING\r\n',
      'PONG\r\n',
      "-ERR 'Authorization Violation'\r\n",
    ]);
  });
  test('of prices', () => fuzz(() => prices, [price]));
  test('of orders', () => fuzz(() => orders, [order]));
});

describe('over the practice exchange', () => feedTests('groww', { unpriced: ['NFO'] }));
