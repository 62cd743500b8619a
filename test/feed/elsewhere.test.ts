import { expect, test } from 'vitest';
import { systemClock } from '../../server/clock.ts';
import { practiceCredentials } from '../../server/exchange/host.ts';
import { startPractice } from '../exchange/started.ts';
import { startGateway } from '../support/gateway.ts';

test.each(['practice', 'live'])('%s: an API at another address is never fed from the broker itself', async (mode) => {
  const here = await startPractice();
  const credentials = Object.entries(practiceCredentials('zerodha')).map(([name, value]) => [`ZERODHA_${name}`, value]);
  const lines: string[] = [];
  const env = { ...Object.fromEntries(credentials), GATEWAY_MODE: mode, BROKERS: 'zerodha', ZERODHA_API_URL: here.api };
  const limits = mode === 'live' ? { PRACTICE_LIMITS: 'on' } : {};
  const gateway = await startGateway({ env: { ...env, ...limits }, logTo: (line) => lines.push(line) });
  try {
    expect(gateway.context.status().broker).toBe('zerodha');
    await systemClock.sleep(500);
    expect(gateway.context.feed.live()).toEqual([]);
    expect(lines.filter((line) => /feed/i.test(line))).toEqual([]);
  } finally {
    await gateway.stop();
    await here.close();
  }
});
