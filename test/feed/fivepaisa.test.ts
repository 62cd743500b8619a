import { describe, expect, test } from 'vitest';
import { fivepaisa } from '../../server/brokers/fivepaisa/adapter.ts';
import { decode, hostOf } from '../../server/brokers/fivepaisa/feed.ts';
import { envFor } from '../brokers/stub-server.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

const talk = { decode };

/** The frames of the sheet; the time stands in for its dots. */
const tick =
  '[{"Exch":"N","ExchType":"C","Token":1660,"LastRate":440.1,"LastQty":0,"TotalQty":0,"High":447.2,"Low":439.5,"OpenRate":445,"PClose":442.9,"AvgRate":0,"Time":35950,"BidQty":0,"BidRate":0,"OffQty":0,"OffRate":0,"TBidQ":0,"TOffQ":0,"TickDt":"/Date(1715225400000+0530)/","ChgPcnt":-0.63}]';
const placed =
  '{"ReqType":"P","ClientCode":"X","Exch":"N","ExchType":"C","ScripCode":1660,"Symbol":"ITC","Series":"EQ","BrokerOrderID":132038757,"ExchOrderID":"1200010221327930","ExchOrderTime":"2024-05-09 11:28:22","BuySell":"B","Qty":1,"Price":425,"ReqStatus":0,"Status":"Placed","OrderRequestorCode":"X","AtMarket":"N","Product":"D","WithSL":"N","SLTriggerRate":0,"DisclosedQty":0,"PendingQty":1,"TradedQty":0,"RemoteOrderId":"202405091128221","Remark":""}';
const traded =
  '{"ReqType":"T","ClientCode":"X","Exch":"N","ExchType":"C","ScripCode":1660,"Symbol":"ITC","Series":"EQ","ExchOrderID":"1202","ExchTradeId":"234495","ExchTradeTime":"2024-05-09 11:32:34","BuySell":"B","Qty":1,"Price":434.2,"PendingQty":0,"TotalTradedQty":1,"OrderQty":1,"OrderPrice":434.15,"RemoteOrderId":"204059112343","Product":"D","ReqStatus":0,"Status":"Fully Executed","Remark":""}';
const triggered =
  '{"ReqType":"S","ExchOrderID":"1100","BuySell":"B","Qty":1,"OrderPrice":433.9,"AtMarket":"N","Product":"D","RemoteOrderId":"17152356907","ReqStatus":0,"SLTriggerRate":433.85,"SLTriggerTime":"2024-05-09 11:50:46","Status":"SL Triggered","Remark":""}';
const tagged = (RemoteOrderId: unknown, more: object = {}) => JSON.stringify({ ReqType: 'T', ExchOrderID: '1202', RemoteOrderId, ...more });

describe('golden frames', () => {
  test('prices come in lists; the zone of the time is decoration', () => {
    expect(hear(talk, tick).prices).toEqual([{ key: 'NC1660', rupees: 440.1, at: 1_715_225_400_000 }]);
    const two = `[${tick.slice(1, -1)},{"Exch":"N","ExchType":"D","Token":47001,"LastRate":26060.15,"TickDt":"soon"}]`;
    expect(hear(talk, two).prices).toMatchObject([{ key: 'NC1660' }, { key: 'ND47001', rupees: 26060.15, at: null }]);
  });

  test('order frames name the order as the rows do: our tag, else the number at the exchange, else that of 5paisa', () => {
    expect(hear(talk, placed, traded, triggered).orders).toEqual(['1200010221327930', '1202', '1100']);
    const ids = hear(
      talk,
      tagged('k3v9c0m2p7q1x8za'),
      tagged('', { ExchOrderID: '0', BrokerOrderID: 132038757 }),
      tagged(7),
      '{"ReqType":"S"}',
    );
    expect(ids.orders).toEqual(['k3v9c0m2p7q1x8za', '132038757', null, null]);
    expect(hear(talk, `[${tagged('k3v9c0m2p7q1x8za')}]`).orders).toEqual(['k3v9c0m2p7q1x8za']);
  });

  test('what says nothing', () => {
    const rows = ['[{"Exch":"N","ExchType":"C","Token":1660,"LastRate":"440.1"}]', '[{"Exch":"N","Token":1660,"LastRate":440.1}]'];
    const frames = [...rows, tick.slice(0, 200), '[]', '[null]', 'null', '{"Message":"Success"}', 'no json', Buffer.from(tick)];
    expect(hear(talk, ...frames)).toEqual({ prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] });
  });
});

describe('the channel', () => {
  const { env } = envFor(fivepaisa, 'http://127.0.0.1:1', {});
  const [channel] = fivepaisa.create(env).feed ?? [];
  const jwt = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.y`;

  test('an instrument is named by exchange, type and code', () => {
    const name = (exchange: string, token: string) => channel?.key({ exchange, symbol: 'X', token });
    expect([name('NSE', '1660'), name('BFO', '7'), name('CDS', '10901')]).toEqual(['NC1660', 'BD7', 'NU10901']);
    expect([name('N X', '1'), name('NSE', 'ITC'), name('NSE', '0')]).toEqual([null, null, null]);
  });

  test('the token says which host tells of orders; an override and a token without the claim keep their address', () => {
    expect(hostOf(fivepaisa.urls.feed, jwt({ RedirectServer: 'A' }))).toBe('wss://aopenfeed.5paisa.com/feeds/api/chat');
    expect(hostOf(fivepaisa.urls.feed, jwt({ RedirectServer: 'B' }))).toBe('wss://bopenfeed.5paisa.com/feeds/api/chat');
    for (const token of [jwt({ RedirectServer: 'C' }), jwt({ RedirectServer: 'Z' }), 'none', ''])
      expect(hostOf(fivepaisa.urls.feed, token)).toBe('wss://openfeed.5paisa.com/feeds/api/chat');
    expect(hostOf('ws://127.0.0.1:5104/feeds/api/chat', jwt({ RedirectServer: 'A' }))).toBe('ws://127.0.0.1:5104/feeds/api/chat');
  });

  test('orders are asked for at once, prices in pieces', async () => {
    const opening = await channel?.open();
    expect(opening?.url).toBe('wss://openfeed.5paisa.com/feeds/api/chat?Value1=|');
    expect(opening?.talk.hello).toEqual(['{"Method":"OrderTradeConfirmations","Operation":"Subscribe","ClientCode":""}']);
    expect(opening?.talk.subscribe(['NC1660'])).toEqual([
      '{"Method":"MarketFeedV3","Operation":"Subscribe","ClientCode":"","MarketFeedData":[{"Exch":"N","ExchType":"C","ScripCode":1660}]}',
    ]);
    const pieces = opening?.talk
      .unsubscribe(Array.from({ length: 101 }, (_, index) => `ND${index + 1}`))
      .map((frame) => JSON.parse(String(frame)));
    expect(pieces).toMatchObject([{ Operation: 'Unsubscribe' }, { MarketFeedData: [{ Exch: 'N', ExchType: 'D', ScripCode: 101 }] }]);
  });
});

test('random frames', { timeout: 60_000 }, () => {
  fuzz(() => talk, [tick, placed, traded, triggered]);
});

describe('over the practice exchange', () => feedTests('fivepaisa'));
