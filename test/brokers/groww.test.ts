import { createHash } from 'node:crypto';
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { conformance, TAG } from './conformance.ts';
import { growwStub } from './groww.stub.ts';
import { body, credentials, error, ok, order, suite } from './groww.suite.ts';
import type { LoginFacts } from './login-cases.ts';

/** Groww's logins, made of API key and time code. */
const logins: LoginFacts = {
  values: (token) => ({ access_token: token }),
  trial: {
    route: 'GET /v1/user/detail',
    good: { body: body('profile') },
    tokenOf: ({ headers }) => headers.authorization?.replace('Bearer ', ''),
  },
  fresh: 'fresh-token-6a7b',
  refused: { 'a dead token': error('older') },
  down: error('unable'),
  makers: ['POST /v1/token/api/access'],
};

describe('groww, as every broker', () => conformance(suite, logins));

describe('the session at groww', () => {
  const here = growwStub();
  const session = (change: Record<string, unknown>) => ({ body: { ...body('session'), ...change } });
  const loginCalls = () => here.stub.calls('POST /v1/token/api/access');

  test('sends token and version on every call', async () => {
    await here.broker.connect(null);
    await here.broker.orders();
    const [login, ...others] = here.stub.seen;
    expect(login?.headers.authorization).toBe('Bearer testkey-0a1b');
    expect(others.map((seen) => seen.headers.authorization)).toEqual(Array(4).fill('Bearer fresh-token-6a7b'));
    expect(here.stub.seen.every((seen) => seen.headers['x-api-version'] === '1.0')).toBe(true);
  });

  describe('the login', () => {
    test('sends the one-time code of now', async () => {
      await here.broker.connect(null);
      const now = Date.now();
      const codes = [now, now - 30_000].map((timestamp) => new TOTP({ secret: credentials.TOTP_SECRET }).generate({ timestamp }));
      const sent = here.jsonOf('POST /v1/token/api/access');
      expect(sent).toEqual({ key_type: 'totp', totp: expect.stringMatching(/^\d{6}$/) });
      expect(codes).toContain(sent.totp);
    });
    test('takes a secret as it is shown, with blanks and in small letters', async () => {
      here.use({ API_KEY: 'testkey', TOTP_SECRET: 'jbsw y3dp ehpk 3pxp' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true });
    });
    test('with a code in place of the secret names the setting and asks nobody', async () => {
      here.use({ API_KEY: 'testkey', TOTP_SECRET: '019810' });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('GROWW_TOTP_SECRET') });
      expect(here.stub.seen).toEqual([]);
    });
    test('with a secret sends the checksum of secret and time', async () => {
      here.use({ API_KEY: 'testkey', API_SECRET: 'testsecret' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true });
      const { timestamp, checksum, key_type } = here.jsonOf('POST /v1/token/api/access');
      expect(timestamp).toMatch(/^\d{10}$/);
      expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(5_000);
      expect({ checksum, key_type }).toEqual({
        checksum: createHash('sha256').update(`testsecret${timestamp}`).digest('hex'),
        key_type: 'approval',
      });
    });
    test.each([
      ['TOTP_SECRET', { API_KEY: 'k', TOTP_SECRET: credentials.TOTP_SECRET }],
      ['API_SECRET', { API_KEY: 'k', API_SECRET: 's' }],
    ])('that is refused tells Groww’s text and names GROWW_%s, once', async (setting, given) => {
      here.use(given);
      here.stub.on('POST /v1/token/api/access', error('login'));
      const connected = await here.broker.connect(null);
      expect(connected).toMatchObject({ success: false, message: expect.stringMatching(/Invalid TOTP.*GROWW_API_KEY/) });
      expect(connected.message).toContain(`GROWW_${setting}`);
      expect(loginCalls().length).toBe(1);
    });
    test('with a key alone says how to sign in', async () => {
      here.use({ API_KEY: 'testkey' });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('GROWW_TOTP_SECRET') });
      expect(here.stub.seen).toEqual([]);
    });
    test('with a token of today needs no key', async () => {
      here.use({ ACCESS_TOKEN: 'todays-token' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true, login: { values: { access_token: 'todays-token' } } });
      expect(loginCalls()).toEqual([]);
    });
    test.each([
      ['without a token', { token: undefined }],
      ['with an empty token', { token: '' }],
      ['that is not active', { isActive: false }],
    ])('an answer %s is a failure', async (_what, change) => {
      here.stub.on('POST /v1/token/api/access', session(change));
      expect(await here.broker.connect(null)).toMatchObject({ success: false });
    });
    test('a profile without the account number is a failure', async () => {
      here.stub.on('GET /v1/user/detail', { body: ok({ vendor_user_id: 'x' }) });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('ucc') });
    });
    test('ends at 06:00 in India, or earlier when Groww says so', async () => {
      const ends = async () => {
        const connected = await here.broker.connect(null);
        return connected.success ? connected.login.expiresAt : connected.message;
      };
      for (const expiry of ['2020-01-01T06:00:00', '2999-01-01T09:00:00', 'soon', null]) {
        here.stub.on('POST /v1/token/api/access', session({ expiry }));
        expect(await ends()).toMatch(/T00:30:00\.000Z$/);
      }
      const soon = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 5_000);
      const ist = new Date(soon.getTime() + 5.5 * 3_600_000).toISOString().slice(0, 19);
      here.stub.on('POST /v1/token/api/access', session({ expiry: ist }));
      expect(await ends()).toBe(soon.toISOString());
    });
    test('is repeated without a person when there is a TOTP secret', () => {
      expect(here.broker.traits.unattended).toBe(true);
      here.use({ API_KEY: 'k', API_SECRET: 's' });
      expect(here.broker.traits.unattended).toBe(false);
    });
    test('cannot be ended at Groww', async () => {
      await here.broker.connect(null);
      expect(await here.broker.logout()).toMatchObject({ success: false, message: expect.stringContaining('06:00') });
    });
  });

  describe('a stored login', () => {
    const stored = (token: string, livesMs: number) => ({
      values: { access_token: token },
      expiresAt: new Date(Date.now() + livesMs).toISOString(),
    });
    test('is used while it lives and keeps its end', async () => {
      const kept = stored('kept', 60_000);
      expect(await here.broker.connect(kept)).toMatchObject({ success: true, login: kept });
      expect(loginCalls()).toEqual([]);
    });
  });

  test('an unregistered address under HTTP 401 does not end the session', async () => {
    await here.broker.connect(null);
    here.stub.on('POST /v1/order/create', error('address401'));
    await here.broker.placeOrder(order, TAG);
    expect(here.made.expired).toEqual([]);
  });

  test('the older form of a dead login ends the session', async () => {
    await here.broker.connect(null);
    here.stub.on('GET /v1/holdings/user', error('older'));
    expect(await here.broker.holdings()).toMatchObject({ success: false, message: 'Token expired' });
    expect(here.made.expired).toEqual(['Token expired']);
  });

  test.each([undefined, '<html>unauthorized</html>'])('a 401 with the body %s ends the session', async (text) => {
    await here.broker.connect(null);
    here.stub.on('GET /v1/holdings/user', { status: 401, body: text });
    expect(await here.broker.holdings()).toMatchObject({ success: false });
    expect(here.made.expired.length).toBe(1);
  });
});
