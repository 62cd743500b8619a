import { describe, expect, test } from 'vitest';
import { talk } from '../../server/brokers/shoonya/feed.ts';
import { feedTests } from './conformance.ts';
import { fuzz, hear } from './fuzz.ts';

const fresh = () => talk('token', 'X', 'X');

/** Members of the sheet's list, values of our own; the depth frame is the sheet's. */
const whole =
  '{"t":"tk","e":"NFO","tk":"54957","pp":"2","ts":"NIFTY28JUL22C16600","ti":"0.05","ls":"50","lp":"84.00","pc":"99.05","v":"129781850","o":"37.65","h":"98.00","l":"22.00","c":"42.20","ap":"61.35","oi":"7606750","bp1":"84.00","sp1":"84.20","bq1":"1000","sq1":"300","ft":"1658911102"}';
const changed = '{"t":"tf","e":"NFO","tk":"54957","lp":"84.20","pc":"99.53","ft":"1658911104"}';
const depth =
  '{"t":"df","e":"NSE","tk":"22","o":"1166.00","h":"1179.00","l":"1145.35","c":"1152.65","ap":"1159.74","v":"819881","tbq":"120952","tsq":"113700","bp1":"1156.00","sp1":"1156.80","bq1":"42","sq1":"17"}';
const filled =
  '{"t":"om","norenordno":"20121300065716","uid":"X","actid":"X","exch":"NSE","tsym":"ACCELYA-EQ","qty":"180","prc":"800.00","prd":"M","status":"COMPLETE","reporttype":"Fill","trantype":"B","prctyp":"LMT","ret":"DAY","fillshares":"180","avgprc":"800.00","flid":"102","flqty":"180","flprc":"800.00","exchordid":"6858","remarks":"tag"}';

describe('golden frames', () => {
  test('the sign-in and its answer, after which the orders are asked for', () => {
    expect(fresh().hello).toEqual(['{"t":"a","uid":"X","actid":"X","source":"API","accesstoken":"token"}']);
    const heard = hear(fresh(), '{"t":"ak","uid":"X","s":"OK"}');
    expect(heard).toMatchObject({ ready: 1, refused: [], replies: ['{"t":"o","actid":"X"}'] });
    // The older answer, and the spelling of the documents.
    expect(hear(fresh(), '{"t":"ck","s":"OK"}').ready).toBe(1);
    expect(hear(fresh(), '{"t":"ak","s":"Ok"}').ready).toBe(1);
  });

  test('a refused sign-in, with a reason and without one', () => {
    const heard = hear(fresh(), '{"t":"ak","s":"NOT_OK"}', '{"t":"ak","s":"Not_Ok","emsg":"Session Expired : Invalid Session Key"}');
    expect(heard).toMatchObject({ ready: 0, refused: ['NOT_OK', 'Session Expired : Invalid Session Key'], replies: [] });
  });

  test('a whole touchline, then what changed; a frame without a last price says none', () => {
    expect(hear(fresh(), whole, changed, depth).prices).toEqual([
      { key: 'NFO|54957', rupees: 84, at: 1_658_911_102_000 },
      { key: 'NFO|54957', rupees: 84.2, at: 1_658_911_104_000 },
    ]);
    expect(hear(fresh(), '{"t":"dk","e":"NSE","tk":"22","lp":"1156.80"}').prices).toEqual([{ key: 'NSE|22', rupees: 1156.8, at: null }]);
    // Four places on CDS; a frame of bytes reads the same.
    const bytes = Buffer.from('{"t":"tf","e":"CDS","tk":"10901","lp":"89.2025","ft":"0"}');
    expect(hear(fresh(), bytes).prices).toEqual([{ key: 'CDS|10901', rupees: 89.2025, at: null }]);
  });

  test('order frames name the order, also where its name is misspelt', () => {
    expect(hear(fresh(), filled, '{"t":"om","norenoordno":"7"}', '{"t":"om"}').orders).toEqual(['20121300065716', '7', null]);
  });

  test('what says nothing', () => {
    const frames = ['{"t":"ok"}', '{"t":"uk","k":"NSE|22"}', '{"t":"tf","e":"NSE","tk":"22","lp":"1,156.80"}', 'not json', '[]', 'null'];
    expect(hear(fresh(), ...frames)).toEqual({ prices: [], quotes: [], orders: [], ready: 0, refused: [], replies: [] });
  });

  test('subscriptions are cut into frames of fifty names', () => {
    const keys = Array.from({ length: 101 }, (_, index) => `NSE|${index}`);
    expect(fresh().subscribe(['NSE|22', 'NFO|54957'])).toEqual(['{"t":"t","k":"NSE|22#NFO|54957"}']);
    expect(fresh().unsubscribe(['NSE|22'])).toEqual(['{"t":"u","k":"NSE|22"}']);
    const named = fresh()
      .subscribe(keys)
      .map((frame) => JSON.parse(String(frame)).k.split('#'));
    expect(named.map((names) => names.length)).toEqual([50, 50, 1]);
    expect(named.flat()).toEqual(keys);
  });
});

test('random frames', { timeout: 60_000 }, () => {
  fuzz(fresh, [whole, changed, depth, filled, '{"t":"ak","uid":"X","s":"OK"}']);
});

describe('over the practice exchange', () => feedTests('shoonya'));
