import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Random } from '../../clock.ts';

/** First byte of a user's public key: it makes the text begin with U. */
const USER = 0xa0;
/** PKCS #8 head of a bare ed25519 seed (RFC 8410). */
const SEED_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const SEED_BYTES = 32;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An ed25519 key pair as NATS users prove themselves with (https://docs.nats.io, nkeys). */
export interface Nkey {
  /** The public key as NATS writes it. */
  publicText: string;
  /** The signature of a server's nonce, base64url without padding. */
  sign(nonce: string): string;
}

export function createNkey(random: Random): Nkey {
  return nkeyOf(random.bytes(SEED_BYTES));
}

/** The pair of a seed of 32 bytes. */
export function nkeyOf(seed: Uint8Array): Nkey {
  const key = createPrivateKey({ key: Buffer.concat([SEED_HEAD, seed]), format: 'der', type: 'pkcs8' });
  return { publicText: publicText(key), sign: (nonce) => sign(null, Buffer.from(nonce), key).toString('base64url') };
}

function publicText(key: KeyObject): string {
  const raw = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
  const named = Buffer.concat([Buffer.from([USER]), raw]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16LE(crc16(named));
  return base32(Buffer.concat([named, sum]));
}

/** CRC-16/XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}

/** RFC 4648 without padding. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
}
