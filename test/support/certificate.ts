import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DAY_MS = 86_400_000;

export interface Made {
  cert: string;
  key: string;
}

/** One value in DER: its tag, its length, what it holds. */
function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 128 ? [content.length] : [0x82, content.length >> 8, content.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const bitString = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes);
const time = (at: number) => der(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));
const extension = (id: string, value: Uint8Array) => sequence(oid(id), der(0x04, value));

/** A self-signed certificate of this machine's loopback (RFC 5280) on P-256, good from yesterday on for so many days, and its key; both in PEM. */
export function makeCertificate({ days = 30, name = 'gateway' } = {}): Made {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'));
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.from('00000000000000000000000000000001', 'hex')),
  );
  const isAuthority = sequence(der(0x01, Buffer.from([255])));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    ecdsaWithSha256,
    subject,
    sequence(time(Date.now() - DAY_MS), time(Date.now() + days * DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension('551d11', names), extension('551d13', isAuthority))),
  );
  const signed = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, privateKey)));
  return { cert: pem(signed), key: keyText(privateKey) };
}

/** Writes both beside each other, in this order, as a renewal does. */
export function writeCertificate(folder: string, { cert, key }: Made): { TLS_CERT: string; TLS_KEY: string } {
  const files = { TLS_CERT: join(folder, 'fullchain.pem'), TLS_KEY: join(folder, 'privkey.pem') };
  writeFileSync(files.TLS_CERT, cert);
  writeFileSync(files.TLS_KEY, key);
  return files;
}

function pem(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function keyText(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}
