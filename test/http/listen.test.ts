import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { ConfigError } from '../../server/config/config.ts';
import { listen } from '../../server/http/listen.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
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

it('lets requests in flight finish, closes idle connections at once and takes no new ones', async () => {
  const { port, close } = await listen(async (req, res) => {
    await sleep(req.url === '/slow' ? 150 : 0);
    res.end('done');
  }, local);
  const url = `http://127.0.0.1:${port}`;
  await (await fetch(`${url}/quick`)).text();
  const slow = fetch(`${url}/slow`);
  await sleep(50);
  const start = performance.now();
  const closing = close();
  await expect(fetch(`${url}/late`)).rejects.toThrow();
  expect(await (await slow).text()).toBe('done');
  await closing;
  expect(performance.now() - start).toBeLessThan(700);
});

it('ends what is still in flight after a second', async () => {
  const { port, close } = await listen(() => undefined, local);
  const stuck = connect(port, '127.0.0.1');
  stuck.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await sleep(50);
  const start = performance.now();
  await close();
  const took = performance.now() - start;
  expect(took).toBeGreaterThan(900);
  expect(took).toBeLessThan(2000);
});
