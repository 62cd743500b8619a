import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
const lines: string[] = [];
beforeAll(async () => {
  gateway = await startGateway({ connect: false, env: { LOG_LEVEL: 'trace' }, logTo: (line) => lines.push(line) });
});
afterAll(() => gateway.stop());

const as = (token: string) => ({ Authorization: `Bearer ${token}` });
const add = async (name: string) => (await gateway.call('POST', '/broker/users', { name })).body;
const revoke = (name: string, more: object = {}, headers = {}) => gateway.call('POST', '/broker/users/revoke', { name, ...more }, headers);

test('a token works once it is made, and dies with its stream once it is revoked', async () => {
  const { token } = await add('desk');
  expect((await gateway.call('GET', '/broker/users', undefined, as(token))).body.users).toMatchObject([
    { name: 'desk', revoked_at: null, you: true },
    { name: 'owner', revoked_at: null, you: false },
  ]);
  const stream = await fetch(`${gateway.url}/broker/stream`, { headers: as(token) });
  const told = stream.text();
  expect((await revoke('desk')).body).toMatchObject({ success: true });
  const began = performance.now();
  expect((await gateway.call('GET', '/broker/users', undefined, as(token))).status).toBe(401);
  expect(await told).toContain('stream.revoked');
  expect(performance.now() - began).toBeLessThan(5000);
});

test('refuses the last user, the own one without confirm, and names nobody can have', async () => {
  expect((await revoke('owner')).body.message).toContain('last user');
  const { token } = await add('desk');
  expect((await revoke('owner')).body.message).toContain('is you');
  expect((await revoke('nobody-there')).body).toMatchObject({ success: false });
  expect(await add('desk')).toMatchObject({ success: false });
  expect(await add('owner')).toMatchObject({ success: false });
  expect(await add('Two Words')).toMatchObject({ success: false });
  // Of two who revoke each other at once one stays.
  const [first, second] = await Promise.all([revoke('owner', {}, as(token)), revoke('desk')]);
  expect([first.body.success, second.body.success].filter(Boolean)).toHaveLength(1);
  const alive = first.body.success ? token : gateway.token;
  const back = await gateway.call('POST', '/broker/users', { name: 'third' }, as(alive));
  expect((await revoke(first.body.success ? 'desk' : 'owner', { confirm: true }, as(alive))).body.success).toBe(true);
  expect((await gateway.call('GET', '/broker/users', undefined, as(back.body.token))).status).toBe(200);
  const events = (await gateway.call('GET', '/broker/events', undefined, as(back.body.token))).text;
  expect(events).toContain('"user.revoked"');
  const kept = JSON.stringify(await gateway.context.sql`select * from users`) + events + lines.join('');
  for (const secret of [token, back.body.token, gateway.token]) expect(kept).not.toContain(secret);
});
