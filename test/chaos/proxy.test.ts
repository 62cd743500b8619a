import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, type Wire } from './proxy.ts';

let server: Server;
let wire: Wire;
const arrived: string[] = [];
const body = 'x'.repeat(5000);

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = '';
    try {
      for await (const chunk of request) text += chunk;
    } catch {
      return;
    }
    arrived.push(`${request.method} ${request.url} ${text.length}`);
    response.end(`${text} at ${request.socket.localAddress}:${request.socket.localPort}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  wire = await startProxy((server.address() as AddressInfo).port);
});
afterAll(async () => {
  await wire.close();
  server.closeAllConnections();
  server.close();
});

async function send(path: string): Promise<string | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${wire.port}${path}`, { method: 'POST', body, signal: AbortSignal.timeout(3000) });
    return await answer.text();
  } catch {
    return null;
  }
}

describe('the proxy of chaos', () => {
  it('carries everything while it is calm, and names itself where the other side names itself', async () => {
    expect(await send('/calm')).toBe(`${body} at 127.0.0.1:${wire.port}`);
  });

  it('brings every trouble, and is faithful again afterwards', async () => {
    wire.trouble(7);
    const answers = await Promise.all(Array.from({ length: 80 }, () => send('/trouble')));
    wire.calm();
    expect(Math.min(...Object.values(wire.counts)), JSON.stringify(wire.counts)).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer !== null).length).toBeGreaterThan(0);
    expect(answers.filter((answer) => answer === null).length).toBeGreaterThan(0);
    expect(await send('/after')).not.toBeNull();
  });

  it('holds a placing request whole before the exchange, and loses it when told to', async () => {
    let seen = 0;
    wire.watch({
      places: (line) => line.startsWith('POST /place '),
      written: async () => {
        seen = arrived.filter((one) => one.startsWith('POST /place')).length;
        return false;
      },
    });
    expect(await send('/other')).not.toBeNull();
    expect(await send('/place')).toBeNull();
    wire.watch(null);
    expect(seen).toBe(0);
    expect(arrived.filter((one) => one.startsWith('POST /place'))).toEqual([]);
  });

  it('lets the frames of a feed pass while requests are watched', async () => {
    const frames: string[] = [];
    server.once('upgrade', (_request, socket) => {
      socket.on('data', (frame) => frames.push(String(frame)));
      socket.on('error', () => undefined);
    });
    wire.watch({ places: () => false });
    const feed = connect(wire.port, '127.0.0.1');
    feed.write('GET /feed HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    feed.write('frame');
    await expect.poll(() => frames).toEqual(['frame']);
    wire.watch(null);
    feed.destroy();
  });

  it('tells when an answer is there and nothing of it was read', async () => {
    let answeredAt = 0;
    wire.watch({
      places: (line) => line.startsWith('POST /answered '),
      answered: async () => {
        answeredAt = arrived.filter((one) => one.startsWith('POST /answered')).length;
      },
    });
    expect(await send('/answered')).not.toBeNull();
    wire.watch(null);
    expect(answeredAt).toBe(1);
  });
});
