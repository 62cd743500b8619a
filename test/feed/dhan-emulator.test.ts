import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmulatorSocket, emulatorOf, openSocket, patience } from './emulator-socket.ts';

let emulator: Awaited<ReturnType<typeof emulatorOf>>;
beforeAll(async () => {
  emulator = await emulatorOf('dhan');
});
afterAll(() => emulator.close());

async function market(change: Record<string, string> = {}): Promise<EmulatorSocket> {
  const url = new URL((await emulator.channels[0]?.open())?.url ?? '');
  for (const [name, value] of Object.entries(change)) url.searchParams.set(name, value);
  return openSocket(url.href);
}

const packets = ({ frames }: EmulatorSocket) => frames.filter((frame) => typeof frame !== 'string');
const request = (RequestCode: number, ...ids: string[]) => ({
  RequestCode,
  InstrumentCount: ids.length,
  InstrumentList: ids.map((SecurityId) => ({ ExchangeSegment: 'NSE_EQ', SecurityId })),
});

describe('the price socket', () => {
  test.each([
    [{ token: 'wrong' }, 809],
    [{ clientId: '7' }, 810],
  ])('%j is told the reason, and the socket ends', async (change, reason) => {
    const socket = await market(change);
    await socket.ended;
    const goodbye = Buffer.alloc(10);
    goodbye.writeUInt8(50, 0);
    goodbye.writeUInt16LE(10, 1);
    goodbye.writeUInt16LE(reason, 8);
    expect(socket.frames).toEqual([goodbye]);
  });

  test('packets have the code and size of their subscription, after one of the previous close', async () => {
    const socket = await market();
    for (const symbol of ['SBIN', 'INFY', 'RELIANCE']) emulator.host.exchange.setPrice('NSE', symbol, '1500');
    socket.send(request(15, '3045'));
    socket.send(request(17, '1594'));
    socket.send(request(21, '2885', '404'));
    const sizes = () => packets(socket).map((packet) => [packet[0], packet.length, Buffer.from(packet).readUInt16LE(1)]);
    await expect.poll(() => sizes().length, patience).toBe(7);
    expect(sizes().slice(0, 3)).toEqual(Array(3).fill([6, 16, 16]));
    expect(sizes().slice(3)).toEqual([
      [2, 16, 16],
      [4, 50, 50],
      [5, 12, 12],
      [8, 162, 162],
    ]);
    socket.send(request(16, '3045'));
    socket.send(request(18, '1594'));
    await socket.settled();
    socket.frames.length = 0;
    for (const symbol of ['SBIN', 'INFY', 'RELIANCE']) emulator.host.exchange.setPrice('NSE', symbol, '1500.05');
    await expect.poll(() => packets(socket).length, patience).toBe(1);
    const [full] = packets(socket);
    expect([full?.[0], full?.[3], Buffer.from(full ?? '').readInt32LE(4)]).toEqual([8, 1, 2885]);
    expect(Buffer.from(full ?? '').readFloatLE(8)).toBe(Math.fround(1500.05));
    // Five levels from 62 on, bid and ask price at 12 and 16 of each.
    const side = (at: number) => [0, 1, 2, 3, 4].map((level) => Buffer.from(full ?? '').readFloatLE(62 + level * 20 + at));
    const prices = [...side(12).reverse(), 1500.05, ...side(16)];
    // Each side moves away from the last price.
    expect(prices).toEqual([...new Set(prices)].sort((a, b) => a - b));
    socket.send({ RequestCode: 12 });
    expect((await socket.ended).code).toBe(1005);
  });

  test('the sixth connection ends the oldest', async () => {
    const sockets: EmulatorSocket[] = [];
    for (let count = 0; count < 6; count += 1) sockets.push(await market());
    await sockets[0]?.ended;
    expect(Buffer.from(sockets[0]?.frames[0] ?? '').readUInt16LE(8)).toBe(805);
    expect(sockets.slice(1).map(({ socket }) => socket.readyState)).toEqual(Array(5).fill(1));
    for (const socket of sockets) socket.close();
  });
});

describe('the order socket', () => {
  async function orders(Token?: string): Promise<EmulatorSocket> {
    const { url = '', talk } = (await emulator.channels[1]?.open()) ?? {};
    const socket = await openSocket(url);
    const [hello = ''] = talk?.hello ?? [];
    socket.send(Token === undefined ? String(hello) : String(hello).replace(/"Token":"[^"]*"/, `"Token":"${Token}"`));
    return socket;
  }

  test('a wrong login is told so and ended', async () => {
    const socket = await orders('wrong');
    await socket.ended;
    expect(JSON.parse(String(socket.frames[0]))).toMatchObject({ errorCode: 'DH-901' });
  });

  test('resting, trades, cancels and rejections are told; what is in transit is not', async () => {
    const socket = await orders();
    const { exchange } = emulator.host;
    exchange.setPrice('NSE', 'ITC', '404');
    // The login is a message: it must have arrived before the orders do.
    await socket.settled();
    const order = {
      exchange: 'NSE',
      symbol: 'ITC',
      side: 'BUY',
      orderType: 'LIMIT',
      product: 'INTRADAY',
      quantity: 1,
      price: '400',
    } as const;
    const resting = exchange.placeByHand('dhan', order);
    if (!resting.ok) throw new Error(resting.refusal.code);
    exchange.account('dhan').cancel(resting.order.orderId);
    exchange.account('dhan').place({ ...order, orderType: 'MARKET', price: '0', tag: 'k3v9c0m2p7q1x8za' });
    exchange.account('dhan', { rejectByRisk: true }).place(order);
    const told = () => socket.frames.map((frame) => JSON.parse(String(frame)).Data);
    await expect
      .poll(() => told().map(({ status }) => status), patience)
      .toEqual(['Pending', 'Cancelled', 'Pending', 'Traded', 'Rejected']);
    expect(told()[0]).toMatchObject({ orderNo: resting.order.orderId, txnType: 'B', product: 'I', orderType: 'LMT', price: 400 });
    expect(told()[3]).toMatchObject({ tradedQty: 1, remainingQuantity: 0, tradedPrice: 404.05, correlationId: 'k3v9c0m2p7q1x8za' });
    expect(told()[4].reasonDescription).toMatch(/^RMS:/);
    socket.close();
  });
});
