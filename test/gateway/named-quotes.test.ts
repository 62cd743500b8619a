import { describe, expect, test } from 'vitest';
import type { BrokerId } from '../../contract/words.ts';
import { emulators } from '../../server/exchange/emulators.ts';
import { indices, instruments } from '../../server/exchange/instruments.ts';
import type { Instrument } from '../../server/exchange/types.ts';
import { practice } from '../exchange/practice.ts';
import { tablesOf } from '../instruments/parts.ts';

const brokers: readonly BrokerId[] = ['zerodha', 'dhan'];
const path = (...names: string[]) => `/broker/quotes?instruments=${encodeURIComponent(names.join(','))}`;

function one(list: readonly Instrument[], isMeant: (each: Instrument) => boolean): Instrument {
  const found = list.find(isMeant);
  if (!found) throw new Error('no such instrument');
  return found;
}
const option = one(instruments, ({ exchange, kind, underlying }) => exchange === 'NFO' && kind === 'CE' && underlying === 'NIFTY');
const share = one(instruments, ({ exchange, symbol }) => exchange === 'NSE' && symbol === 'SBIN');
const index = one(indices, ({ symbol }) => symbol === 'NIFTY');
const bankIndex = one(indices, ({ symbol }) => symbol === 'BANKNIFTY');

describe.each(brokers)('GET /broker/quotes at %s by the one name and by the broker’s own symbol, without tokens', (id) => {
  const { call, venue, gateway } = practice(id, {}, { instruments: true });
  const own = (instrument: Instrument) => emulators.find((each) => each.id === id)?.named(instrument).symbol ?? '';
  const loaded = () => expect.poll(async () => (await call('GET', '/broker/instruments')).body.success, { timeout: 60_000 }).toBe(true);

  /** The one name of an option, as the instruments say it. */
  async function canonical({ underlying, expiry, strike, kind }: Instrument): Promise<string> {
    const query = new URLSearchParams({ underlying, expiry: expiry ?? '', kind, strike_from: strike ?? '', strike_to: strike ?? '' });
    const { body } = await call('GET', `/broker/instruments?${query}`);
    expect(body.instruments).toHaveLength(1);
    return body.instruments[0].instrument;
  }

  test('an option, an index and a share', { timeout: 120_000 }, async () => {
    await loaded();
    const name = await canonical(option);
    expect(name).toMatch(/^NFO:NIFTY\d{2}[A-Z]{3}\d{2}\d+CE$/);
    const { body } = await call('GET', path(name, 'NSE_INDEX:NIFTY', 'NSE:SBIN', `NSE_INDEX:${own(bankIndex)}`, `NSE:${own(share)}`));
    expect(body.missing).toBeUndefined();
    const told = (instrument: string, of: Instrument) => {
      const { open, close } = venue().exchange.quote(of);
      const bid = of.kind === 'INDEX' ? null : expect.any(Number);
      return { instrument, last_price: expect.any(Number), open: Number(open), close: Number(close), bid };
    };
    // The share was asked for by both its names and is told once.
    expect(body.quotes).toMatchObject([
      told(name, option),
      told('NSE_INDEX:NIFTY', index),
      told('NSE:SBIN', share),
      told('NSE_INDEX:BANKNIFTY', bankIndex),
    ]);
    expect(body.quotes).toHaveLength(4);
  });

  test('what the file does not list, or cannot be looked up, stands as it was given; of two with one symbol there is none', {
    timeout: 120_000,
  }, async () => {
    await loaded();
    const message = expect.stringMatching(/has no quote of NSE:NOSUCH/);
    expect((await call('GET', path('NSE:NOSUCH'))).body.missing).toEqual([{ instrument: 'NSE:NOSUCH', message }]);
    const { sql } = gateway().context;
    const { names } = await tablesOf({ $client: sql });
    const table = sql(names.at(-1) ?? '');
    await sql`update ${table} set broker_symbol = 'TWIN' where exchange = 'NSE' and symbol in ('INFY', 'TCS')`;
    const twins = { instrument: 'NSE:TWIN', message: expect.stringMatching(/several instruments TWIN: NSE:\w+, NSE:\w+/) };
    expect((await call('GET', path('NSE:TWIN', 'NSE:SBIN'))).body).toMatchObject({
      quotes: [{ instrument: 'NSE:SBIN' }],
      missing: [twins],
    });
    await sql`alter table ${table} rename to gone`;
    const answer = await call('GET', path('NSE:GONE'));
    await sql`alter table gone rename to ${table}`;
    expect(answer.body.missing).toMatchObject([{ instrument: 'NSE:GONE' }]);
  });
});
