import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ConfigError } from '../../server/config/config.ts';
import { listen, refuseTaken } from '../../server/http/listen.ts';

const local = { host: '127.0.0.1', port: 0 };

it('names the setting when it cannot listen', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const app = () => undefined;
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toThrow(
    new ConfigError(`PORT: ${port} is already in use on 127.0.0.1; stop what uses it or set PORT to another one`),
  );
  await expect(listen(app, { host: '192.0.2.1', port: 0 })).rejects.toThrow(/^HOST: 192.0.2.1 is not an address of this machine$/);
  taken.close();
});

/** What the kernel says to `::` where IPv6 is off, which cannot be turned off for a test alone. */
function withoutIpv6(code: string): void {
  const { listen: real } = Server.prototype;
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, options: unknown) {
    if ((options as { host: string }).host !== '::') return real.call(this, options as object);
    setImmediate(() => this.emit('error', Object.assign(new Error(`listen ${code}: ::`), { code })));
    return this;
  });
  onTestFinished(() => spy.mockRestore());
}

it.each(['EAFNOSUPPORT', 'EADDRNOTAVAIL'])('listens over IPv4 alone where there is no IPv6 (%s)', async (code) => {
  withoutIpv6(code);
  await refuseTaken({ host: '::', port: 0 });
  const { port, close } = await listen((_, res) => res.end('done'), { host: '::', port: 0 });
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('done');
  await close();
  // Another address was meant: none is put in its place.
  await expect(listen(() => undefined, { host: '192.0.2.1', port: 0 })).rejects.toThrow(/^HOST: 192.0.2.1 is not an address/);
});

it('listens over IPv4 and IPv6 unless told otherwise', async () => {
  const { port, close } = await listen((_, res) => res.end('done'), { host: '::', port: 0 });
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const hosts = own.some(({ address }) => address === '::1') ? ['127.0.0.1', '[::1]'] : ['127.0.0.1'];
  for (const host of hosts) expect(await (await fetch(`http://${host}:${port}/`)).text()).toBe('done');
  await close();
});

it('lets requests in flight finish, closes idle connections at once and takes no new ones', async () => {
  async function closed(): Promise<number> {
    const [arrived, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { port, close } = await listen(async (req, res) => {
      if (req.url === '/slow') arrived.resolve();
      if (req.url === '/slow') await finish.promise;
      res.end('done');
    }, local);
    const url = `http://127.0.0.1:${port}`;
    await (await fetch(`${url}/quick`)).text();
    const slow = fetch(`${url}/slow`);
    await arrived.promise;
    const start = performance.now();
    const closing = close();
    await expect(fetch(`${url}/late`)).rejects.toThrow();
    finish.resolve();
    expect(await (await slow).text()).toBe('done');
    await closing;
    return performance.now() - start;
  }
  // A busy machine adds to it, but not each time.
  await expect.poll(closed).toBeLessThan(700);
});

it('ends what is still in flight after a second', async () => {
  async function closed(): Promise<number> {
    const arrived = Promise.withResolvers<void>();
    const { port, close } = await listen(() => arrived.resolve(), local);
    const stuck = connect(port, '127.0.0.1');
    stuck.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await arrived.promise;
    const start = performance.now();
    await close();
    const took = performance.now() - start;
    expect(took).toBeGreaterThan(900);
    return took;
  }
  await expect.poll(closed).toBeLessThan(2000);
});
