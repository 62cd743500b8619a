import { describe, expect, test } from 'vitest';
import { quoteSchema as aliceblue } from '../../server/brokers/aliceblue/quotes.ts';
import { quoteSchema as angelone } from '../../server/brokers/angelone/quotes.ts';
import type { BrokerQuote } from '../../server/brokers/broker.ts';
import { quoteSchema as dhan } from '../../server/brokers/dhan/quotes.ts';
import { quoteSchema as fivepaisa } from '../../server/brokers/fivepaisa/quotes.ts';
import { quoteSchema as fyers } from '../../server/brokers/fyers/quotes.ts';
import { quoteSchema as groww } from '../../server/brokers/groww/quotes.ts';
import { quoteSchema as kotak } from '../../server/brokers/kotak/quotes.ts';
import { quotesBy } from '../../server/brokers/quote.ts';
import { quoteSchema as shoonya } from '../../server/brokers/shoonya/quotes.ts';
import { quoteSchema as upstox } from '../../server/brokers/upstox/quotes.ts';
import { quoteSchema as zerodha } from '../../server/brokers/zerodha/quotes.ts';
import { fixtures } from './stub-server.ts';

const ist = (text: string) => Date.parse(`${text}+05:30`);

/** Where the row of a recorded or documented answer stands, and what it tells. Rupees are text: nothing is lost on the way. */
const samples: readonly [
  name: string,
  schema: { parse(row: unknown): BrokerQuote },
  path: string,
  told: (string | null)[],
  rest: [number | null, number | null],
][] = [
  [
    'zerodha/quotes',
    zerodha,
    'data/NSE:INFY',
    ['1412.95', null, '1412.95', '1396', '1421.75', '1395.55', '1389.65'],
    [7_360_198, ist('2026-11-20T15:45:56')],
  ],
  [
    'zerodha/quotes',
    zerodha,
    'data/NSE:NIFTY 50',
    ['26060.15', null, null, '26010', '26080.5', '25990.1', '26047.85'],
    [null, ist('2026-11-20T15:45:56')],
  ],
  [
    'upstox/quotes',
    upstox,
    'data/NSE_EQ:NHPC',
    ['52.05', null, '52.05', '53.4', '53.8', '51.75', '53.2'],
    [24_123_697, ist('2026-11-20T05:21:51.099')],
  ],
  [
    'angelone/quotes',
    angelone,
    'data/fetched/0',
    ['568.2', '568.2', '568.25', '567.4', '569.35', '566.1', '567.4'],
    [3_556_150, ist('2026-11-20T10:46:10')],
  ],
  ['dhan/quotes', dhan, 'data/NSE_FNO/49081', ['368.15', '77', null, null, null, null, '368.15'], [0, null]],
  ['fyers/quotes', fyers, 'd/0/v', ['426.9', '426.85', '426.9', '430.5', '433.65', '423.6', '425.2'], [38_977_242, null]],
  ['groww/quote', groww, 'payload', ['800.05', '799.95', '800.1', '801.5', '806.85', '795.15', '800.55'], [10_000, 1_795_147_953_000]],
  ['kotak/quote', kotak, '0', ['812.35', '812.3', '812.35', '810', '815.45', '806', '803.9512'], [30_043, 1_795_147_953_000]],
  ['fivepaisa/snapshot', fivepaisa, 'body/Data/0', ['812.35', null, null, null, '815.5', '806.2', '811.2'], [200_000, 1_795_147_953_230]],
  ['fivepaisa/fullSnapshot', fivepaisa, 'body/Data/0', ['812.35', null, null, '810', '815.5', '806.2', '811.2'], [200_000, null]],
  ['shoonya/quote', shoonya, '', ['812.35', '812.3', '812.35', null, '815.45', '806', null], [1_000, null]],
  ['aliceblue/quotes', aliceblue, '', ['1156.6', '1156', '1156.8', '1166', '1179', '1145.35', '1152.65'], [819_881, 1_795_147_953_000]],
];

function at(value: unknown, path: string): unknown {
  return path.split('/').reduce<unknown>((within, name) => (name === '' ? within : Object(within)[name]), value);
}

describe('answers in the form in which the brokers send or document them', () => {
  test.each(samples)('%s %#', (name, schema, path, [lastPrice, bid, ask, open, high, low, close], [volume, when]) => {
    const [broker = '', file = ''] = name.split('/');
    const row = at(fixtures(broker).one(file).body, path);
    expect(schema.parse(row)).toEqual({ lastPrice, bid, ask, open, high, low, close, volume, at: when });
  });

  test('a price that is none makes the row unreadable, a volume that is none is not told', () => {
    expect(() => zerodha.parse({ last_price: '1,412.95' })).toThrow();
    expect(() => fyers.parse({ lp: true })).toThrow();
    expect(zerodha.parse({ last_price: '1412.9500', volume: 'many' })).toMatchObject({
      lastPrice: '1412.95',
      volume: null,
      bid: null,
      open: null,
    });
  });
});

describe('names for which a broker refuses the whole call', () => {
  const told: BrokerQuote = {
    lastPrice: '1',
    bid: null,
    ask: null,
    open: null,
    high: null,
    low: null,
    close: null,
    volume: null,
    at: null,
  };
  const named = (symbol: string) => ({ exchange: 'NSE', symbol, token: '' });
  const asking = (bad: readonly string[], status = 400) => {
    const calls: string[][] = [];
    return {
      calls,
      call: {
        most: 50,
        key: ({ symbol }: { symbol: string }) => symbol,
        ask: async (keys: readonly string[]) => {
          calls.push([...keys]);
          if (keys.some((key) => bad.includes(key))) return { success: false as const, message: 'Invalid symbol', status };
          return new Map(keys.map((key) => [key, told]));
        },
      },
    };
  };
  const fifty = Array.from({ length: 50 }, (_, index) => `S${index}`);

  test('one of fifty is found by halves, and the others have their quotes', async () => {
    const { calls, call } = asking(['S17']);
    const answer = await quotesBy(call, fifty.map(named));
    expect(answer).toEqual({ success: true, quotes: fifty.map((name) => (name === 'S17' ? null : told)) });
    expect(calls.length).toBeLessThanOrEqual(13);
  });

  test('where most are bad it gives up in the words of the broker; a refusal for another reason is not asked again', async () => {
    const { calls, call } = asking(fifty.filter((_, index) => index % 2 === 0));
    expect(await quotesBy(call, fifty.map(named))).toEqual({ success: false, message: 'Invalid symbol' });
    expect(calls.length).toBeLessThanOrEqual(26);
    const other = asking(['S17'], 403);
    expect(await quotesBy(other.call, fifty.map(named))).toEqual({ success: false, message: 'Invalid symbol' });
    expect(other.calls).toHaveLength(1);
  });

  test('without room for another call it says so', async () => {
    const { call } = asking(['S17']);
    let left = 2;
    const answer = await quotesBy(call, fifty.map(named), async () => left-- > 0);
    expect(answer).toMatchObject({ success: false, message: expect.stringMatching(/read limit/) });
  });
});
