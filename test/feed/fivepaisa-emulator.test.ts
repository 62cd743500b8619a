import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmulatorSocket, emulatorOf, openSocket, patience } from './emulator-socket.ts';

let emulator: Awaited<ReturnType<typeof emulatorOf>>;
beforeAll(async () => {
  emulator = await emulatorOf('fivepaisa');
});
afterAll(() => emulator.close());

const orders = { Method: 'OrderTradeConfirmations', Operation: 'Subscribe', ClientCode: '50000000' };
const prices = (Operation: string, ...codes: number[]) => ({
  Method: 'MarketFeedV3',
  Operation,
  ClientCode: '50000000',
  MarketFeedData: codes.map((ScripCode) => ({ Exch: 'N', ExchType: 'C', ScripCode })),
});

async function open(): Promise<EmulatorSocket> {
  return openSocket((await emulator.channels[0]?.open())?.url ?? '');
}

test('a wrong token gets no socket, and so does another client', async () => {
  const { url = '' } = (await emulator.channels[0]?.open()) ?? {};
  for (const bad of [url.replace(/=.*\|/, '=wrong|'), url.replace('50000000', '50000001')])
    expect(await (await openSocket(bad)).ended).toMatchObject({ status: 401 });
});

test('a newer connection ends the one before', async () => {
  const [first, second] = [await open(), await open()];
  expect((await first.ended).code).toBe(1000);
  expect(second.socket.readyState).toBe(second.socket.OPEN);
  second.close();
});

test('prices come in lists while they are subscribed', async () => {
  const socket = await open();
  const { exchange } = emulator.host;
  exchange.setPrice('NSE', 'ITC', '404.15');
  exchange.setPrice('NSE', 'SBIN', '812');
  socket.send(prices('Subscribe', 1660, 3045));
  const rows = () => socket.frames.flatMap((frame) => JSON.parse(String(frame)));
  await expect.poll(() => rows().length, patience).toBe(2);
  const row = rows().find(({ Token }) => Token === 1660);
  expect(row).toMatchObject({ Exch: 'N', ExchType: 'C', LastRate: 404.15, Time: expect.any(Number) });
  expect(Number(/^\/Date\((\d+)\+0530\)\/$/.exec(row.TickDt)?.[1])).toBeGreaterThan(Date.now() - 60_000);
  socket.send(prices('Unsubscribe', 3045));
  await socket.settled();
  socket.frames.length = 0;
  exchange.setPrice('NSE', 'ITC', '405');
  exchange.setPrice('NSE', 'SBIN', '900');
  await expect.poll(() => rows().map(({ Token }) => Token), patience).toEqual([1660]);
  socket.close();
});

test('orders are told of once they are asked for: placed, changed, triggered, traded, cancelled, refused', async () => {
  const socket = await open();
  const { exchange } = emulator.host;
  const account = exchange.account('fivepaisa');
  exchange.setPrice('NSE', 'ITC', '404');
  const order = {
    exchange: 'NSE',
    symbol: 'ITC',
    side: 'BUY',
    orderType: 'LIMIT',
    product: 'INTRADAY',
    quantity: 1,
    price: '400',
  } as const;
  expect(account.place(order).ok).toBe(true);
  socket.send(orders);
  await socket.settled();
  const resting = account.place({ ...order, tag: 'k3v9c0m2p7q1x8za' });
  if (!resting.ok) throw new Error(resting.refusal.code);
  account.modify(resting.order.orderId, { price: '401' });
  account.cancel(resting.order.orderId);
  exchange.account('fivepaisa', { rejectByRisk: true }).place(order);
  account.place({ ...order, orderType: 'SL', triggerPrice: '406', price: '410' });
  exchange.setPrice('NSE', 'ITC', '407');
  const told = () => socket.frames.map((frame) => JSON.parse(String(frame)));
  await expect
    .poll(() =>
      told()
        .map(({ ReqType }) => ReqType)
        .join(''),
    )
    .toBe('PMCPPST');
  expect(told()[0]).toMatchObject({
    Status: 'Placed',
    RemoteOrderId: 'k3v9c0m2p7q1x8za',
    Price: 400,
    ReqStatus: 0,
    BrokerOrderID: expect.any(Number),
  });
  expect(told()[3]).toMatchObject({ Status: 'Rejected By 5P', ReqStatus: 1, PendingQty: 0 });
  expect(told()[5]).toMatchObject({ Status: 'SL Triggered', SLTriggerRate: 406 });
  expect(told()[6]).toMatchObject({ Status: 'Fully Executed', TotalTradedQty: 1, PendingQty: 0, Qty: 1 });
  expect(told()[6]).not.toHaveProperty('BrokerOrderID');
  socket.close();
});
