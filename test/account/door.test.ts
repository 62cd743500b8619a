import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Door, mayLeave } from '../../server/brokers/door.ts';
import { type CallRequest, createHttp, type Http } from '../../server/brokers/http.ts';
import { send } from '../../server/brokers/send-once.ts';
import { systemClock } from '../../server/clock.ts';
import { silentLog } from '../../server/log.ts';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const order: Omit<CallRequest, 'mutating'> = { method: 'POST', path: '/orders', form: { quantity: '1' } };
const accepted = () => ({ orderId: '1', refused: false });

/** A broker of raw sockets that keeps every byte. It answers what does not ask for the slow path. */
async function rawBroker(): Promise<{ http: Http; bytes(): string; answerSlow(): void }> {
  let text = '';
  const slow: Socket[] = [];
  const server = createServer((socket) => {
    closers.push(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      text += chunk.toString();
      if (chunk.toString().includes('/slow')) slow.push(socket);
      else socket.write(OK);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closers.push(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp({ origin, clock: systemClock, log: silentLog() });
  closers.push(() => http.close());
  const answerSlow = () => {
    for (const socket of slow.splice(0)) socket.write(OK);
  };
  return { http, bytes: () => text, answerSlow };
}

const soon = () => systemClock.sleep(50);

describe('what may not leave', () => {
  it('is not sent, to the last byte: refused from the start', async () => {
    const { http, bytes } = await rawBroker();
    const sent = await new Door().send(
      () => 'The kill switch is on',
      () => send(http, order, accepted),
    );
    expect(sent).toMatchObject({ fate: 'not_sent', message: 'The kill switch is on' });
    await soon();
    expect(bytes()).toBe('');
  });
  it('is not sent when the door shuts while its connection is being made', async () => {
    const { http, bytes } = await rawBroker();
    const door = new Door();
    const sending = door.send(
      () => null,
      () => send(http, order, accepted),
    );
    await door.shut();
    expect(await sending).toMatchObject({ fate: 'not_sent', message: 'The broker session has ended' });
    await soon();
    expect(bytes()).toBe('');
  });
  it('is not sent when its reason comes while it waits for a socket, though others are warm and busy', async () => {
    const { http, bytes, answerSlow } = await rawBroker();
    await http.call({ method: 'GET', path: '/warm', mutating: false });
    const busy = http.call({ method: 'GET', path: '/slow', mutating: false });
    let reason: string | null = null;
    const sending = new Door().send(
      () => reason,
      () => send(http, order, accepted),
    );
    reason = 'too late';
    expect(await sending).toMatchObject({ fate: 'not_sent', message: 'too late' });
    await expect.poll(bytes).toContain('/slow');
    answerSlow();
    await busy;
    expect(bytes()).not.toContain('/orders');
  });
  it('is not sent on a warm socket either, which the next call then does without', async () => {
    const { http, bytes } = await rawBroker();
    await http.call({ method: 'GET', path: '/warm', mutating: false });
    const door = new Door();
    await door.shut();
    expect(door.isShut).toBe(true);
    expect(
      await door.send(
        () => null,
        () => send(http, order, accepted),
      ),
    ).toMatchObject({ fate: 'not_sent' });
    expect(bytes()).not.toContain('/orders');
    expect(await send(http, order, accepted)).toMatchObject({ fate: 'accepted' });
  });
  it('is asked for each request of one send, and for no read within it', async () => {
    const { http, bytes } = await rawBroker();
    let asked = 0;
    const sent = await new Door().send(
      () => (++asked > 1 ? 'once is enough' : null),
      async () => {
        await http.call({ method: 'GET', path: '/quote', mutating: false });
        return [await send(http, order, accepted), await send(http, order, accepted)];
      },
    );
    expect(sent).toMatchObject([{ fate: 'accepted' }, { fate: 'not_sent', message: 'once is enough' }]);
    expect(bytes().match(/POST/g)).toHaveLength(1);
  });
});

describe('the door', () => {
  it('shut, waits for the sends that had begun, and for no longer', async () => {
    const { http, answerSlow } = await rawBroker();
    const door = new Door();
    const sending = door.send(
      () => null,
      () => send(http, { ...order, path: '/slow' }, accepted),
    );
    const failing = door.send(
      () => null,
      () => soon().then(() => Promise.reject(new Error('adapter'))),
    );
    failing.catch(() => undefined);
    await soon();
    let over = false;
    const shut = door.shut().then(() => {
      over = true;
    });
    await soon();
    expect(over).toBe(false);
    answerSlow();
    expect(await sending).toMatchObject({ fate: 'accepted' });
    await shut;
    await expect(failing).rejects.toThrow('adapter');
  });
  it('tells two sends apart, and nothing outside a send', async () => {
    const told: (string | null)[] = [];
    const ask = async () => {
      await soon();
      told.push(mayLeave());
    };
    await Promise.all([new Door().send(() => 'one', ask), new Door().send(() => null, ask), ask()]);
    expect(told.sort()).toEqual(['one', null, null].sort());
  });
});
