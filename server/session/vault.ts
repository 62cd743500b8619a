import { createCipheriv, createDecipheriv, hash } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../clock.ts';
import { ConfigError } from '../config/config.ts';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Seals texts with AES-256-GCM under the key of this installation. */
export interface Vault {
  /** `context` is authenticated, not hidden: a sealed text opens only under the same one. */
  seal(text: string, context: string): string;
  /** The text, or null when it was sealed with another key, for another context, or was damaged. */
  open(sealed: string, context: string): string | null;
}

/** With VAULT_KEY under that text; else reads DATA_DIR/key (mode 0600), making it at the first start. */
export async function openVault(dataDir: string, random: Random, vaultKey?: string): Promise<Vault> {
  const key = vaultKey === undefined ? await readKey(join(dataDir, 'key'), random) : hash('sha256', vaultKey, 'buffer');
  return {
    seal(text, context) {
      const iv = random.bytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(context));
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

async function readKey(file: string, random: Random): Promise<Buffer> {
  try {
    const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
    if (key.length !== KEY_BYTES)
      throw new ConfigError(
        `DATA_DIR: ${file} does not hold a key of ${KEY_BYTES} bytes; bring back the right one, or move it away and sign in to the brokers again`,
      );
    await chmod(file, 0o600);
    return key;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const key = Buffer.from(random.bytes(KEY_BYTES));
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  const handle = await open(`${file}.new`, 'w', 0o600);
  await handle.writeFile(`${key.toString('base64')}\n`);
  await handle.sync();
  await handle.close();
  await rename(`${file}.new`, file);
  return key;
}
