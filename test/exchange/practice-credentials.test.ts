import { Secret } from 'otpauth';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { emulators, practiceCredentials } from '../../server/exchange/emulators.ts';

/** Practice credentials have the form of real ones: what an adapter checks of them it checks here too. */
test('every TOTP secret has the 160 bits that RFC 4226 asks for', () => {
  const bits = emulators.flatMap(({ id, credentials: { TOTP_SECRET: secret } }) =>
    secret === undefined ? [] : [[id, Secret.fromBase32(secret).bytes.length * 8] as const],
  );
  expect(bits.map(([id]) => id)).toEqual(['angelone', 'dhan', 'fivepaisa', 'groww', 'kotak']);
  expect(bits.filter(([, size]) => size < 160)).toEqual([]);
});

test("FYERS' practice token is a web token that says when it ends", () => {
  const [head = '', claims = '', signature = ''] = (practiceCredentials('fyers').ACCESS_TOKEN ?? '').split('.');
  const read = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
  expect(read(head)).toEqual({ alg: 'HS256', typ: 'JWT' });
  const { iat, exp } = z.looseObject({ iat: z.int(), exp: z.int() }).parse(read(claims));
  expect([iat * 1000 < Date.now(), exp * 1000 > Date.now(), signature]).toEqual([true, true, expect.stringMatching(/./)]);
});
