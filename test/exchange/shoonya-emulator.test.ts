import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../server/clock.ts';
import { createExchange, type Exchange } from '../../server/exchange/exchange.ts';
import { shoonya } from '../../server/exchange/shoonya/emulator.ts';
import { createFaults } from '../../server/exchange/wire/faults.ts';
import { type EmulatorServer, serveEmulator } from '../../server/exchange/wire/server.ts';
import { silentLog } from '../../server/log.ts';

/** The emulator against the documented members and texts, in plain HTTP. */
const who = { uid: 'PRAC01', actid: 'PRAC01' };
const secret = shoonya.credentials.API_SECRET ?? '';
let exchange: Exchange;
let served: EmulatorServer;

beforeAll(async () => {
  const log = silentLog();
  exchange = createExchange({ clock: systemClock, log, seed: 1, transitMs: [0, 0], traits: { shoonya: shoonya.traits } });
  served = await serveEmulator({ emulator: shoonya, exchange, faults: createFaults({ seed: 1 }), port: 0, limits: false, log });
  exchange.setPrice('NSE', 'WIPRO', '244');
});
afterAll(async () => {
  await served.close();
  exchange.close();
});

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${shoonya.credentials.ACCESS_TOKEN}`;
  const response = await fetch(`${served.origin}${path}`, { method: 'POST', headers: { authorization, ...headers }, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}
const call = (name: string, fields: Record<string, unknown> = {}) =>
  post(`/NorenWClientAPI/${name}`, `jData=${JSON.stringify({ ...who, ...fields })}`);

const resting = {
  exch: 'NSE',
  tsym: 'WIPRO-EQ',
  qty: '10',
  prc: '230',
  prd: 'I',
  trantype: 'B',
  prctyp: 'LMT',
  ret: 'DAY',
  remarks: 'tag',
};
const place = async (changed: Record<string, unknown> = {}) =>
  (await call('PlaceOrder', { ...resting, ordersource: 'API', ...changed })).body;
const row = async (id: string) => (await call('SingleOrdStatus', { norenordno: id, exch: 'NSE' })).body[0];
const texts = z.record(z.string(), z.string());

describe('the login', () => {
  async function freshCode(): Promise<string> {
    const page = await fetch(`${served.origin}/OAuthlogin/authorize/oauth?client_id=PRAC01_U`, { redirect: 'manual' });
    return new URL(page.headers.get('location') ?? '').searchParams.get('code') ?? '';
  }
  const trade = (code: string, uid: unknown = who.uid) => {
    const checksum = createHash('sha256').update(`PRAC01_U${secret}${code}`).digest('hex');
    return post('/NorenWClientAPI/GenAcsTok', `jData=${JSON.stringify({ code, checksum, uid })}`, { authorization: '' });
  };
  test('gives a token for a code, once', async () => {
    const code = await freshCode();
    const { body } = await trade(code);
    expect(body).toMatchObject({ stat: 'Ok', USERID: 'PRAC01', ...who, expires_in: expect.stringMatching(/^\d{10}$/) });
    const asked = await post('/NorenWClientAPI/UserDetails', 'jData={"uid":"PRAC01"}', { authorization: `Bearer ${body.access_token}` });
    expect(asked.body).toMatchObject({ stat: 'Ok', ...who });
    expect((await trade(code)).body).toMatchObject({ stat: 'Not_Ok', emsg: 'Invalid Input : INVALID_VERIFIER' });
  });
  test('refuses a code without the user', async () => {
    expect((await trade(await freshCode(), '')).body).toMatchObject({ stat: 'Not_Ok', emsg: 'Invalid Input : INVALID_VERIFIER' });
  });
  test('an unknown app gets no page', async () => {
    expect((await fetch(`${served.origin}/OAuthlogin/authorize/oauth?client_id=X`, { redirect: 'manual' })).status).toBe(400);
  });
  test('without a token all is refused', async () => {
    const refused = await post('/NorenWClientAPI/OrderBook', 'jData={"uid":"PRAC01"}', { authorization: '' });
    expect(refused).toEqual({ status: 403, body: { stat: 'Not_Ok', emsg: 'Session Expired : Invalid Session Key' } });
  });
  test('the older way of saying the token, the older path and a doubled slash', async () => {
    const key = `jData={"uid":"PRAC01"}&jKey=${shoonya.credentials.ACCESS_TOKEN}`;
    expect((await post('/NorenWClientTP//UserDetails', key, { authorization: '' })).body).toMatchObject({ stat: 'Ok' });
  });
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8'])('a body as %s', async (type) => {
    expect((await post('/NorenWClientAPI/UserDetails', 'jData={"uid":"PRAC01"}', { 'content-type': type })).body).toMatchObject({
      stat: 'Ok',
    });
    expect((await post('/NorenWClientAPI/UserDetails', `jData=${encodeURIComponent('{"uid":"PRAC01"}')}`)).body.stat).toBe('Ok');
  });
});

describe('lists', () => {
  test.each(['OrderBook', 'TradeBook', 'PositionBook'])('an empty %s is an error of its own', async (name) => {
    expect((await call(name)).body).toEqual({
      stat: 'Not_Ok',
      request_time: expect.stringMatching(/^\d\d:\d\d:\d\d \d\d-\d\d-\d{4}$/),
      emsg: 'Error Occurred : 5 "no data"',
    });
  });
  test('holdings and limits need the account', async () => {
    expect((await call('Holdings')).body).toMatchObject({ stat: 'Not_Ok', emsg: 'Invalid Input : Missing uid or actid or prd.' });
    const { body } = await call('Holdings', { prd: 'C' });
    expect(body).toHaveLength(3);
    expect(body[0]).toMatchObject({ stat: 'Ok', exch_tsym: [{ exch: 'NSE', tsym: 'SBIN-EQ', token: '3045' }], holdqty: '50' });
    expect(texts.parse((await call('Limits')).body)).toMatchObject({ stat: 'Ok', cash: '1000000.00', marginused: '0.00' });
  });
  test('a fill shows in all books, with every documented member, as text', async () => {
    const { norenordno } = await place({ prc: '250' });
    const made = texts.parse((await call('OrderBook')).body[0]);
    expect(made).toMatchObject({
      norenordno,
      status: 'COMPLETE',
      rpt: 'Fill',
      fillshares: '10',
      remarks: 'tag',
      prd: 'I',
      s_prdt_ali: 'MIS',
    });
    const documented =
      'stat norenordno uid actid exch tsym token qty trantype prctyp ret prd s_prdt_ali prc trgprc dscqty amo pp ls ti mult prcftr status rpt fillshares avgprc exchordid remarks norentm ordenttm exch_tm rqty rprc rorgqty rorgprc';
    expect(Object.keys(made).toSorted()).toEqual(documented.split(' ').toSorted());
    const trade = texts.parse((await call('TradeBook')).body[0]);
    const ofTrades =
      'stat norenordno uid actid exch prctyp ret prd flid fltm trantype tsym qty token fillshares flqty pp ls ti prc flprc norentm exch_tm remarks exchordid';
    expect(Object.keys(trade)).toEqual(expect.arrayContaining(ofTrades.split(' ')));
    expect(trade).toMatchObject({ norenordno, qty: '10', flqty: '10', flprc: made.avgprc });
    const position = texts.parse((await call('PositionBook')).body[0]);
    const ofPositions =
      'stat uid actid exch tsym token prd s_prdt_ali netqty netavgprc netupldprc daybuyqty daysellqty daybuyavgprc daysellavgprc daybuyamt daysellamt cfbuyqty cfsellqty cfbuyavgprc cfsellavgprc cfbuyamt cfsellamt upldprc lp rpnl urmtom bep openbuyqty opensellqty openbuyamt opensellamt totbuyavgprc totsellavgprc mult pp prcftr ti ls';
    expect(Object.keys(position)).toEqual(expect.arrayContaining(ofPositions.split(' ')));
    expect(position).toMatchObject({ netqty: '10', daybuyqty: '10', netavgprc: made.avgprc });
  });
  test('a quote', async () => {
    expect((await call('GetQuotes', { exch: 'NSE', token: '3787' })).body).toMatchObject({
      stat: 'Ok',
      tsym: 'WIPRO-EQ',
      lp: '244.00',
      ti: '0.01',
      uc: '268.40',
      lc: '219.60',
    });
    expect((await call('GetQuotes', { exch: 'NSE', token: '1' })).body).toMatchObject({ emsg: 'Error Occurred : 5 "no data"' });
  });
});

describe('orders', () => {
  test('an order is taken, changed and cancelled', async () => {
    const placed = await place();
    expect(placed).toEqual({ request_time: expect.any(String), stat: 'Ok', norenordno: expect.stringMatching(/^\d{16}$/) });
    const id = placed.norenordno;
    const open = await row(id);
    expect(open).toMatchObject({ status: expect.stringMatching(/^(OPEN|NEW)$/), rpt: 'New' });
    for (const absent of ['fillshares', 'avgprc', 'rejreason', 'cancelqty']) expect(open).not.toHaveProperty(absent);
    const fields = { exch: 'NSE', tsym: 'WIPRO-EQ', norenordno: id, qty: '12', prctyp: 'LMT', prc: '231' };
    const changed = await call('ModifyOrder', fields);
    expect(changed.body).toEqual({ request_time: expect.any(String), stat: 'Ok', result: id });
    expect(await row(id)).toMatchObject({ qty: '12', prc: '231.00' });
    expect((await call('ModifyOrder', { ...fields, trgprc: '0' })).body).toMatchObject({
      stat: 'Not_Ok',
      emsg: 'Rejected : Trigger price invalid - 0.00',
    });
    expect((await call('CancelOrder', { norenordno: id })).body).toMatchObject({ stat: 'Ok', result: id });
    expect(await row(id)).toMatchObject({ status: 'CANCELED', cancelqty: '12' });
    const history = (await call('SingleOrdHist', { norenordno: id })).body.map((line: { status: string }) => line.status);
    expect([history[0], history.at(-1)]).toEqual(['CANCELED', 'PENDING']);
  });
  test('rows use one set of status words or the other', async () => {
    const seen = new Set<string>();
    for (const amo of [undefined, undefined, 'Yes', 'Yes', undefined, 'Yes']) {
      const { norenordno } = await place({ qty: '1', amo });
      seen.add((await row(norenordno)).status);
      await call('CancelOrder', { norenordno });
    }
    expect([...seen].toSorted()).toEqual(['AFTER MARKET ORDER REQ RECEIVED', 'NEW', 'OPEN', 'PENDING']);
  });
  test('a closed position names its product by the display name alone', async () => {
    await place({ prc: '250' });
    const net = Number((await call('PositionBook')).body[0].netqty);
    expect((await call('PositionBook')).body[0]).toMatchObject({ prd: 'I', s_prdt_ali: 'MIS' });
    await place({ trantype: 'S', prc: '240', qty: String(net) });
    const [closed] = (await call('PositionBook')).body;
    expect(closed).toMatchObject({ netqty: '0', s_prdt_ali: 'MIS' });
    expect(closed).not.toHaveProperty('prd');
  });
  test('an order nobody knows', async () => {
    expect((await call('CancelOrder', { norenordno: '1' })).body).toMatchObject({ emsg: 'Rejected : ORA:Order not found' });
  });
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['MKT', { prctyp: 'MKT', prc: '0' }, /^Rejected : MKT/],
    ['SL-MKT', { prctyp: 'SL-MKT', prc: '0', trgprc: '250' }, /^Rejected : SL-MKT/],
    ['the word No for AMO', { amo: 'No' }, /Invalid AMO/],
    ['an unknown symbol', { tsym: 'WIPRO' }, /Invalid Trading Symbol/],
    ['a quantity that is a number', { qty: 10 }, /^Error Occurred : 2 "invalid input"$/],
    ['no price', { prc: '0' }, /Invalid Price/],
    ['a stop without a trigger', { prctyp: 'SL-LMT' }, /Invalid Trigger Price/],
  ])('%s is refused', async (_what, changed, emsg) => {
    expect(await place(changed)).toMatchObject({ stat: 'Not_Ok', emsg: expect.stringMatching(emsg) });
  });
  test('what the official clients leave unset is tolerated', async () => {
    expect(await place({ trgprc: 'None', remarks: null, algo_id: null, dscqty: '0' })).toMatchObject({ stat: 'Ok' });
  });
  test('too little money, or a price off the tick, is told by the book', async () => {
    const poor = await place({ qty: '1000000' });
    expect(await row(poor.norenordno)).toMatchObject({
      status: 'REJECTED',
      rejreason: expect.stringMatching(/^RED:Margin Shortfall:INR \d/),
    });
    const off = await place({ prc: '230.003' });
    expect(await row(off.norenordno)).toMatchObject({ status: 'REJECTED', rejreason: expect.stringContaining('tick') });
  });
  test('an ampersand is understood escaped either way, and cuts the body when bare', async () => {
    const body = (tsym: string) => `jData=${JSON.stringify({ ...who, ...resting, tsym: '@', prc: '3400' }).replace('@', tsym)}`;
    for (const tsym of ['M%26M-EQ', 'M\\u0026M-EQ']) {
      const { norenordno } = (await post('/NorenWClientAPI/PlaceOrder', body(tsym))).body;
      expect(await row(norenordno)).toMatchObject({ tsym: 'M&M-EQ', token: '2031' });
    }
    expect((await post('/NorenWClientAPI/PlaceOrder', body('M&M-EQ'))).body).toMatchObject({ emsg: 'Error Occurred : 2 "invalid input"' });
  });
});

test('names of instruments', () => {
  const named = (symbol: string) => exchange.instruments.filter((each) => each.symbol === symbol).map((each) => shoonya.named(each).symbol);
  expect(named('SBIN')).toEqual(['SBIN-EQ', 'SBIN']);
  expect(named('NIFTY26DECFUT')).toEqual(['NIFTY29DEC26F']);
  expect(named('NIFTY26DEC26000PE')).toEqual(['NIFTY29DEC26P26000']);
  expect(named('CRUDEOIL26DECFUT')).toEqual(['CRUDEOIL18DEC26']);
  expect(named('USDINR26DECFUT')).toEqual(['USDINR29DEC26F']);
});
