import { z } from 'zod';

/** What a setting must be: how its text is read, and how that is said to a person. */
interface Kind<Value> {
  /** Reads the text that was given, or the default's. */
  value: z.ZodType<Value>;
  /** The end of "NAME: must be ..."; a `custom` issue of the value says more and stands instead. */
  kind: string;
}

/** One setting: a row of the tables in this folder and of docs/operations.md. */
export interface Setting<Value = unknown> extends Kind<Value> {
  /** As it would be written in `.env`; absent where the setting is. */
  default?: string;
  meaning: string;
  /** Its value is never shown. */
  secret?: true;
}

export const text = z.string();

export function wholeNumber(least: number, most: number): z.ZodType<number> {
  return text
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most));
}

export const port = { value: wholeNumber(0, 65_535), kind: 'a port from 0 to 65535; 0 takes a free one' };

/** One at least: what the broker still shows, what the books go on from and what a key may be asked again for is far younger. */
export const years = { value: wholeNumber(1, 100), kind: 'whole years from 1 to 100' };

export const onOff = {
  value: z.enum(['on', 'off', 'true', 'false', '1', '0']).transform((word) => ['on', 'true', '1'].includes(word)),
  kind: 'on or off',
};

export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return { value: z.enum(words), kind: words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}` };
}

export const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Encrypted addresses anywhere; plain ones only towards this machine. */
function addressOf(protocols: RegExp, kind: string): Kind<string> {
  const plain = (address: string) => /^(http|ws):/i.test(address);
  const value = text
    .refine((address) => protocols.test(URL.parse(address)?.protocol ?? ''), `must be ${kind}`)
    .refine((address) => !plain(address) || loopback.test(URL.parse(address)?.hostname ?? ''), {
      error: ({ input }) => `plain ${URL.parse(String(input))?.protocol}// is allowed towards loopback only`,
    });
  return { value: value.transform((address) => address.replace(/\/$/, '')), kind };
}

export const address = addressOf(/^(https?|wss?):$/, 'an http, https, ws or wss address');
export const webAddress = addressOf(/^https?:$/, 'an https address');
