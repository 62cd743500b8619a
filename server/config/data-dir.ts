import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './error.ts';

/** Nobody but us looks into our folders. PostgreSQL, which never runs as root, has to pass through one that root makes. */
const MODE = 0o700;
const ROOT_MODE = 0o711;

/** Makes DATA_DIR where it is missing, and refuses one that cannot be used. Throws ConfigError. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeFolders(dataDir);
    if (!statSync(dataDir).isDirectory()) throw new ConfigError(`DATA_DIR: ${dataDir} cannot be used: ${reasons.EEXIST}`);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explainFile(error, dataDir);
  }
}

/** One by one: Node's own way to make them all never ends below /proc and the like. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder, { mode: process.getuid?.() === 0 ? ROOT_MODE : MODE });
}

const fileCalls = /^(access|chmod|fsync|lstat|mkdir|open|read|rename|scandir|stat|unlink|write)$/;

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'a file is in its place',
  ENOTDIR: 'a file is in its place',
  EISDIR: 'a directory is in its place',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
};

/** Trouble with a file of DATA_DIR as a ConfigError; any other error as it is. */
export function explainFile(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error && fileCalls.test(String(error.syscall)))) return error;
  const path = 'path' in error ? String(error.path) : dataDir;
  if (!path.startsWith(dataDir) && !dataDir.startsWith(path)) return error;
  return refusal(path, error.code, error);
}

function refusal(path: string, code: unknown, cause: Error): ConfigError {
  return new ConfigError(`DATA_DIR: ${path} cannot be used: ${reasons[String(code)] ?? code}`, { cause });
}
