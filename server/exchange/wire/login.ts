import { createHash, timingSafeEqual } from 'node:crypto';
import { newToken, redirect, type WireReply } from './message.ts';

/** What the logins of several brokers are made of. */

/** The address a login page may send a browser back to: one of this machine, or null. */
export function loopback(address: string): URL | null {
  const target = URL.parse(address);
  return target && ['127.0.0.1', 'localhost'].includes(target.hostname) ? target : null;
}

/** Stands for the broker's page: nothing is asked, the browser goes straight back to the app with what it is told. */
export function backToApp(target: URL, told: Readonly<Record<string, string>>): WireReply {
  const back = new URL(target);
  for (const [name, value] of Object.entries(told)) back.searchParams.set(name, value);
  return redirect(back.href);
}

/** In hexadecimal digits. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whether two texts are the same, in constant time. */
export function sameText(given: string, wanted: string): boolean {
  return given.length === wanted.length && timingSafeEqual(Buffer.from(given), Buffer.from(wanted));
}

/** A token in the shape of a JSON web token. Its signature is chance, which is all that counts here. */
export function webToken(algorithm: string, claims: Readonly<Record<string, unknown>>, signature = newToken()): string {
  const parts = [{ alg: algorithm, typ: 'JWT' }, claims];
  return [...parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')), signature].join('.');
}
