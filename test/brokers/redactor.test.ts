import { expect, test } from 'vitest';
import type { Channel, FeedSink } from '../../server/brokers/feed.ts';
import { createRedactor, discreet } from '../../server/brokers/redactor.ts';

const credentials = {
  API_KEY: 'k+y/1=?&é',
  PIN: '4711',
  TOTP_SECRET: 'abcd efgh-ijkl mnop',
  SHORT_KEY: 'abc',
  USER_ID: 'FT0001',
  CLIENT_ID: '1100001111',
  UCC: 'UCC01',
  REDIRECT_URI: 'http://127.0.0.1:5001/',
  CARRYFORWARD_PRODUCT: 'NORMAL',
  ACCESS_TOKEN: undefined,
};

test.each([
  ['as it is', 'the key k+y/1=?&é is wrong', 'the key [hidden] is wrong'],
  ['percent-encoded', `?key=${encodeURIComponent(credentials.API_KEY)}&x=1`, '?key=[hidden]&x=1'],
  ['percent-encoded in small letters', `?key=${encodeURIComponent(credentials.API_KEY).toLowerCase()}`, '?key=[hidden]'],
  ['as a form writes it', `${new URLSearchParams({ totp: credentials.TOTP_SECRET })}`, 'totp=[hidden]'],
  ['in base64', `Basic ${Buffer.from(credentials.API_KEY).toString('base64')}.`, 'Basic [hidden].'],
  ['in base64 without its end', Buffer.from('4711').toString('base64').replace(/=+$/, ''), '[hidden]'],
  ['in base64 of addresses', Buffer.from(credentials.API_KEY).toString('base64url'), '[hidden]'],
  ['without the gaps people type', 'secret ABCDEFGHIJKLMNOP', 'secret [hidden]'],
  ['several times', '4711, 4711', '[hidden], [hidden]'],
  ['too short to be told from words', 'abc', 'abc'],
  ['no secrets', 'FT0001 1100001111 UCC01 NORMAL http://127.0.0.1:5001/', 'FT0001 1100001111 UCC01 NORMAL http://127.0.0.1:5001/'],
])('values of settings: %s', (_what, said, told) => {
  expect(createRedactor(credentials).hide(said)).toBe(told);
});

test('tokens are hidden from when they are known, a longer one whole, and not the account', () => {
  const redactor = createRedactor({ PIN: 'eyJ0' });
  expect(redactor.hide('token eyJ0.abc of ZT0001')).toBe('token [hidden].abc of ZT0001');
  redactor.learn({
    token: 'eyJ0.abc',
    account: 'ZT0001',
    user: 'ZT0001',
    client: 'ZT0001',
    baseUrl: 'https://x.test',
    http: {},
    sid: null,
  });
  redactor.learn('plain-token');
  redactor.learn('');
  expect(redactor.hide('token eyJ0.abc of ZT0001 at https://x.test, plain-token')).toBe(
    'token [hidden] of ZT0001 at https://x.test, [hidden]',
  );
});

test('without secrets a text stays as it is', () => {
  expect(createRedactor({}).hide('as it is')).toBe('as it is');
});

test('a feed tells a refused sign-in without our token', async () => {
  const redactor = createRedactor({ ACCESS_TOKEN: 'todays-token' });
  const heard: unknown[] = [];
  const sink = { refused: (reason: string) => heard.push(reason), price: (...of: unknown[]) => heard.push(of) } as unknown as FeedSink;
  const talk = {
    hello: ['hi'],
    awaitsReady: true,
    subscribe: () => [],
    unsubscribe: () => [],
    decode(_frame: unknown, to: FeedSink) {
      to.refused('no todays-token');
      to.price('1', 2, null);
    },
  };
  const channel = { name: 'prices', open: async () => ({ url: 'ws://x', localAddress: undefined, talk }) } as unknown as Channel;
  const opened = await discreet(channel, redactor).open();
  for (const _ of [1, 2]) opened.talk.decode('', sink);
  expect(heard).toEqual(['no [hidden]', ['1', 2, null], 'no [hidden]', ['1', 2, null]]);
  expect(opened).toMatchObject({ url: 'ws://x', talk: { hello: ['hi'], awaitsReady: true } });
});
