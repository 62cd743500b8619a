import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';

it('callers that reset their connection in a refused handshake do not end the exchange', async () => {
  const venue = await startExchange({ ports: 'free', seed: 1, limits: false, clock: systemClock, log: silentLog() });
  const url = new URL(venue.urls.upstox?.api ?? '');
  const handshake = `GET /nowhere HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  for (let round = 0; round < 60; round += 1) {
    const socket = connect(Number(url.port), url.hostname).on('error', () => undefined);
    socket.write(handshake);
    await pause(round % 6);
    socket.resetAndDestroy();
  }
  await pause(100);
  const answer = await fetch(new URL('/nowhere', url));
  expect(answer.status).toBeGreaterThanOrEqual(400);
  await venue.close();
});
