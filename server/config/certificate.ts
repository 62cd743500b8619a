import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from './error.ts';

/** Files of TLS_CERT and TLS_KEY, absolute. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

export interface Certificate {
  /** PEM: the certificate, then the chain that leads to a known one. */
  cert: string;
  /** PEM. */
  key: string;
  /** The last moment it is good for, ms since 1970. */
  endsAt: number;
}

/** Reads a certificate and its key and holds them against each other. `now`: ms since 1970. Throws ConfigError, one line that names the setting. */
export function readCertificate(files: CertificateFiles, now: number): Certificate {
  const [cert, key] = [read('TLS_CERT', files.cert), read('TLS_KEY', files.key)];
  const leaf = parsed(() => new X509Certificate(cert), `TLS_CERT: ${files.cert} does not hold a certificate in PEM`);
  const secret = parsed(() => createPrivateKey(key), `TLS_KEY: ${files.key} does not hold a private key in PEM without a passphrase`);
  if (!leaf.checkPrivateKey(secret)) throw new ConfigError(`TLS_KEY: ${files.key} is not the key of the certificate in ${files.cert}`);
  const [from, endsAt] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (now > endsAt) throw new ConfigError(`TLS_CERT: the certificate in ${files.cert} ended on ${dayOf(endsAt)}; renew it`);
  if (now < from)
    throw new ConfigError(`TLS_CERT: the certificate in ${files.cert} begins on ${dayOf(from)} only; is this machine's clock right?`);
  return { cert, key, endsAt };
}

/** YYYY-MM-DD, UTC. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function read(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw new ConfigError(`${setting}: ${file} cannot be read: ${reasons[code] ?? code}`, { cause: error });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a file is in the place of a directory',
};

function parsed<Value>(parse: () => Value, message: string): Value {
  try {
    return parse();
  } catch (cause) {
    throw new ConfigError(message, { cause });
  }
}
