import { expect, it } from 'vitest';
import type { Clock } from '../../server/clock.ts';
import { firstScreen } from '../../server/first-screen.ts';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { scaledClock } from '../support/scaled-clock.ts';

const FACTOR = 8;

/** Fast time that begins at a moment in India. */
function clockFrom(start: string): Clock {
  const scaled = scaledClock(FACTOR);
  const ahead = Date.parse(start) - scaled.now();
  return { ...scaled, now: () => scaled.now() + ahead };
}

const screenOf = ({ config, context }: TestGateway) => firstScreen(config, context, 5000);
const requestsOf = ({ context }: TestGateway) => context.exchange?.exchange.ledger().requests.length ?? 0;

it('an order UNKNOWN at 15:29 is next morning neither absent nor sent again, and a person is told on every first screen', async () => {
  const lines: string[] = [];
  const evening = await startGateway({ overrides: { clock: clockFrom('2026-11-19T15:29:00+05:30') } });
  const { databaseUrl, dataDir } = evening;
  // One never arrived; the other lives at the venue and did not show before the day was over.
  const lost = { ...sbin, symbol: 'INFY', idempotency_key: 'lost' };
  const hidden = { ...sbin, symbol: 'TCS', idempotency_key: 'hidden' };
  const { faults } = evening.context.exchange ?? {};
  faults?.plant({ kind: 'lostRequest', operation: 'place' });
  const first = [(await evening.place(lost)).body];
  faults?.plant({ kind: 'resetAfterAccept', operation: 'place' });
  faults?.plant({ kind: 'lateVisibility', operation: 'place', visibleAfterMs: 20 * 3_600_000 });
  first.push((await evening.place(hidden)).body);
  for (const body of first) expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
  expect(screenOf(evening)).toContain('Unresolved   2 order(s)');
  const sent = requestsOf(evening);
  expect(sent).toBe(2);
  await evening.halt();

  const from = { databaseUrl, dataDir };
  const morning = await startGateway({
    from,
    overrides: { clock: clockFrom('2026-11-20T08:55:00+05:30') },
    logTo: (line) => lines.push(line),
  });
  await expect.poll(() => lines.filter((line) => line.includes('look it up at the broker')).length, { timeout: 20_000 }).toBe(2);
  const told = screenOf(morning);
  expect(told).toContain('Unresolved   2 order(s)');
  expect(told).toMatch(/2026-11-19 BUY 10 INFY, tag \w{16}, key k:lost/);
  expect(told).toMatch(/2026-11-19 BUY 10 TCS, tag \w{16}, key k:hidden/);
  for (const order of [lost, hidden]) {
    const { body, headers } = await morning.place(order);
    expect(body).toMatchObject({ success: false, fill_status: 'UNKNOWN' });
    expect(headers.get('Idempotency-Replayed')).toBe('true');
  }
  expect(requestsOf(morning)).toBe(sent);
  await morning.halt();

  // A second restart must not make it forgotten.
  const later = await startGateway({ from, overrides: { clock: clockFrom('2026-11-20T09:10:00+05:30') } });
  expect(screenOf(later)).toContain('Unresolved   2 order(s)');
  expect((await later.place(lost)).body.fill_status).toBe('UNKNOWN');
  expect(requestsOf(later)).toBe(sent);
  await later.halt();
  await evening.stop();
}, 120_000);
