import { TOTP } from 'otpauth';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../server/brokers/index.ts';
import { dhanStub, stored } from './dhan.stub.ts';
import { client, credentials, error, recorded } from './dhan.suite.ts';

describe('signing in to dhan', () => {
  const here = dhanStub();
  const tokens = () => here.stub.calls('GET /profile').map((seen) => seen.headers['access-token']);

  describe('with PIN and TOTP', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    const totp = { CLIENT_ID: client, PIN: '704613', TOTP_SECRET: secret };
    const login = 'POST /app/generateAccessToken';
    beforeEach(() => here.use(totp));
    afterEach(() => {
      const codes = here.stub.calls(login).map((seen) => seen.query.totp ?? '');
      const secrets = [totp.PIN, secret, 'fresh-token-7a8b', ...codes];
      expect(here.made.logged.filter((line) => secrets.some((each) => line.includes(each)))).toEqual([]);
    });

    test('asks for a token in the query and tries it on the profile', async () => {
      const before = new TOTP({ secret }).generate();
      expect(await here.broker.connect(null)).toMatchObject({
        success: true,
        account: client,
        login: { values: { access_token: 'fresh-token-7a8b' }, expiresAt: '2099-01-01T03:15:10.000Z' },
      });
      const [asked] = here.stub.calls(login);
      expect(asked).toMatchObject({ query: { dhanClientId: client, pin: '704613' }, body: '' });
      expect([before, new TOTP({ secret }).generate()]).toContain(asked?.query.totp);
      expect(tokens()).toEqual(['fresh-token-7a8b']);
    });
    test('makes the code of RFC 6238 from the clock it is given', async () => {
      here.broker = createBroker('dhan', {
        ...here.made.env,
        loginUrl: here.stub.url,
        clock: { ...here.made.env.clock, now: () => 1_111_111_109_000 },
      });
      await here.broker.connect(null);
      expect(here.stub.calls(login)[0]?.query.totp).toBe('081804');
    });
    test('takes a secret written in groups', async () => {
      here.use({ ...totp, TOTP_SECRET: 'gezd gnbv gy3t qojq gezd gnbv gy3t qojq' });
      expect(await here.broker.connect(null)).toMatchObject({ success: true });
    });
    test('a secret that is none is named and nothing is sent', async () => {
      here.use({ ...totp, TOTP_SECRET: 'not base32!' });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('DHAN_TOTP_SECRET') });
      expect(here.stub.seen).toEqual([]);
    });
    test.each([
      ['an error in the three keys', { status: 401, body: { errorType: 'x', errorCode: 'DH-901', errorMessage: 'Invalid PIN 704613' } }],
      ['an error under HTTP 200', { status: 200, body: { message: 'Invalid TOTP', status: 'error' } }],
      ['a page', { status: 503, body: '<html>' }],
    ])('%s names the settings, keeps the PIN to itself and is sent once', async (_what, answer) => {
      here.stub.on(login, answer);
      const connected = await here.broker.connect(null);
      expect(connected).toMatchObject({ success: false, message: expect.stringMatching(/DHAN_CLIENT_ID, DHAN_PIN and DHAN_TOTP_SECRET/) });
      expect(connected.message).not.toContain('704613');
      expect(here.stub.calls(login).length).toBe(1);
    });
    test('nobody listening at the login address is said', async () => {
      here.broker = createBroker('dhan', { ...here.made.env, loginUrl: 'http://127.0.0.1:9' });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('No connection') });
    });
    test('a refused fresh token fails without another try', async () => {
      here.stub.on('GET /profile', error('expired'));
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('DH-901') });
      expect(here.stub.calls(login).length).toBe(1);
      expect(here.made.expired).toEqual([]);
    });
    test('is not done while a stored login works', async () => {
      expect(await here.broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'kept' } },
      });
      expect(here.stub.calls(login)).toEqual([]);
    });
    test('is done when the stored login is refused or over', async () => {
      here.stub.on('GET /profile', (seen) => (seen.headers['access-token'] === 'kept' ? error('invalidToken') : recorded('profile')));
      expect(await here.broker.connect(stored('kept', 60_000))).toMatchObject({
        success: true,
        login: { values: { access_token: 'fresh-token-7a8b' } },
      });
      expect(await here.broker.connect(stored('older', -1))).toMatchObject({ success: true });
      expect(tokens()).toEqual(['kept', 'fresh-token-7a8b', 'fresh-token-7a8b']);
      expect(here.made.expired).toEqual([]);
    });
    test('is not done when Dhan is merely down', async () => {
      here.stub.on('GET /profile', error('network'));
      expect(await here.broker.connect(stored('kept', 60_000))).toMatchObject({ success: false });
      expect(here.stub.calls(login)).toEqual([]);
    });
    test('needs no person; a pasted token alone does', () => {
      expect(here.broker.traits.unattended).toBe(true);
      here.use(credentials);
      expect(here.broker.traits.unattended).toBe(false);
    });
  });

  describe('with a pasted token, which', () => {
    test('lives as long as the profile says, IST', async () => {
      expect(await here.broker.connect(null)).toMatchObject({ login: { expiresAt: '2099-03-30T10:07:00.000Z' } });
    });
    test.each(['30/03/2025 15:37', 'soon', null])('with a validity of %s is kept a day at most', async (tokenValidity) => {
      here.stub.on('GET /profile', { body: { dhanClientId: client, tokenValidity } });
      const connected = await here.broker.connect(null);
      const lives = connected.success ? Date.parse(connected.login.expiresAt) - Date.now() : 0;
      expect(lives).toBeGreaterThan(86_000_000);
      expect(lives).toBeLessThanOrEqual(86_400_000);
    });
    test('of another client is refused', async () => {
      here.stub.on('GET /profile', { body: { dhanClientId: '1100009999' } });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('another client') });
    });
    test('without the client id names DHAN_CLIENT_ID and asks nobody', async () => {
      here.use({ ACCESS_TOKEN: 'todays-token-4e5f' });
      expect(await here.broker.connect(null)).toMatchObject({ success: false, message: expect.stringContaining('DHAN_CLIENT_ID') });
      expect(here.stub.seen).toEqual([]);
    });
  });
});
