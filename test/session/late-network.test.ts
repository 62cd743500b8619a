import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { practiceCredentials } from '../../server/exchange/emulators.ts';
import { startExchange } from '../../server/exchange/host.ts';
import { firstScreen } from '../../server/first-screen.ts';
import { silentLog } from '../../server/log.ts';
import { sbin, startGateway } from '../support/gateway.ts';
import { movedClock } from '../support/moved-clock.ts';

/** A way to a port that nobody can go before it is opened. */
async function shutWay(to: string) {
  const { port: target } = new URL(to);
  const server = createServer((socket) => {
    const other = connect(Number(target), '127.0.0.1');
    for (const [one, next] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.on('error', () => next.destroy()).on('close', () => next.destroy());
      one.pipe(next);
    }
    server.once('close', () => socket.destroy());
  });
  async function open(port = 0): Promise<number> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }
  const free = await open();
  server.close();
  await once(server, 'close');
  const url = new URL(to);
  url.port = String(free);
  return { url: url.href, open: () => open(free), close: () => server.close() };
}

it('a gateway that starts before its network connects by itself once the network is there', async () => {
  const clock = movedClock('2026-11-20T08:50:00+05:30');
  const venue = await startExchange({ ports: 'free', seed: 5, limits: false, clock, log: silentLog() });
  const urls = venue.urls.zerodha;
  const way = await shutWay(urls?.api ?? '');
  const credentials = Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value]);
  const gateway = await startGateway({
    env: {
      ...{ GATEWAY_MODE: 'live', PRACTICE_LIMITS: 'on', BROKERS: 'zerodha', ...Object.fromEntries(credentials) },
      ...{ ZERODHA_API_URL: way.url, ZERODHA_LOGIN_URL: urls?.login ?? '', ZERODHA_FEED_URL: urls?.feed ?? '' },
    },
    overrides: { clock },
  });
  const session = async () => (await gateway.call('GET', '/broker/overview')).body.session;
  try {
    expect((await gateway.call('GET', '/')).body).toMatchObject({ status: 'ready', broker: null });
    expect(firstScreen(gateway.config, gateway.context, 5000)).toMatch(
      /zerodha: No connection to 127\.0\.0\.1:\d+ \(ECONNREFUSED\)\n {2}tried again by itself at 2026-11-20 08:50:0\d IST/,
    );
    expect(await session()).toMatchObject({ active: false, next_try_at: expect.stringContaining('2026-11-20T03:20:0') });
    expect((await gateway.place(sbin)).body).toMatchObject({ success: false, message: 'Broker Not Connected' });
    // An hour later it is still tried.
    for (let tries = 0; tries < 12; tries += 1) {
      clock.move(360_000);
      await expect.poll(async () => (await session()).next_try_at, { timeout: 20_000 }).not.toBeNull();
    }
    await way.open();
    clock.move(360_000);
    await expect.poll(async () => (await session()).active, { timeout: 20_000 }).toBe(true);
    expect((await gateway.place({ ...sbin, symbol: 'INFY', token: '408065' })).body).toMatchObject({ fill_status: 'FILLED' });
  } finally {
    way.close();
    await gateway.stop();
    await venue.close();
  }
}, 60_000);
