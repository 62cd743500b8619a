import { createHmac } from 'node:crypto';

const STEP_MS = 30_000;

/** Whether a code is that of an authenticator app (RFC 6238, SHA-1, six digits, 30 seconds) at an instant (epoch ms), or of the step before or after. */
export function timeCodeFits(secret: string, given: string, at: number): boolean {
  return [-1, 0, 1].some((step) => timeCode(secret, at + step * STEP_MS) === given);
}

/** The code of the step an instant (epoch ms) is in; the secret is base32. */
export function timeCode(secret: string, at: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / STEP_MS)));
  const digest = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The bytes of a base32 text (RFC 4648) without padding; bits that make no whole byte are dropped. */
export function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
