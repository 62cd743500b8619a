import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BrokerId } from '../../contract/words.ts';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { type EmulatorSocket, emulatorOf, openSocket, patience } from './emulator-socket.ts';

/** A shared machine may stall for seconds. */
const poll = <Value>(read: () => Value) => expect.poll(read, patience);

let here: Awaited<ReturnType<typeof emulatorOf>>;
const open: EmulatorSocket[] = [];
const start = async (id: BrokerId) => {
  here = await emulatorOf(id);
};
afterEach(async () => {
  for (const each of open.splice(0)) each.close();
  await here.close();
});

async function socketTo(url = '', ...first: object[]): Promise<EmulatorSocket> {
  const socket = await openSocket(url);
  open.push(socket);
  for (const frame of first) socket.send(frame);
  return socket;
}

const Frames = z.array(z.record(z.string(), z.unknown()));
/** The frames of some kinds so far, parsed. */
function heard({ frames }: EmulatorSocket, ...kinds: string[]) {
  return Frames.parse(frames.map((frame) => JSON.parse(String(frame)))).filter(({ t }) => kinds.length === 0 || kinds.includes(String(t)));
}
const allText = (row: object | undefined) => Object.values(row ?? {}).every((value) => typeof value === 'string');

/** A LIMIT order far away, cancelled by nobody, and one that fills. */
function trade(id: BrokerId, price: string, side: 'BUY' | 'SELL' = 'BUY') {
  const order = { exchange: 'NSE', symbol: 'WIPRO', side, orderType: 'LIMIT', product: 'INTRADAY', quantity: 3, price } as const;
  const placed = here.host.exchange.placeByHand(id, order);
  if (!placed.ok) throw new Error(placed.refusal.code);
  return placed.order.orderId;
}

describe("shoonya's socket", () => {
  const signIn = { t: 'a', uid: 'PRAC01', actid: 'PRAC01', source: 'API', accesstoken: practiceCredentials('shoonya').ACCESS_TOKEN };
  const url = () => here.host.urls.shoonya?.feed;
  beforeEach(() => start('shoonya'));

  test('takes a good sign-in, in either form and on either path, and no other', async () => {
    const good = await socketTo(url(), signIn);
    await poll(() => heard(good)).toEqual([{ t: 'ak', uid: 'PRAC01', s: 'OK' }]);
    const { accesstoken, ...who } = signIn;
    const old = await socketTo(url()?.replace('NorenWSAPI', 'NorenWSTP'), { ...who, t: 'c', susertoken: accesstoken });
    await poll(() => heard(old)).toEqual([{ t: 'ck', uid: 'PRAC01', s: 'OK' }]);
    const wrong = await socketTo(url(), { ...signIn, accesstoken: 'guess' });
    await poll(() => heard(wrong)).toEqual([{ t: 'ak', uid: 'PRAC01', s: 'NOT_OK' }]);
    here.host.faults.plant({ kind: 'streamRefused', broker: 'shoonya' });
    const refused = await socketTo(url(), signIn);
    await poll(() => heard(refused)).toEqual([{ t: 'ak', uid: 'PRAC01', s: 'NOT_OK' }]);
    const stranger = await socketTo(url(), { t: 't', k: 'NSE|3787' });
    expect(await stranger.ended).toMatchObject({ code: 1005 });
  });

  test('answers a subscription whole, then tells what changes, until that is ended', async () => {
    here.host.exchange.setPrice('NSE', 'WIPRO', '244.00');
    const socket = await socketTo(url(), signIn, { t: 't', k: 'NSE|3787#NSE|999999' }, { t: 'd', k: 'NSE|2031' });
    await poll(() => heard(socket, 'tk', 'dk')).toHaveLength(2);
    const [touch, depth] = heard(socket, 'tk', 'dk');
    expect(touch).toMatchObject({ t: 'tk', e: 'NSE', tk: '3787', ts: 'WIPRO-EQ', lp: '244.00', ti: '0.01', ls: '1' });
    expect(depth).toMatchObject({ t: 'dk', ts: 'M&M-EQ', lc: expect.any(String), uc: expect.any(String) });
    expect([allText(touch), allText(depth)]).toEqual([true, true]);
    here.host.exchange.setPrice('NSE', 'WIPRO', '245.10');
    await poll(() => heard(socket, 'tf').at(-1)).toMatchObject({ e: 'NSE', tk: '3787', lp: '245.10' });
    expect(heard(socket, 'tf').at(-1)).not.toHaveProperty('ls');
    socket.send({ t: 'u', k: 'NSE|3787' });
    await poll(() => heard(socket, 'uk')).toEqual([{ t: 'uk', k: 'NSE|3787' }]);
    const before = heard(socket, 'tf').length;
    here.host.exchange.setPrice('NSE', 'WIPRO', '246.00');
    await new Promise((done) => setTimeout(done, 1500));
    expect(heard(socket, 'tf').length).toBe(before);
  });

  test('tells of orders when asked to: resting, filled, rejected and cancelled', async () => {
    const socket = await socketTo(url(), signIn);
    trade('shoonya', '230');
    socket.send({ t: 'o', actid: 'PRAC01' });
    await poll(() => heard(socket, 'ok')).toEqual([{ t: 'ok' }]);
    const told = (id: string) => heard(socket, 'om').filter(({ norenordno }) => norenordno === id);
    const filled = trade('shoonya', '260');
    await poll(() => told(filled).at(-1)).toMatchObject({
      status: 'COMPLETE',
      reporttype: 'Fill',
      fillshares: '3',
      flqty: '3',
      flid: expect.any(String),
      tsym: 'WIPRO-EQ',
    });
    const resting = trade('shoonya', '230');
    await poll(() => told(resting).at(-1)).toMatchObject({ status: 'OPEN', reporttype: 'New' });
    here.host.exchange.account('shoonya').cancel(resting);
    await poll(() => told(resting).at(-1)).toMatchObject({ status: 'CANCELED', cancelqty: '3' });
    expect(heard(socket, 'om').every(allText)).toBe(true);
    const rejected = trade('shoonya', '900');
    await poll(() => told(rejected).at(-1)).toMatchObject({ status: 'REJECTED', rejreason: expect.stringMatching(/RED/) });
  });
});

describe("aliceblue's sockets", () => {
  const token = practiceCredentials('aliceblue').USER_SESSION;
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const user = '912444_API';
  const greeting = { susertoken: hash(hash(token ?? '')), t: 'c', actid: user, uid: user, source: 'API' };
  const Tokens = z.object({ result: z.tuple([z.object({ orderToken: z.string() })]) });
  beforeEach(() => start('aliceblue'));
  const api = () => here.host.urls.aliceblue?.api ?? '';
  const url = () => here.host.urls.aliceblue?.feed;

  async function call(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(api() + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return answer.json();
  }
  const session = (name: string) => call('POST', `/open-api/od/v1/profile/${name}`, { source: 'API', userId: '912444' });
  const orderToken = async () => Tokens.parse(await call('GET', '/open-api/order-notify/ws/createWsToken')).result[0].orderToken;
  const orderSocket = (signIn: object) => socketTo(`${api().replace('http', 'ws')}/open-api/order-notify/websocket`, signIn);

  test('one market data session at a time may listen', async () => {
    await session('createWsSess');
    const first = await socketTo(url(), greeting);
    await poll(() => heard(first)).toEqual([{ t: 'ck', s: 'OK' }]);
    await session('createWsSess');
    expect(await first.ended).toMatchObject({ code: 1005 });
    const second = await socketTo(url(), greeting);
    await poll(() => heard(second)).toEqual([{ t: 'ck', s: 'OK' }]);
    await session('invalidateWsSess');
    expect(await second.ended).toMatchObject({ code: 1005 });
    const third = await socketTo(url(), greeting);
    await poll(() => heard(third)).toEqual([{ t: 'ck', s: 'NOT_OK' }]);
  });

  test('prices follow a subscription, what changed alone, and an unsubscription is not answered', async () => {
    await session('createWsSess');
    here.host.exchange.setPrice('NSE', 'WIPRO', '244.00');
    const socket = await socketTo(url(), greeting, { k: 'NSE|3787', t: 't' });
    await poll(() => heard(socket, 'tk')).toHaveLength(1);
    here.host.exchange.setPrice('NSE', 'WIPRO', '245.10');
    await poll(() => heard(socket, 'tf').at(-1)).toMatchObject({ e: 'NSE', tk: '3787', lp: '245.10' });
    expect(heard(socket, 'tf').at(-1)).not.toHaveProperty('ti');
    socket.send({ k: 'NSE|3787', t: 'u' });
    socket.send({ k: '', t: 'h' });
    const before = socket.frames.length;
    here.host.exchange.setPrice('NSE', 'WIPRO', '246.00');
    await new Promise((done) => setTimeout(done, 1500));
    expect(socket.frames.length).toBe(before);
  });

  test('an order socket wants a token that works once, and tells of fills, cancellations and rejections', async () => {
    const good = await orderToken();
    const wrong = await orderSocket({ orderToken: 'guess', userId: '912444' });
    await poll(() => heard(wrong)[0]).toMatchObject({ status: 'Not_ok' });
    const socket = await orderSocket({ orderToken: good, userId: '912444' });
    await poll(() => heard(socket)).toEqual([{ status: 'Ok' }]);
    const again = await orderSocket({ orderToken: good, userId: '912444' });
    await poll(() => heard(again)[0]).toMatchObject({ status: 'Not_ok' });
    socket.send({ heartbeat: 'h', userId: '912444' });
    const told = (id: string) => heard(socket, 'om').filter(({ norenordno }) => norenordno === id);
    const filled = trade('aliceblue', '260');
    await poll(() => told(filled).at(-1)).toMatchObject({ status: 'COMPLETE', reporttype: 'Fill', flqty: '3', pcode: 'I' });
    const resting = trade('aliceblue', '230');
    await poll(() => told(resting).at(-1)?.status).toBe('OPEN');
    here.host.exchange.account('aliceblue').cancel(resting);
    await poll(() => told(resting).at(-1)?.status).toBe('CANCELED');
    const rejected = trade('aliceblue', '900');
    await poll(() => told(rejected).at(-1)).toMatchObject({ reporttype: 'Rejected', rejreason: expect.stringMatching(/ORA/) });
    expect(heard(socket, 'om').every(allText)).toBe(true);
    expect(heard(again, 'om')).toEqual([]);
  });
});
