import postgres from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sbin, startGateway, type TestGateway } from '../support/gateway.ts';
import { adminOptions } from '../support/global-setup.ts';
import { scaledClock } from '../support/scaled-clock.ts';
import { botToken, type Receiver, secret, startReceiver, until } from './receiver.ts';

/** Alerts wait for half minutes and minutes. */
const FASTER = 16;

let receiver: Receiver;
let gateway: TestGateway;
let sql: postgres.Sql;
const lines: string[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startGateway({
    env: { ...receiver.env, ALERT_ALL_WELL_AT: '00:00', ALERT_DAILY_LOSS: '500' },
    logTo: (line) => lines.push(line),
    overrides: { clock: scaledClock(FASTER) },
  });
  sql = postgres(adminOptions(gateway.databaseUrl));
});
afterAll(async () => {
  await sql.end();
  await gateway.stop();
  await receiver.close();
});

function venue() {
  const { exchange } = gateway.context;
  if (!exchange) throw new Error('no practice exchange');
  return exchange;
}
const told = (kind: string, state: string, ms = 30_000) => until(() => receiver.of(kind, state).length > 0, ms);

/** What a user is told of alerts. */
const overview = async () => (await gateway.call('GET', '/broker/alerts')).body;

// Each kind is told once, signed, with what to do. What lasts goes on while others are told: its end stands further down.
it('the line of the day', async () => {
  expect(await told('all_well', 'happened')).toBe(true);
  expect(receiver.of('all_well')[0]?.message).toMatch(/^All is well; zerodha connected; 0 orders; 0 fills; profit /);
});

it('the kill switch, by whom', async () => {
  await gateway.call('POST', '/broker/kill-switch', { on: true });
  expect(await told('kill_switch', 'happened')).toBe(true);
  expect(receiver.of('kill_switch')[0]).toMatchObject({ mode: 'practice', count: 1, message: 'ON: new entries are refused, by owner' });
  await gateway.call('POST', '/broker/kill-switch', { on: false });
  await gateway.call('POST', '/broker/kill-switch', { on: true });
  await gateway.call('POST', '/broker/kill-switch', { on: false });
}, 40_000);

it('an order rejected after the broker had taken it, with the reason', async () => {
  venue().faults.plant({ kind: 'rejectByRisk', operation: 'place' });
  expect((await gateway.place({ ...sbin, symbol: 'TCS' })).body.fill_status).toBe('REJECTED');
  expect(await told('order_rejected', 'happened')).toBe(true);
  expect(receiver.of('order_rejected')[0]?.message).toMatch(/^zerodha TCS order \d+: .*RMS/i);
  // The order book, followed before the answer was written, tells the same.
  await sql`insert into tsm_events (kind, broker, account, symbol, order_id, detail)
    select 'order.followed', broker, account, symbol, order_id, '{"status":"REJECTED"}' from tsm_events where kind = 'order.done' and symbol = 'TCS'`;
}, 40_000);

it('an order nobody knows the fate of', async () => {
  venue().faults.plant({ kind: 'lostRequest', operation: 'place' });
  expect((await gateway.place({ ...sbin, symbol: 'WIPRO' })).body.fill_status).toBe('UNKNOWN');
  expect(await told('order_unknown', 'began')).toBe(true);
  expect((await overview()).standing).toMatchObject([{ kind: 'order_unknown', message: expect.stringContaining('BUY 10 WIPRO') }]);
}, 100_000);

it('a position that is not as our records have it', async () => {
  expect((await gateway.place({ ...sbin, symbol: 'INFY', token: '408065', quantity: 3 })).body.fill_status).toBe('FILLED');
  // Once the broker's own trade stands in the records nothing but a reconciliation writes the position.
  const confirmed = () => sql`select 1 from trade_history where symbol = 'INFY' and not derived`;
  expect(await until(async () => (await confirmed()).length === 1, 30_000)).toBe(true);
  // Somebody edits our records.
  await sql`with old as (update position_details set touched_at = now() - interval '1 minute') update tsm_positions set qty = 9 where symbol = 'INFY'`;
  await gateway.call('POST', '/broker/connect?broker=zerodha');
  expect(await told('reconciliation', 'happened', 60_000)).toBe(true);
  const message = 'zerodha NSE:INFY INTRADAY: believed 9, the broker holds 3; corrected in our records';
  expect(receiver.of('reconciliation')).toMatchObject([{ message }]);
}, 100_000);

it('a feed that is silent in market hours, and its end', async () => {
  venue().faults.plant({ kind: 'streamSilence', times: 'always' });
  expect(await told('feed_silent', 'began', 60_000)).toBe(true);
  venue().faults.clear();
  expect(await told('feed_silent', 'over', 60_000)).toBe(true);
}, 130_000);

it('the end of the order nobody knew the fate of, and the next turns of the kill switch gathered', async () => {
  expect(await told('order_unknown', 'over', 60_000)).toBe(true);
  expect((await overview()).standing).toEqual([]);
  expect(await until(() => receiver.of('kill_switch').length === 2)).toBe(true);
  expect(receiver.of('kill_switch')[1]).toMatchObject({ count: 3, message: expect.stringMatching(/^off.*\nON.*\noff/) });
}, 80_000);

it('not a session that comes back at once', async () => {
  venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
  await gateway.call('GET', '/broker/funds');
  const connected = () =>
    sql`select 1 from tsm_events where kind = 'session.connected' and id > (select max(id) from tsm_events where kind = 'session.lost')`;
  expect(await until(async () => (await connected()).length === 1)).toBe(true);
});

it('a lost session that does not, the login that is missed, and the end of both without a person', async () => {
  venue().faults.plant({ kind: 'status5xxBefore', operation: 'profile', times: 'always' });
  venue().faults.plant({ kind: 'sessionExpired', operation: 'funds' });
  await gateway.call('GET', '/broker/funds');
  expect(await told('session_lost', 'began')).toBe(true);
  expect(receiver.of('session_lost')).toHaveLength(1);
  expect(await told('login_needed', 'began')).toBe(true);
  expect(receiver.of('login_needed')[0]?.message).toMatch(/^No broker is connected \(zerodha\)/);
  venue().faults.clear();
  expect(await told('session_lost', 'over', 60_000)).toBe(true);
  expect(await told('login_needed', 'over')).toBe(true);
}, 130_000);

it('a loss of the day over the limit, and nothing is done about it', async () => {
  venue().exchange.setPrice('NSE', 'RELIANCE', '1400');
  expect((await gateway.place({ ...sbin, symbol: 'RELIANCE', token: '738561', quantity: 100 })).body.fill_status).toBe('FILLED');
  venue().exchange.setPrice('NSE', 'RELIANCE', '1380');
  expect(await told('daily_loss', 'began')).toBe(true);
  expect(receiver.of('daily_loss')[0]?.message).toMatch(/^The day stands at -\d+\.\d\d rupees; the limit is 500$/);
}, 60_000);

it('a test, past the queue, with the result of each channel', async () => {
  const { body } = await gateway.call('POST', '/broker/alerts/test');
  const channels = [
    { channel: 'webhook', delivered: true, message: null },
    { channel: 'telegram', delivered: true, message: null },
  ];
  expect(body).toMatchObject({ success: true, channels });
  expect(receiver.of('test')).toHaveLength(1);
});

it('and all of that once, on both channels, with signatures that fit', async () => {
  expect(await until(() => receiver.texts.length === receiver.taken.length)).toBe(true);
  const counts = Map.groupBy(receiver.taken, ({ kind, state }) => `${kind} ${state}`);
  const often = [...counts].filter(([name, alerts]) => alerts.length > (name === 'kill_switch happened' ? 2 : 1));
  expect(often.map(([name, alerts]) => `${alerts.length} x ${name}`)).toEqual([]);
  expect(receiver.taken).toHaveLength(receiver.alerts.length);
  expect(receiver.unsigned).toEqual([]);
  for (const { what_to_do } of receiver.alerts) expect(what_to_do).toMatch(/^[A-Z].*\.$/);
}, 40_000);

it('without a secret in an alert, an answer or the log', async () => {
  const said = JSON.stringify([receiver.alerts, receiver.texts, await overview(), lines]);
  for (const one of [secret, secret.slice(6), botToken, '-100200300', 'very-secret-path', gateway.token, 'PR0001'])
    expect(said.includes(one), one).toBe(one === 'PR0001' && lines.join().includes(one));
  expect(JSON.stringify(receiver.alerts)).not.toContain('PR0001');
});
