import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrokerId, brokerIds } from '../../contract/words.ts';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';
import { type PracticeExchange, startExchange } from '../../server/exchange/host.ts';
import { silentLog } from '../../server/log.ts';
import { marketOrder } from '../gateway/fast.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { movedClock } from '../support/moved-clock.ts';
import { everything } from '../support/proven.ts';

/** From 09:20 to 09:20. */
const DAY_MS = 86_400_000;
/** Its practice token says that it lives for years. */
const endless = 'fyers';
/** What a login may meet that says nothing of its credentials. */
const passing = ['status5xxBefore', 'lostRequest', 'garbageAfterAccept', 'rateLimited'] as const;
const SYMBOLS = ['SBIN', 'INFY', 'TCS'];
/** Those that sign in without a person, with what one of them must know. */
const byThemselves = { angelone: 'PIN', dhan: 'PIN', fivepaisa: 'PIN', groww: 'API_KEY', kotak: 'MPIN' } as const;

/** What a broker's emulator needs of the settings in live mode. */
function liveSettings(venue: PracticeExchange, id: BrokerId, wrong?: string): Record<string, string> {
  const urls = venue.urls[id];
  const addresses = { API_URL: urls?.api ?? '', LOGIN_URL: urls?.login ?? '', FEED_URL: urls?.feed ?? '' };
  const settings = Object.entries({ ...practiceCredentials(id), ...addresses, ...(wrong && { [wrong]: '999999' }) });
  return Object.fromEntries(settings.map(([name, value]) => [`${id.toUpperCase()}_${name}`, value]));
}

function orderOf(venue: PracticeExchange, id: BrokerId, symbol: string): Record<string, unknown> {
  const share = venue.exchange.instruments.find((one) => one.exchange === 'NSE' && one.symbol === symbol);
  const named = share && emulators.find((one) => one.id === id)?.named(share);
  return { ...named, transaction_type: 'BUY', order_type: 'MARKET', product_type: 'INTRADAY', exchange: 'NSE', quantity: 2 };
}

const nextTry = async (gateway: TestGateway) => (await gateway.call('GET', '/broker/overview')).body.session.next_try_at;
const kindsOf = async (gateway: TestGateway) =>
  (await gateway.call('GET', '/broker/events?kind=session.&limit=500')).body.events.map(({ kind }: { kind: string }) => kind);

describe('left alone overnight', () => {
  describe('in practice mode', () => {
    const clock = movedClock('2026-11-16T09:20:00+05:30');
    let gateway: TestGateway;
    beforeAll(async () => {
      gateway = await startGateway({ overrides: { clock } });
    });
    afterAll(() => gateway.stop());

    it.each(brokerIds)(
      '%s fills an order on each of three mornings, the last after its broker was down at night',
      async (id) => {
        const venue = gateway.context.exchange;
        if (!venue) throw new Error('no practice exchange');
        expect((await gateway.call('POST', `/broker/connect?broker=${id}`)).body).toMatchObject({ success: true });
        for (const [day, symbol] of SYMBOLS.entries()) {
          const isDown = day === SYMBOLS.length - 1 && id !== endless;
          if (isDown) venue.faults.plant({ kind: 'status5xxBefore', operation: 'any', broker: id, times: 'always' });
          clock.move(DAY_MS);
          if (isDown) {
            await expect.poll(() => nextTry(gateway), { timeout: 20_000 }).not.toBeNull();
            venue.faults.clear();
            clock.move(7000);
            await expect.poll(async () => (await gateway.call('GET', '/')).body.broker, { timeout: 20_000 }).toBe(id);
          }
          const { body, text } = await gateway.place(marketOrder({ id, gateway }, symbol));
          expect(body, text).toMatchObject({ success: true, fill_status: 'FILLED', filled_quantity: 2 });
        }
      },
      60_000,
    );
    it('and no person was asked for', async () => {
      const kinds: string[] = await kindsOf(gateway);
      expect(kinds.filter((kind) => kind === 'session.lost')).toHaveLength((brokerIds.length - 1) * SYMBOLS.length);
      expect(kinds).not.toContain('session.login_needed');
    });
  });

  describe('in live mode', () => {
    const clock = movedClock('2026-11-16T09:20:00+05:30');
    let venue: PracticeExchange;
    beforeAll(async () => {
      venue = await startExchange({ ports: 'free', seed: 5, limits: false, clock, log: silentLog() });
    });
    afterAll(() => venue.close());

    async function start(ids: readonly BrokerId[], wrong: Partial<Record<BrokerId, string>> = {}, logTo?: (line: string) => void) {
      const settings = ids.map((id) => liveSettings(venue, id, wrong[id]));
      const env = { GATEWAY_MODE: 'live', PRACTICE_LIMITS: 'on', BROKERS: ids.join(), ...Object.assign({}, ...settings) };
      return await startGateway({ env, overrides: { clock }, ...(logTo && { logTo }) });
    }
    const ids = Object.keys(byThemselves) as (keyof typeof byThemselves)[];

    it.each(ids.filter((id) => everything || id === 'dhan' || id === 'kotak'))(
      '%s fills an order after its login has ended, by the day and by the broker',
      async (id) => {
        const gateway = await start([id]);
        for (const symbol of SYMBOLS.slice(0, 2)) {
          clock.move(DAY_MS);
          const { body, text } = await gateway.place(orderOf(venue, id, symbol));
          expect(body, text).toMatchObject({ fill_status: 'FILLED' });
        }
        clock.move(600_000);
        venue.faults.plant({ kind: 'sessionExpired', operation: 'funds', broker: id });
        expect((await gateway.call('GET', '/broker/funds')).body.success).toBe(false);
        const { body, text } = await gateway.place(orderOf(venue, id, 'TCS'));
        expect(body, text).toMatchObject({ fill_status: 'FILLED' });
        expect(await kindsOf(gateway)).not.toContain('session.login_needed');
        await gateway.stop();
      },
      60_000,
    );
    it('credentials that are refused are tried once, at each of the five', async () => {
      const calls: string[] = [];
      const gateway = await start(ids, byThemselves, (line) => line.includes('"broker call"') && calls.push(line));
      const { session } = (await gateway.call('GET', '/broker/overview')).body;
      expect(session).toMatchObject({ active: false, next_try_at: null });
      for (const id of ids) expect(session.message).toContain(`${id.toUpperCase()}_`);
      // Kotak's second step is the one that asks for the MPIN.
      expect(calls).toHaveLength(ids.length + 1);
      clock.move(3_600_000);
      expect(await nextTry(gateway)).toBeNull();
      expect(calls).toHaveLength(ids.length + 1);
      await gateway.stop();
    });
    it.each(everything ? passing : passing.slice(0, 2))(
      'a login that meets %s is tried again, at each of the five',
      async (kind) => {
        const planted = ids.map((broker) => venue.faults.plant({ kind, operation: 'login', broker, times: 'always' }));
        const lines: string[] = [];
        const gateway = await start(ids, {}, (line) => line.includes('Auto-connect failed') && lines.push(line));
        expect(lines.map((line) => [JSON.parse(line).broker, JSON.parse(line).cause])).toEqual(ids.map((id) => [id, 'broker']));
        expect(planted.map(({ struck }) => struck)).toEqual(ids.map(() => 1));
        venue.faults.clear();
        clock.move(150_000);
        await expect.poll(async () => (await gateway.call('GET', '/')).body.broker, { timeout: 20_000 }).toBe(ids[0]);
        await gateway.stop();
      },
      60_000,
    );
  });
});
